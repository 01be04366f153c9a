"""Which setting of a module explains what it does otherwise: with PyTorch's value of it, C#'s module does what PyTorch's does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from bridge.compare.isolate.matching import result_for
from bridge.compare.isolate.measures import measure
from bridge.compare.isolate.record import Call
from bridge.compare.isolate.replay import Outcome, run_alone
from bridge.compare.isolate.state_guard import is_torchs
from bridge.compare.models.settings import Setting, those_at

_NOTHING = object()


def proven(
    call: Call,
    module: torch.nn.Module,
    given: tuple[tuple[Any, ...], dict[str, Any]],
    outcome: Outcome,
    settings: Sequence[Setting],
    names: tuple[str, str],
) -> tuple[Setting, ...]:
    """The settings that make the C# module, ``module``, give ``outcome``: one, or as few as do; else none.

    With PyTorch's values of them it gives on what it was ``given`` what PyTorch's gave; of a class of the user's own, whose C# is not
    changed, PyTorch's with C#'s values gives the ``outcome``. Another class of PyTorch's own is one, where PyTorch's module does
    something else in that class.
    """
    known = those_at(settings, call.path)
    if classes := [one for one in known if one.name == "class"]:
        return tuple(classes) if _class_matters(call, module, outcome, names) else ()
    candidates = [*known, *_other_tensors(call, module, names)]
    if is_torchs(call.module) and is_torchs(module):
        return fewest(candidates, lambda some: _undo(some, call, module, given, names))
    return fewest(candidates, lambda some: _explain(some, call, module, outcome, names))


def fewest(candidates: Sequence[Setting], proves: Callable[[Sequence[Setting]], bool]) -> tuple[Setting, ...]:
    """The first that proves it by itself, or of all together those that it takes; none where all do not."""
    if (one := next((one for one in candidates if proves((one,))), None)) is not None:
        return (one,)
    if len(candidates) < 2 or not proves(candidates):
        return ()
    left = tuple(candidates)
    for one in candidates:
        fewer = tuple(other for other in left if other is not one)
        if len(fewer) > 1 and proves(fewer):
            left = fewer
    return left


def _class_matters(call: Call, module: torch.nn.Module, outcome: Outcome, names: tuple[str, str]) -> bool:
    """PyTorch's module, with all that it was made with and in the class that C# has, does not do what it did."""
    made = object.__new__(type(module))
    plain = {name: value for name, value in vars(module).items() if not name.startswith("_") and _plain(value)}
    vars(made).update(plain | vars(call.module))
    places: dict[torch.nn.Module, tuple[str, ...]] = {inner: (path,) for path, inner in _below(call)}
    try:
        there = run_alone(made, call, (call.args, call.kwargs), places)
    except Exception:  # there is no such module
        return False
    if there.raised is not None or outcome.raised is not None:
        return there.raised is not None and outcome.raised is not None
    return measure(call.result, there.result, 0.0, 0.0, names) is not None or any(
        name in there.after and measure(value, there.after[name], 0.0, 0.0, names) is not None
        for name, value in call.after.items()
    )


def _other_tensors(call: Call, module: torch.nn.Module, names: tuple[str, str]) -> Iterator[Setting]:
    """Parameters, and buffers that no run changed, which do not have the same numbers."""
    theirs = dict(module.named_parameters(recurse=False))
    for name, value in call.module.named_parameters(recurse=False):
        if name in theirs and (away := measure(value, theirs[name], 0.0, 0.0, names)) is not None:
            where = f"{call.path or 'the root'} ({type(call.module).__name__})"
            yield Setting(call.path, name, f"{where}: parameter {name} {away.words}: its weights are not the same.")


def _undo(
    settings: Sequence[Setting],
    call: Call,
    module: torch.nn.Module,
    given: tuple[tuple[Any, ...], dict[str, Any]],
    names: tuple[str, str],
) -> bool:
    """Whether C#'s module, set as PyTorch's is, does what that did."""
    with ExitStack() as stack:
        changed = [stack.enter_context(as_in(module, call.module, setting.name)) for setting in settings]
        if not all(changed):
            return False
        try:
            there = run_alone(module, call, given, {})
        except Exception:  # C#'s module cannot be made so
            return False
    wanted = result_for(module, call)
    return (
        there.raised is None
        and measure(wanted, there.result, 0.0, 0.0, names) is None
        and all(
            name not in there.after or measure(value, there.after[name], 0.0, 0.0, names) is None
            for name, value in call.after.items()
        )
    )


def _explain(
    settings: Sequence[Setting], call: Call, module: torch.nn.Module, outcome: Outcome, names: tuple[str, str]
) -> bool:
    original = call.module
    with ExitStack() as stack:
        changed = [stack.enter_context(as_in(original, module, setting.name)) for setting in settings]
        if not all(changed):
            return False
        try:
            places: dict[torch.nn.Module, tuple[str, ...]] = {inner: (path,) for path, inner in _below(call)}
            there = run_alone(original, call, (call.args, call.kwargs), places)
        except Exception:  # PyTorch's module cannot be made so
            return False
    if there.raised is not None or outcome.raised is not None:
        return there.raised is not None and outcome.raised is not None
    return (
        measure(there.result, outcome.result, 0.0, 0.0, names) is None
        and there.after.keys() == outcome.after.keys()
        and all(measure(value, outcome.after[name], 0.0, 0.0, names) is None for name, value in there.after.items())
    )


def _below(call: Call) -> Iterator[tuple[str, torch.nn.Module]]:
    for child in call.children:
        yield child.path, child.module
        yield from _below(child)


@contextmanager
def as_in(original: torch.nn.Module, module: torch.nn.Module, name: str) -> Iterator[bool]:
    """Meanwhile the original has that one of the module's settings, and what follows from it; False where it cannot be put there."""
    state, theirs = vars(original), vars(module)
    if name == "mode":
        before: dict[str, Any] = {"training": original.training}
        state["training"] = module.training
        tables: list[tuple[dict[str, Any], dict[str, Any]]] = [(state, before)]
    elif name in original._parameters or name in module._parameters:
        tables = [_swapped(original._parameters, name, module._parameters.get(name))]
    elif name in original._buffers or name in module._buffers:
        tables = [_swapped(original._buffers, name, module._buffers.get(name))]
    elif name in state and name in theirs:
        # What a constructor worked out of it, such as a convolution's padding on both sides of each dimension.
        derived = [key for key in state.keys() & theirs.keys() if key.startswith("_") and _plain(state[key])]
        before = {key: state[key] for key in (name, *derived)}
        state.update({key: theirs[key] for key in before})
        tables = [(state, before)]
    else:
        yield False
        return
    try:
        yield True
    finally:
        for table, values in tables:
            for key, value in values.items():
                if value is _NOTHING:
                    table.pop(key, None)
                else:
                    table[key] = value


def _swapped(table: dict[str, Any], name: str, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    before = {name: table.get(name, _NOTHING)}
    table[name] = value
    return table, before


def _plain(value: Any) -> bool:
    items = value if isinstance(value, (tuple, list)) else (value,)
    return all(isinstance(item, (bool, int, float, str, type(None))) for item in items)
