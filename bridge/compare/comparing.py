"""A PyTorch model and its C# port, run once each on the same inputs and weights: where they first differ, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from bridge.compare import unseen
from bridge.compare.compare_errors import InputsError
from bridge.compare.inputs import Inputs
from bridge.compare.named import NamedDifference, compare_named, momentum_words
from bridge.compare.one_run import Run, one_thread, run
from bridge.compare.tolerance import Tolerance, smallest
from bridge.runtimes.binding import defaults_of, parameters_of, trailing, without_defaults
from bridge.trace import Trace
from bridge.trace.diff import Diff, diff

#: Lines of one sort that are spelled out; the rest is counted.
LINES: Final = 10
_STATISTICS = ("running_mean", "running_var")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The result of comparing two runs.

    ``diff`` is of the traces; ``gradients`` (in the order of the backward pass) and ``buffers`` are the tensors that
    differ as well. ``missing`` are lines on modules that appeared on one side only, ``bypassed`` on modules that were
    likely run by ``forward()``. ``tolerance`` would let all values pass; None when they pass as they are.
    ``nonfinite`` counts the NaN and infinite numbers of each trace.
    """

    pytorch: Run
    dotnet: Run
    diff: Diff
    gradients: tuple[NamedDifference, ...]
    buffers: tuple[NamedDifference, ...]
    missing: tuple[str, ...]
    bypassed: tuple[str, ...]
    tolerance: Tolerance | None
    nonfinite: tuple[int, int]
    largest: float
    backward: bool

    @property
    def same(self) -> bool:
        """Same events in the same order, values, buffers and gradients within the tolerance."""
        return self.diff.same and not self.gradients and not self.buffers

    @property
    def verdict(self) -> str:
        """One line: the same, or different in what."""
        left, right = self.pytorch.trace, self.dotnet.trace
        if self.same:
            gradients = f", gradients of {len(self.pytorch.gradients or ())} tensors" if self.backward else ""
            return (
                f"Same: {left.calls} equal module calls on each side, identical order{gradients}, "
                f"largest difference {self.largest:g}."
            )
        parts = [_count(len(self.diff.structural), "structural difference")] if self.diff.structural else []
        if self.diff.numeric:
            parts.append(f"{_count(len(self.diff.numeric), 'difference')} of arguments or values")
        if self.buffers:
            parts.append(f"{_count(len(self.buffers), 'buffer')} after the run")
        if self.gradients:
            parts.append(_count(len(self.gradients), "gradient"))
        return f"Different: {left.calls} module calls in {left.runtime}, {right.calls} in {right.runtime}; {', '.join(parts)}."

    def explain(self) -> str:
        """What differs first and why, in words, further findings, and the tolerance that would pass."""
        lines = [] if self.diff.same else [self.diff.explain()]
        if set(self.diff.bypassed) - {event.path for event in self.dotnet.trace if event.phase == "pre"}:
            lines.append(
                "With --forward-fires every child.forward(x) in the C# code is a call, and the code stays as it is."
            )
        lines += _some(self.bypassed, "more module")
        lines += _some(self.missing, "more module")
        lines += _some([f"After the run, {one}" for one in self.buffers], "more buffer")
        lines += _some([f"Backward: {one}" for one in self.gradients], "more gradient")
        if any(self.nonfinite):
            numbers = " and ".join(
                f"{count} in {one.runtime}"
                for count, one in zip(self.nonfinite, (self.pytorch, self.dotnet), strict=True)
            )
            lines.append(f"NaN or infinite numbers in the traces: {numbers}.")
        if self.tolerance is not None:
            words = (
                "The values alone would pass with"
                if self.diff.structural
                else "The smallest tolerance that would pass:"
            )
            nothing = self.tolerance.atol is None and self.tolerance.rtol is None
            lines.append("No tolerance would let the values pass." if nothing else f"{words} {self.tolerance}")
        return "\n".join(lines)

    def figures(self) -> dict[str, str]:
        """Figures in words, for a table."""
        left, right = self.pytorch, self.dotnet
        found = {
            "Module calls": f"{left.trace.calls} in {left.runtime}, {right.trace.calls} in {right.runtime}",
            "Events": f"{len(left.trace)} in {left.runtime}, {len(right.trace)} in {right.runtime}",
            "Tensors and numbers compared": f"{self.diff.compared}",
            "Largest difference": f"{self.largest:g}",
            "Time, recorded": f"{left.seconds * 1e3:.0f} ms in {left.runtime}, {right.seconds * 1e3:.0f} ms in {right.runtime}",
        }
        if any(self.nonfinite):
            counts = f"{self.nonfinite[0]} in {left.runtime}, {self.nonfinite[1]} in {right.runtime}"
            found["NaN or infinite numbers"] = counts
        if self.backward:
            found["Gradients"] = (
                f"{len(left.gradients or ())} in {left.runtime}, {len(right.gradients or ())} in {right.runtime}"
            )
        if self.tolerance is not None:
            found["Smallest tolerance that would pass"] = f"{self.tolerance}"
        return found


def compare(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    inputs: Inputs,
    *,
    train: bool = False,
    backward: bool = False,
    device: str = "cpu",
    rtol: float = 0.0,
    atol: float = 0.0,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Runs both models, and compares structure, values, buffers and (with ``backward``) gradients.

    Weights are left unchanged (:func:`bridge.compare.weight_sharing.share` gives both the same). ``step`` is called with what begins.
    Raises InputsError, and RunError when a model cannot run.
    """
    given = inputs.bind(python)
    arguments = tuple(
        {name: value.to(device) if isinstance(value, torch.Tensor) else value for name, value in some.items()}
        for some in (given, _for_dotnet(python, dotnet, given))
    )
    runs = []
    with one_thread():
        for name, model, some in zip(("PyTorch", ".NET"), (python, dotnet), arguments, strict=True):
            step(f"running {name}")
            runs.append(run(model.to(device), some, train=train, backward=backward, seed=seed))
    step("comparing")
    return laid_side_by_side(python, dotnet, runs[0], runs[1], rtol=rtol, atol=atol, backward=backward)


def laid_side_by_side(
    python: torch.nn.Module, dotnet: torch.nn.Module, left: Run, right: Run, *, rtol: float, atol: float, backward: bool
) -> Comparison:
    """Compares two runs that were made."""
    a, b = left.trace, without_defaults(right.trace, python)
    found = diff(a, b, rtol=rtol, atol=atol)
    names = (left.runtime, right.runtime)
    buffers, largest_buffer = compare_named("buffer", left.after, right.after, names, rtol=rtol, atol=atol)
    buffers = [_explained(one, python, left, right) for one in buffers]
    if (left.gradients is None) != (right.gradients is None):
        without = left if left.gradients is None else right
        words = f"no result of {without.runtime} requires a gradient: look for no_grad or detach in its forward."
        gradients, largest_gradient = [NamedDifference("gradient", "", words)], 0.0
    else:
        gradients, largest_gradient = compare_named(
            "gradient", left.gradients or {}, right.gradients or {}, names, rtol=rtol, atol=atol
        )
    modules = (unseen.registered(python), unseen.registered(dotnet))
    bypassed = [
        f"{path} was never called in {trace.runtime}, but its children were: most likely it was run by forward(), "
        f"not call(), so its hooks never fired (C-3). {unseen.fix(path, trace.runtime)}"
        for trace, tree in ((a, modules[0]), (b, modules[1]))
        for path in unseen.likely_bypassed(trace, tree)
        if path not in found.bypassed
    ]
    tolerance = None
    if found.numeric or buffers or gradients:
        exact = diff(a, b) if rtol or atol else found
        named = [
            *compare_named("buffer", left.after, right.after, names)[0],
            *(compare_named("gradient", left.gradients or {}, right.gradients or {}, names)[0] or gradients),
        ]
        tolerance = smallest(exact, named)
    return Comparison(
        left,
        right,
        found,
        tuple(_in_backward_order(gradients, a)),
        tuple(buffers),
        tuple(unseen.missing_on_one_side(a, b, modules, names, reported=found.bypassed)),
        tuple(bypassed),
        tolerance,
        (nonfinite(a), nonfinite(b)),
        max(found.largest_difference, largest_buffer, largest_gradient),
        backward,
    )


def nonfinite(trace: Trace) -> int:
    """The number of NaN and infinite elements in the values of a trace."""
    return sum(
        int(np.count_nonzero(~np.isfinite(value.data)))
        for event in trace
        for value in event.values
        if value.data is not None and value.data.dtype.kind in "fc"
    )


def _for_dotnet(python: torch.nn.Module, dotnet: torch.nn.Module, given: dict[str, Any]) -> dict[str, Any]:
    """What the .NET model is given: PyTorch's arguments, but trailing defaults that its ``forward`` has no room for."""
    names = [name for name, _ in parameters_of(dotnet)]
    defaults = defaults_of(python)
    spare = len(given) - len(names)
    if spare <= 0:
        return given
    if trailing(tuple(given.values()), defaults) < spare:
        raise InputsError(
            f"the C# forward({', '.join(names)}) of {type(dotnet).__name__} cannot take the {len(given)} arguments "
            f"({', '.join(given)}) of the PyTorch model."
        )
    return dict(list(given.items())[: len(names)])


def _explained(one: NamedDifference, python: torch.nn.Module, left: Run, right: Run) -> NamedDifference:
    path, _, name = one.name.rpartition(".")
    if name not in _STATISTICS or not all(
        one.name in side for side in (left.before, left.after, right.before, right.after)
    ):
        return one
    before, a, b = left.before[one.name], left.after[one.name], right.after[one.name]
    if not (before.shape == a.shape == b.shape and torch.equal(before, right.before[one.name])):
        return one
    momentum = getattr(python.get_submodule(path), "momentum", None)
    words = momentum_words(one.name, momentum, before, a, b, (left.runtime, right.runtime))
    return NamedDifference(one.kind, one.name, one.message + words, one.absolute, one.relative)


def _in_backward_order(found: list[NamedDifference], trace: Trace) -> list[NamedDifference]:
    """Last called module first: there the backward pass began; inputs come last."""
    order = {event.path: place for place, event in enumerate(trace)}
    return sorted(
        found, key=lambda one: -order.get(one.name.rpartition(".")[0], -1) if not one.name.startswith("input ") else 1
    )


def _some(lines: tuple[str, ...] | list[str], more: str) -> list[str]:
    rest = len(lines) - LINES
    return [*lines[:LINES], *([f"… and {_count(rest, more)}."] if rest > 0 else [])]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
