"""The comparison of two recorded runs: traces, buffers, gradients, and the tensors that a run has changed in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import torch

from bridge.compare import nonfinite, uncalled
from bridge.compare.alignment import match_calls, nonpersistent_buffers
from bridge.compare.findings import Finding
from bridge.compare.models.settings import Setting, settings
from bridge.compare.result import Comparison, ModuleDifferences, TensorDifferences, Uncompared
from bridge.compare.run import ModelRun
from bridge.compare.running_statistics import explain_statistic
from bridge.compare.tensor_comparison import NamedDifference, compare_named
from bridge.compare.tolerance import Tolerance, describe_roundings, rounding_errors, smallest_tolerance
from bridge.torchsharp.classes import ON_TORCHSHARP
from bridge.trace import Trace
from bridge.trace.diff import Diff, diff
from bridge.trace.diff.allowed import Allowed


def compare_runs(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    left: ModelRun,
    right: ModelRun,
    allowed: Allowed = Allowed(),  # noqa: B008  # Allowed is frozen
    *,
    backward: bool,
    exact: bool = False,
) -> Comparison:
    """Compare two runs. If one raised, compare both only up to the exception, without buffers and gradients."""
    if left.raised or right.raised:
        left, right = _cut_after_exception(right, left) if left.raised else _cut_after_exception(left, right)[::-1]
    a, b, omitted = match_calls(left.trace, right.trace, left.labels, python, dotnet)
    runs = _Runs((python, dotnet), (left, right), allowed, exact)
    traces = diff(a, b, rtol=allowed.rtol, atol=allowed.atol, by_path=allowed.by_path)
    nonpersistent = nonpersistent_buffers(python, dotnet)
    unlisted = nonpersistent if isinstance(dotnet, ON_TORCHSHARP) else ()
    differing_settings = settings(python, dotnet, runs.names)
    buffers, largest_buffer = runs.buffers(nonpersistent, differing_settings)
    gradients, largest_gradient, notes = runs.gradients()
    tolerance = None
    if traces.numeric or buffers or gradients:
        tolerance = runs.smallest_tolerance(diff(a, b) if allowed else traces, nonpersistent, gradients)
    raised = bool(left.raised or right.raised)
    registered = uncalled.registered_modules(python), uncalled.registered_modules(dotnet)
    return Comparison(
        left,
        right,
        traces,
        TensorDifferences(
            _in_backward_order(gradients, a),
            tuple(buffers),
            () if raised else tuple(runs.overwritten()),
            max(largest_buffer, largest_gradient),
            tolerance,
            (nonfinite.count(a), nonfinite.count(b)),
        ),
        ModuleDifferences(
            tuple(uncalled.find_missing(a, b, registered, runs.names, reported=traces.bypassed)),
            tuple(_bypassed(traces, registered)),
            differing_settings,
        ),
        Uncompared("" if raised else nonfinite.no_comparison_reason(a, traces.compared), unlisted),
        backward=backward,
        found=(*notes, *omitted, *(_not_compared(name) for name in nonpersistent if not unlisted)),
    )


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of both models, PyTorch's first, and the tolerances."""

    models: tuple[torch.nn.Module, torch.nn.Module]
    runs: tuple[ModelRun, ModelRun]
    allowed: Allowed
    exact: bool

    @property
    def names(self) -> tuple[str, str]:
        return self.runs[0].runtime, self.runs[1].runtime

    def buffers(
        self, nonpersistent: tuple[str, ...], differing: tuple[Setting, ...]
    ) -> tuple[list[NamedDifference], float]:
        """Compare the buffers after the runs; explain running statistics that differ, unless the ``momentum`` of their module differs."""
        found, largest = compare_named("buffer", *self._buffers(nonpersistent), self.names, allowed=self.allowed.at)
        with_momentum = {setting.path for setting in differing if setting.name == "momentum"}
        explained = [
            buffer if buffer.path in with_momentum else explain_statistic(buffer, self.models, self.runs)
            for buffer in found
        ]
        return explained, largest

    def _buffers(self, nonpersistent: tuple[str, ...]) -> tuple[Mapping[str, torch.Tensor], Mapping[str, torch.Tensor]]:
        left, right = self.runs
        return {name: value for name, value in left.after.items() if name not in nonpersistent}, right.after

    def gradients(self) -> tuple[list[NamedDifference], float, list[Finding]]:
        """Compare the gradients. If any differ, even within tolerance, also return a note on the allowed rounding errors.

        If ``exact`` is true, no rounding errors are allowed, and there is no note.
        """
        left, right = self.runs
        if (left.gradients is None) != (right.gradients is None):
            side = left if left.gradients is None else right
            words = f"no result of {side.runtime} requires a gradient: look for no_grad or detach in its forward."
            return [NamedDifference("gradient", "", words)], 0.0, []
        a, b = left.gradients or {}, right.gradients or {}
        roundings = {} if self.exact else rounding_errors(a, b)
        found, largest = compare_named(
            "gradient", a, b, self.names, allowed=partial(self._gradient_tolerance, roundings)
        )
        return found, largest, [Finding("note", "", describe_roundings(a))] if roundings and largest else []

    def _gradient_tolerance(self, roundings: Mapping[str, float], name: str) -> tuple[float, float]:
        """Return the tolerances of a gradient: those of its module, but at least the rounding errors."""
        rtol, atol = self.allowed.at("" if name.startswith("input ") else name.rpartition(".")[0])
        return rtol, max(atol, roundings.get(name, 0.0))

    def smallest_tolerance(
        self, traces: Diff, nonpersistent: tuple[str, ...], gradients: list[NamedDifference]
    ) -> Tolerance:
        """Return the smallest tolerance with which the runs would be equal; ``traces`` is the diff of the traces with tolerance zero."""
        out_of_tolerance = {gradient.name for gradient in gradients}
        a, b = (run.gradients or {} for run in self.runs)
        differing = [
            found for found in compare_named("gradient", a, b, self.names)[0] if found.name in out_of_tolerance
        ]
        buffers, _ = compare_named("buffer", *self._buffers(nonpersistent), self.names)
        return smallest_tolerance(traces, [*buffers, *(differing or gradients)])

    def overwritten(self) -> Iterator[NamedDifference]:
        """Yield the arguments that differ after ``forward``, and the differing parameters that a run changed in place."""
        left, right = self.runs
        common = left.arguments.keys() & right.arguments.keys()
        a, b = ({name: value for name, value in run.arguments.items() if name in common} for run in self.runs)
        yield from compare_named("argument", a, b, self.names, allowed=lambda _: self.allowed.at(""))[0]
        changed = {**left.changed, **right.changed}
        own = (dict(model.named_parameters(remove_duplicate=False)) for model in self.models)
        x, y = (
            {name: run.changed.get(name, parameters.get(name)) for name in changed}
            for run, parameters in zip(self.runs, own, strict=True)
        )

        def of_module(name: str) -> tuple[float, float]:
            return self.allowed.at(name.rpartition(".")[0])

        yield from compare_named("parameter", x, y, self.names, allowed=of_module)[0]


def _cut_after_exception(whole: ModelRun, ended: ModelRun) -> tuple[ModelRun, ModelRun]:
    """Return ``ended``, the run that raised, and ``whole`` cut to as many events, both without buffers and gradients."""
    events = whole.trace.events[: len(ended.trace)]
    trace = Trace(whole.trace.runtime, events, whole.trace.roots, whole.trace.header)
    return replace(ended, after={}, gradients={}), replace(whole, trace=trace, after={}, gradients={})


def _bypassed(
    traces: Diff, registered: tuple[Mapping[str, uncalled.Registered], Mapping[str, uncalled.Registered]]
) -> Iterator[Finding]:
    """Yield a finding for each module that was most likely run by ``forward()``, except those in ``traces.bypassed``."""
    for trace, modules in zip((traces.a, traces.b), registered, strict=True):
        for path in uncalled.find_bypassed(trace, modules):
            if path not in traces.bypassed:
                words = (
                    f"{path} was never called in {trace.runtime}, but its children were: most likely it was run by forward(), "
                    "not call(), so its hooks never fired (C-3)."
                )
                yield Finding("unseen", path, words, uncalled.fix(path, trace.runtime))


def _not_compared(buffer: str) -> Finding:
    words = f"{buffer} was not compared: only pytorch has this buffer, and the state_dict does not contain it."
    return Finding("left out", buffer.rpartition(".")[0], words)


def _in_backward_order(gradients: list[NamedDifference], trace: Trace) -> tuple[NamedDifference, ...]:
    """Sort gradients in the order of the backward pass: the module that was called last comes first, and inputs come last."""
    order = {event.path: row for row, event in enumerate(trace)}

    def key(gradient: NamedDifference) -> int:
        return 1 if gradient.name.startswith("input ") else -order.get(gradient.path, -1)

    return tuple(sorted(gradients, key=key))
