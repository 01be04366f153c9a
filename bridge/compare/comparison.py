"""A PyTorch model and its C# port, run once each on the same inputs and weights: where they first differ, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from bridge.compare import setting_cause, uncalled
from bridge.compare.alignment import for_dotnet, in_order, matched, unsaved, with_keys
from bridge.compare.errors import InputsError
from bridge.compare.findings import Finding
from bridge.compare.gradient_tolerance import rounded, roundings
from bridge.compare.io.containers import ByKey, count, differences
from bridge.compare.io.inputs import Inputs
from bridge.compare.io.outputs import AsMany, Outputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.isolate.phrasing.findings import phrase_findings
from bridge.compare.isolate.state_guard import preserve_state, set_buffers
from bridge.compare.models.renamed_model import csharp_names
from bridge.compare.models.settings import settings
from bridge.compare.result import Comparison
from bridge.compare.run import ModelRaisedError, Run, one_thread, run
from bridge.compare.tensor_comparison import NamedDifference, compare_named, momentum_words
from bridge.compare.tolerance import smallest
from bridge.output.sentences import near
from bridge.torchsharp.process.remote_module import RemoteModule
from bridge.trace import Trace, Value
from bridge.trace.diff import diff
from bridge.trace.diff.allowed import Allowed

_STATISTICS = ("running_mean", "running_var")


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
    lockstep: bool | None = None,
    step: Callable[[str], None] = lambda _: None,
    outputs: Outputs | None = None,
    by_path: Sequence[tuple[str, float]] = (),
    exact: bool = False,
    any_structure: bool = False,
) -> Comparison:
    """Runs both models, and compares structure, values, buffers and (with ``backward``) gradients.

    Weights are left unchanged (:func:`bridge.compare.models.weights.share` gives both the same). ``step`` is called with what begins.
    ``outputs`` says what is compared of what the PyTorch model returns; else it is as much as the .NET model does (:mod:`.outputs`).
    ``by_path`` are other ``atol`` for modules (:class:`bridge.trace.diff.allowed.Allowed`). Gradients may differ by what the order of sums
    explains (:mod:`.flow`), unless ``exact``.
    Results that other tuples or keys hold are a difference, unless ``any_structure`` (:mod:`.containers`).
    Where one model raises, what both did until there is compared. With ``lockstep`` (None: if something differs) each C# module is run
    once more by itself, on what its counterpart received. Raises InputsError, and RunError when a model cannot run or both raise.
    """
    allowed = Allowed(rtol, atol, tuple(by_path))
    paths = [path for path, _ in python.named_modules()]
    if unused := allowed.unused(paths):
        raise InputsError(f"--atol: the PyTorch model has no module {unused[0]}.{near(unused[0], paths)}")
    given = inputs.bind(python)
    theirs = for_dotnet(python, dotnet, given)
    arguments = tuple(
        {name: value.to(device) if isinstance(value, torch.Tensor) else value for name, value in some.items()}
        for some in (given, theirs)
    )
    called = {
        name: next(key for key, one in given.items() if one is value)
        for name, value in theirs.items()
        if isinstance(value, torch.Tensor)
    }
    raised: list[ModelRaisedError] = []

    def ran(name: str, model: torch.nn.Module, some: dict[str, Any], choose: Callable[[Any], Any]) -> Run:
        step(f"running {name}")
        try:
            return run(model.to(device), some, train=train, backward=backward, seed=seed, choose=choose)
        except ModelRaisedError as error:
            raised.append(error)
            return error.run

    with one_thread():
        # .NET first: of what PyTorch returns, as much is compared, and propagated back from, as .NET gives.
        right = ran(".NET", dotnet, arguments[1], lambda result: result)
        chosen = outputs or AsMany(len(right.results), count(right.form))
        by_key = ByKey(right.form, chosen, some=outputs is None)
        left = ran("PyTorch", python, arguments[0], by_key)
    if len(raised) == 2:
        raise raised[1]
    if isinstance(dotnet, RemoteModule):
        # What it is given are copies.
        left, right = (replace(one, given={}) for one in (left, right))
    right = replace(right, given={called[name]: value for name, value in right.given.items()})
    step("comparing")
    found = laid_side_by_side(python, dotnet, left, right, allowed, backward=backward, exact=exact)
    # What an inner module returns by key is read by key only where it is run alone.
    keyed = frozenset() if found.differs else with_keys(left.trace, left.labels, python, dotnet)
    structure: list[Finding] = []
    if lockstep or (lockstep is None and (found.differs or keyed)):
        with one_thread():
            judged = judge_modules(
                python,
                dotnet,
                arguments[0],
                left.before,
                settings=found.settings,
                names=(left.runtime, right.runtime),
                tolerances=allowed.at,
                seed=seed,
                backward=backward,
                only=None if lockstep or found.differs else keyed,
                step=step,
            )
        if judged.leaf_orders:
            left = replace(left, **in_order(left.trace, left.labels, judged.leaf_orders))
            found = laid_side_by_side(python, dotnet, left, right, allowed, backward=backward, exact=exact)
        ended = found.raised_in if right.raised else None
        said = phrase_findings(judged, (left.runtime, right.runtime), ended)
        structure = [one for one in said if one.kind == "structure"]
        found = replace(found, found=(*found.found, *(one for one in said if one.kind != "structure")))

    def again() -> Comparison:
        with preserve_state(python, dotnet), one_thread():
            set_buffers(dotnet, right.before)
            there = ran(".NET with settings of PyTorch", dotnet, arguments[1], lambda result: result)
            there = replace(there, given={called[name]: value for name, value in there.given.items()})
            return laid_side_by_side(python, dotnet, left, there, allowed, backward=backward, exact=exact)

    found = replace(found, causes=setting_cause.causes(found, python, dotnet, again))
    around = differences(left.form, right.form, (left.runtime, right.runtime))
    structure[:0] = [Finding("structure", "", words) for words in around]
    if found.raised or any_structure:
        structure.clear()
    return replace(
        found,
        found=(*found.found, *chosen.said(), *by_key.said()),
        structure=tuple(structure),
        names=csharp_names(dotnet),
    )


def laid_side_by_side(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    left: Run,
    right: Run,
    allowed: Allowed = Allowed(),  # noqa: B008  # it is frozen
    *,
    backward: bool,
    exact: bool = False,
) -> Comparison:
    """Compares two runs that were made; where one ended early, the other's events until there."""
    if raised := left.raised or right.raised:
        left, right = _until(right, left) if left.raised else _until(left, right)[::-1]
    a, b, left_out = matched(left.trace, right.trace, left.labels, python, dotnet)
    found = diff(a, b, rtol=allowed.rtol, atol=allowed.atol, by_path=allowed.by_path)
    names = (left.runtime, right.runtime)
    tables = unsaved(python, dotnet)
    unlisted = tables if isinstance(dotnet, RemoteModule) else ()
    listed = {name: value for name, value in left.after.items() if name not in tables}
    buffers, largest_buffer = compare_named("buffer", listed, right.after, names, allowed=allowed.at)
    otherwise = settings(python, dotnet, names)
    told = {one.path for one in otherwise if one.name == "momentum"}
    buffers = [
        one if one.name.rpartition(".")[0] in told else _explained(one, (python, dotnet), left, right)
        for one in buffers
    ]
    flows = (left.gradients or {}, right.gradients or {})
    sums = {} if exact else roundings(*flows)
    notes = []
    if (left.gradients is None) != (right.gradients is None):
        without = left if left.gradients is None else right
        words = f"no result of {without.runtime} requires a gradient: look for no_grad or detach in its forward."
        gradients, largest_gradient = [NamedDifference("gradient", "", words)], 0.0
    else:
        gradients, largest_gradient = compare_named(
            "gradient", *flows, names, allowed=partial(_of_gradient, allowed, sums)
        )
        if sums and largest_gradient:
            notes.append(Finding("note", "", rounded(flows[0])))
    modules = (uncalled.registered(python), uncalled.registered(dotnet))
    bypassed = [
        Finding(
            "unseen",
            path,
            f"{path} was never called in {trace.runtime}, but its children were: most likely it was run by forward(), "
            "not call(), so its hooks never fired (C-3).",
            uncalled.fix(path, trace.runtime),
        )
        for trace, tree in ((a, modules[0]), (b, modules[1]))
        for path in uncalled.likely_bypassed(trace, tree)
        if path not in found.bypassed
    ]
    tolerance = None
    if found.numeric or buffers or gradients:
        plain = diff(a, b) if allowed else found
        beyond = {one.name for one in gradients}
        named = [
            *compare_named("buffer", listed, right.after, names)[0],
            *([one for one in compare_named("gradient", *flows, names)[0] if one.name in beyond] or gradients),
        ]
        tolerance = smallest(plain, named)
    return Comparison(
        left,
        right,
        found,
        tuple(_in_backward_order(gradients, a)),
        tuple(buffers),
        tuple(uncalled.missing_on_one_side(a, b, modules, names, reported=found.bypassed)),
        tuple(bypassed),
        tolerance,
        (nonfinite(a), nonfinite(b)),
        max(found.largest_difference, largest_buffer, largest_gradient),
        backward,
        otherwise,
        "" if raised else _hollow(a, found.compared),
        raised,
        unlisted,
        overwritten=() if raised else tuple(_overwritten(python, dotnet, left, right, allowed)),
        found=(*notes, *left_out, *(_without(name) for name in tables if not unlisted)),
    )


def _of_gradient(allowed: Allowed, sums: Mapping[str, float], name: str) -> tuple[float, float]:
    """The tolerance of a gradient: what was given for its module, or what the order of sums explains."""
    rtol, atol = allowed.at("" if name.startswith("input ") else name.rpartition(".")[0])
    return rtol, max(atol, sums.get(name, 0.0))


def _overwritten(
    python: torch.nn.Module, dotnet: torch.nn.Module, left: Run, right: Run, allowed: Allowed
) -> Iterator[NamedDifference]:
    """Yield the arguments and parameters that differ after the runs, which began with the same ones: a side has changed them in place."""
    names = (left.runtime, right.runtime)
    both = left.given.keys() & right.given.keys()
    given = [{name: one for name, one in run.given.items() if name in both} for run in (left, right)]
    yield from compare_named("argument", given[0], given[1], names, allowed=lambda _: allowed.at(""))[0]
    sides = []
    for model, made in ((python, left), (dotnet, right)):
        known = dict(model.named_parameters(remove_duplicate=False))
        sides.append({name: made.written.get(name, known.get(name)) for name in {**left.written, **right.written}})

    def tolerance(name: str) -> tuple[float, float]:
        return allowed.at(name.rpartition(".")[0])

    yield from compare_named("parameter", sides[0], sides[1], names, allowed=tolerance)[0]


def _without(table: str) -> Finding:
    words = f"{table} was not compared: it is a buffer that only pytorch has, and no part of its state_dict."
    return Finding("left out", table.rpartition(".")[0], words)


def _until(whole: Run, ended: Run) -> tuple[Run, Run]:
    """A run that ended early, and of the other what it did until there: as many events; buffers and gradients are not comparable."""
    events = whole.trace.events[: len(ended.trace)]
    trace = Trace(whole.trace.runtime, events, whole.trace.roots, whole.trace.header)
    return replace(ended, after={}, gradients={}), replace(whole, trace=trace, after={}, gradients={})


def nonfinite(trace: Trace) -> int:
    """The number of NaN and infinite elements in the values of a trace."""
    return sum(_bad(value) for event in trace for value in event.values)


def _hollow(trace: Trace, compared: int) -> str:
    """Why equal values would mean nothing: none were compared, or most of the results are no numbers, from which module on; else empty."""
    if not compared:
        return "no module that hooks see took or gave a tensor or a number"
    left = [event for event in trace if event.phase != "pre"]
    results = [value for event in left if event.parent == -1 for value in event.values if _is_float(value)]
    bad, numbers = sum(map(_bad, results)), sum(value.data.size for value in results if value.data is not None)
    if 2 * bad <= numbers:
        return ""
    entered = {event.call for event in trace if event.phase == "pre" and any(map(_bad, event.values))}
    first = next((event for event in left if event.call not in entered and any(map(_bad, event.values))), None)
    begin = f"first in what {first.path or 'the root'} ({first.type}) gives" if first else "as the inputs are"
    return f"{bad / numbers:.0%} of the numbers that the model returns are NaN or infinite, {begin}"


def _bad(value: Value) -> int:
    """The number of NaN and infinite elements."""
    return int(np.count_nonzero(~np.isfinite(value.data))) if value.data is not None and _is_float(value) else 0


def _is_float(value: Value) -> bool:
    return value.data is not None and value.data.dtype.kind in "fc"


def _explained(
    one: NamedDifference, models: tuple[torch.nn.Module, torch.nn.Module], left: Run, right: Run
) -> NamedDifference:
    path, _, name = one.name.rpartition(".")
    if name not in _STATISTICS or not all(
        one.name in side for side in (left.before, left.after, right.before, right.after)
    ):
        return one
    before, a, b = left.before[one.name], left.after[one.name], right.after[one.name]
    if not (before.shape == a.shape == b.shape and torch.equal(before, right.before[one.name])):
        return one
    momenta = [_momentum(model, path) for model in models]
    if a.equal(before) == b.equal(before) and momenta[0] == momenta[1]:
        return one  # it is known to be the same
    words = momentum_words(one.name, momenta[0], before, a, b, (left.runtime, right.runtime))
    return NamedDifference(one.kind, one.name, one.message + words, one.absolute, one.relative)


def _momentum(model: torch.nn.Module, path: str) -> float | None:
    """A module's; None where it has none, and where it does not tell."""
    try:
        known = getattr(model.get_submodule(path), "momentum", None)
    except AttributeError:
        return None
    return known if isinstance(known, float) else None


def _in_backward_order(found: list[NamedDifference], trace: Trace) -> list[NamedDifference]:
    """Last called module first: there the backward pass began; inputs come last."""
    order = {event.path: place for place, event in enumerate(trace)}
    return sorted(
        found, key=lambda one: -order.get(one.name.rpartition(".")[0], -1) if not one.name.startswith("input ") else 1
    )
