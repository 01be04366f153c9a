"""The calls of two traces brought to one form: arguments by the names of C#'s parameters, results without what C# does not return.

What one side has and the other lacks is left out on both, so that it never hides what comes after, and said once.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, get_args, get_origin

import torch

from bridge.compare.errors import InputsError
from bridge.compare.findings import Finding
from bridge.compare.io.outputs import kept
from bridge.compare.isolate.state_guard import is_builtin
from bridge.mirror import Mirror
from bridge.mirror.crossing.conversion import Default
from bridge.runtimes.binding import parameters_of, trailing, without_defaults
from bridge.runtimes.recording import trace_value
from bridge.torchsharp.process.remote_module import RemoteModule
from bridge.trace import Event, Trace, Value

#: Names of PyTorch's arguments and results, as :class:`bridge.runtimes.recording.Recording` has them.
Labels: TypeAlias = Mapping[tuple[int, str], Sequence[str]]
_EMPTY: Final = inspect.Parameter.empty
_SPREAD: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
#: Paths that a sentence spells out.
_PATHS: Final = 3


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a ``forward`` takes: names and defaults in order (``inspect.Parameter.empty`` for none), which are containers, and whether
    it takes further ones, by position or by name."""

    defaults: Mapping[str, Any]
    containers: frozenset[str] = frozenset()
    open: bool = False


def parameters(module: torch.nn.Module) -> Parameters | None:
    """Those of a module of either side; None where they are not known."""
    try:
        signature = inspect.signature(module.forward)
    except (TypeError, ValueError):
        signature = None
    if isinstance(module, Mirror):
        # A signature lacks what Python has no word for; the names are always known.
        written = {} if signature is None else signature.parameters
        if not (names := [name for name, _ in parameters_of(module)]):
            return None
        return Parameters(
            {name: written[name].default if name in written else _EMPTY for name in names},
            frozenset(name for name in names if name in written and _is_container(written[name].annotation)),
        )
    if signature is None:
        return None
    named = {name: one for name, one in signature.parameters.items() if one.kind not in _SPREAD}
    containers = (
        () if not isinstance(module, RemoteModule) else (n for n, one in named.items() if _is_container(one.annotation))
    )
    return Parameters(
        {name: one.default for name, one in named.items()},
        frozenset(containers),
        len(named) < len(signature.parameters),
    )


def _is_container(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", annotation) in (tuple, list, dict)


def partners(theirs: Sequence[str], names: Sequence[str], given: Collection[str] = ()) -> dict[str, str]:
    """For parameters of a C# ``forward`` (``theirs``) those of PyTorch's (``names``): of the same name, spelled either language's way;
    the others in order, and where there are not as many, those first that were ``given``."""
    known = {_plainly(name): name for name in reversed(names)}
    found = {name: known[_plainly(name)] for name in theirs if _plainly(name) in known}
    left = [name for name in theirs if name not in found]
    rest = [name for name in names if name not in found.values()]
    if len(left) < len(rest):
        passed = [name for name in rest if name in given]
        rest = passed if len(passed) == len(left) else rest
    return {**found, **dict(zip(left, rest, strict=False))}


def _plainly(name: str) -> str:
    return name.replace("_", "").lower()


def for_dotnet(python: torch.nn.Module, dotnet: torch.nn.Module, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the .NET model is given: PyTorch's arguments, by their names there, in the order of C#'s parameters.

    Left out are those that its ``forward`` has no parameter for and that have their default. Raises InputsError for others.
    """
    theirs = parameters_of(dotnet)
    taken = parameters(python)
    if not theirs or taken is None:
        return dict(given)
    defaults = [taken.defaults.get(name, _EMPTY) for name in given]
    passed = [name for name, default in zip(given, defaults, strict=True) if not trailing((given[name],), (default,))]
    pairs = partners([name for name, _ in theirs], list(given), passed)
    lacking = [name for name in passed if name not in pairs.values()]
    if lacking:
        names = ", ".join(name for name, _ in theirs)
        raise InputsError(
            f"the C# forward({names}) of {type(dotnet).__name__} cannot take {', '.join(lacking)} of the {len(given)} arguments "
            f"({', '.join(given)}) of the PyTorch model."
        )
    last = max((place for place, (name, _) in enumerate(theirs) if name in pairs), default=-1)
    return {
        (partner or name): given[partner] if partner else Default
        for name, partner in ((name, pairs.get(name)) for name, _ in theirs[: last + 1])
    }


@dataclass(frozen=True, slots=True)
class _Lack:
    """A value that one side has and the other, ``side``, lacks."""

    kind: str
    side: str
    name: str
    value: str


def matched(
    left: Trace, right: Trace, labels: Labels, python: torch.nn.Module, dotnet: torch.nn.Module
) -> tuple[Trace, Trace, list[Finding]]:
    """Both traces in one form, and what was left out of either, each once.

    ``labels`` are those of ``left``, PyTorch's. Arguments that the other side's ``forward`` has no parameter for are left
    out, also where they have no default; None beside results, and where C# gives one tensor of several, what it does not
    give. The root's results were chosen when they were made. Where no name is known, calls are left as they are.
    """
    both = tuple(
        {path: parameters(module) for path, module in model.named_modules(remove_duplicate=False)}
        for model in (python, dotnet)
    )
    others = {path for path, taken in both[0].items() if not _surely_alike(taken, both[1].get(path))}
    if not others and not any(phase == "forward" for _, phase in labels):
        # The common case: no event is made of what the recorders wrote.
        return left, without_defaults(right, python), []
    lacks: dict[_Lack, list[str]] = {}
    mine = {(event.path, event.phase, place): event for event, place in _numbered(left)}
    plain = without_defaults(right, python)
    new_left, new_right = list(left), list(plain)
    for row, (event, place) in enumerate(_numbered(right)):
        counterpart = mine.get((event.path, event.phase, place))
        if counterpart is None or (names := labels.get((counterpart.call, event.phase))) is None:
            continue
        if event.phase == "pre":
            if event.path not in others:
                continue
            found = _arguments(counterpart, event, names, both[0].get(event.path), both[1].get(event.path))
        else:
            found = _results(counterpart, event, names)
        if found is None:
            continue
        new_left[counterpart.seq] = replace(counterpart, values=found[0])
        new_right[row] = replace(event, values=found[1])
        for kind, side, name, value in found[2]:
            runtime = right.runtime if side else left.runtime
            paths = lacks.setdefault(_Lack(kind, runtime, name, value), [])
            if event.path not in paths:
                paths.append(event.path)
    return _with(left, new_left), _with(plain, new_right), _findings(lacks, left.runtime, right.runtime)


def unsaved(python: torch.nn.Module, dotnet: torch.nn.Module) -> tuple[str, ...]:
    """Buffers that only ``python`` has and that are not part of its state dict: tables that are made anew with the model."""
    saved, theirs = python.state_dict().keys(), dict(dotnet.named_buffers())
    return tuple(name for name, _ in python.named_buffers() if name not in saved and name not in theirs)


def returned(dotnet: torch.nn.Module) -> int:
    """How many tensors a C# module's ``forward`` is declared to return; 0 where that is not known."""
    try:
        # Of the class: another function may be in its place on the module.
        result = inspect.signature(type(dotnet).forward).return_annotation
    except (TypeError, ValueError):
        return 0
    if result is torch.Tensor:
        return 1
    items = get_args(result)
    if get_origin(result) is tuple:
        return len(items) if all(item is torch.Tensor for item in items) else 0
    return 1 if set(items) == {torch.Tensor, type(None)} else 0


def with_keys(trace: Trace, labels: Labels, python: torch.nn.Module, dotnet: torch.nn.Module) -> frozenset[str]:
    """The paths of modules inside that return something by key, or containers in containers, in PyTorch, and no single tensor in C#."""
    calls = {call for (call, phase), names in labels.items() if phase == "forward" and not all(map(str.isdigit, names))}
    theirs = dict(dotnet.named_modules(remove_duplicate=False))
    found = {event.path for event in trace if event.phase == "forward" and event.call in calls and event.path in theirs}
    return frozenset(
        path for path in found if path and not is_builtin(python.get_submodule(path)) and returned(theirs[path]) != 1
    )


def in_order(trace: Trace, labels: Labels, orders: Mapping[tuple[str, str], Sequence[int]]) -> dict[str, Any]:
    """The trace and its labels with the values of events, by path and phase, in another order: the places in it are given."""
    events, names = list(trace), dict(labels)
    for row, event in enumerate(events):
        places = orders.get((event.path, event.phase), ())
        if places and len(places) == len(event.values):
            events[row] = replace(event, values=tuple(event.values[place] for place in places))
            if len(known := names.get((event.call, event.phase), ())) == len(places):
                names[event.call, event.phase] = tuple(known[place] for place in places)
    return {"trace": _with(trace, events), "labels": names}


def _numbered(trace: Trace) -> Iterator[tuple[Event, int]]:
    """Each event, and how many of its path and phase came before it."""
    seen: Counter[tuple[str, str]] = Counter()
    for event in trace:
        key = (event.path, event.phase)
        yield event, seen[key]
        seen[key] += 1


def _with(trace: Trace, events: list[Event]) -> Trace:
    same = all(new is old for new, old in zip(events, trace, strict=True))
    return trace if same else Trace(trace.runtime, events, trace.roots, trace.header)


#: Both events' values, and what was left out: its kind, whether C# lacks it, its name, and what it is.
_Found: TypeAlias = tuple[tuple[Value, ...], tuple[Value, ...], list[tuple[str, bool, str, str]]]


def _arguments(
    event: Event, other: Event, names: Sequence[str], taken: Parameters | None, theirs: Parameters | None
) -> _Found | None:
    """The arguments of a call and of its counterpart; None where nothing is to be done."""
    if taken is None or theirs is None or len(names) != len(event.values):
        return None
    ours, csharp = list(taken.defaults), list(theirs.defaults)
    if _alike(ours, csharp, event, other):
        return None
    groups: dict[str, list[Value]] = {}
    for label, value in zip(names, event.values, strict=True):
        groups.setdefault(label.split(".")[0], []).append(value)
    if (foreign := _grouped(csharp, other.values, theirs.containers)) is None:
        return None
    given = [name for name, values in groups.items() if not _defaults(values, taken.defaults.get(name, _EMPTY))]
    pairs = partners(csharp, [*ours, *(name for name in groups if name not in taken.defaults)], given)
    lacking: list[tuple[str, bool, str, str]] = []
    left: list[Value] = []
    right: list[Value] = []
    spare = 0  # how many of the last are defaults on both sides
    for name in csharp:
        here = foreign.get(name, [])
        if (partner := pairs.get(name)) is None:
            if here and not _defaults(here, theirs.defaults[name]):
                lacking.append(("argument", False, name, _words(here)))
            continue
        default = _written(taken.defaults.get(partner))
        left += (mine := groups.get(partner, [default]))
        right += (there := here or [_written(theirs.defaults[name])])
        spare = spare + 1 if mine == there == [default] else 0
    left, right = left[: len(left) - spare], right[: len(right) - spare]
    used = set(pairs.values())
    for name in given:
        if name not in used:
            lacking.append(("argument", True, name, _words(groups[name])))
    return tuple(left), tuple(right), lacking


def _surely_alike(ours: Parameters | None, theirs: Parameters | None) -> bool:
    """Whether arguments correspond by position in every call, as they are: the same parameters, none of which C# may leave out."""
    if ours is None or theirs is None:
        return True
    same = [_plainly(name) for name in ours.defaults] == [_plainly(name) for name in theirs.defaults]
    return same and not ours.open and all(default is _EMPTY for default in theirs.defaults.values())


def _alike(ours: list[str], theirs: list[str], event: Event, other: Event) -> bool:
    """Whether arguments correspond by position as they are: the common case."""
    if len(event.values) > len(other.values):
        return False
    same = [_plainly(name) for name in theirs]
    mine = [_plainly(name) for name in ours]
    if len(mine) == len(same) == len(other.values):
        # Other names in the same places are a matter of taste; the same names in other places are another order.
        return not any(x != y and (x in same or y in mine) for x, y in zip(mine, same, strict=True))
    return len(mine) >= len(same) and mine[: len(same)] == same and len(event.values) == len(other.values)


def _grouped(names: list[str], values: Sequence[Value], containers: frozenset[str]) -> dict[str, list[Value]] | None:
    """Values by the parameters of C#, whose recorder opens containers; None where that is not known."""
    spare = len(values) - len(names)
    wide = [name for name in names if name in containers]
    if spare > 0 and len(wide) != 1:
        return None
    found: dict[str, list[Value]] = {}
    rest = list(values)
    for name in names:
        count = 1 + (spare if spare > 0 and name in wide else 0)
        found[name], rest = rest[:count], rest[count:]
    return {name: some for name, some in found.items() if some}


def _defaults(values: Sequence[Value], default: Any) -> bool:
    """Whether an argument is what it would be if it were left out; None where there is no default stands for nothing, too."""
    if len(values) != 1 or values[0].kind in ("tensor", "object"):
        return not values
    value = values[0]
    return value.kind == "none" if default is _EMPTY or default is None else value == _written(default)


def _written(default: Any) -> Value:
    return Value("none") if default is _EMPTY or isinstance(default, torch.Tensor) else trace_value(default, "none")


def _words(values: Sequence[Value]) -> str:
    return f"{values[0]}" if len(values) == 1 else f"{len(values)} values"


def _results(event: Event, other: Event, names: Sequence[str]) -> _Found | None:
    """The results of a call and of its counterpart; None where nothing is to be done."""
    if len(event.values) == len(other.values) or len(names) != len(event.values):
        return None
    right = tuple(value for value in other.values if value.kind != "none")
    places = kept(names, [value.kind == "none" for value in event.values], len(right), inner=bool(event.path))
    if places is None:
        return None
    left = tuple(event.values[place] for place in places)
    out = [place for place, value in enumerate(event.values) if place not in places and value.kind != "none"]
    return left, right, [("result", True, names[place], f"{event.values[place]}") for place in out]


def _findings(lacks: Mapping[_Lack, list[str]], ours: str, theirs: str) -> list[Finding]:
    """A sentence for each name, with all of its modules."""
    together: dict[tuple[str, str, str], tuple[str, list[str]]] = {}
    for lack, paths in lacks.items():
        key = (lack.kind, lack.side, lack.name)
        value, known = together.setdefault(key, (lack.value, []))
        known += [path for path in paths if path not in known]
    found = []
    for (kind, side, name), (value, paths) in together.items():
        has = ours if side == theirs else theirs
        words = (
            f"Differs only in an argument that {side} does not have: `{name}` ({value} in {has}), in {_modules(paths)}."
        )
        if kind == "result":
            words = (
                f"{_modules(paths)}: of what {has} returns, {side} does not: `{name}` ({value}); the rest is compared."
            )
        found.append(Finding("left out", paths[0], words))
    return found


def _modules(paths: list[str]) -> str:
    shown = [path or "the root" for path in paths]
    if len(shown) == 1:
        return shown[0]
    more = f" and {len(shown) - _PATHS} more" if len(shown) > _PATHS else ""
    return f"{len(shown)} modules ({', '.join(shown[:_PATHS])}{more})"
