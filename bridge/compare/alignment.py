"""The alignment of arguments and results in the traces of a PyTorch model and its C# port.

Each of PyTorch's arguments is compared with the argument of the corresponding C# parameter. A value that only one of the two traces has,
such as a result that C# does not return, is left out of that trace. A finding reports the value, unless it is the default of its
parameter, or is None and there is no default.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin

import torch

from bridge.compare.errors import InputsError
from bridge.compare.findings import Finding
from bridge.compare.io.outputs import matching_results
from bridge.compare.isolate.state_guard import is_builtin
from bridge.compare.models.renamed_model import RenamedModel
from bridge.compare.run import ModelRun
from bridge.mirror import Mirror
from bridge.mirror.crossing.conversion import Default
from bridge.runtimes.binding import count_trailing_defaults, parameters_of, without_defaults
from bridge.runtimes.recording import trace_value
from bridge.torchsharp.process.remote_module import RemoteModule
from bridge.trace import Event, Trace, Value
from bridge.trace.diff.phrases import path_name
from hook_contract.output.sentences import join_some, plural

#: Names of PyTorch's arguments (phase ``pre``) and results (phase ``forward``), by call number and phase.
Labels: TypeAlias = Mapping[tuple[int, str], Sequence[str]]
_EMPTY: Final = inspect.Parameter.empty
VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_LISTED_PATHS: Final = 3


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a ``forward``."""

    #: The default of each parameter, by the parameter's name; ``inspect.Parameter.empty`` for a parameter without a default.
    defaults: Mapping[str, Any]
    #: For a C# module, the names of the parameters whose type is a container, such as a list.
    containers: frozenset[str] = frozenset()
    #: Whether ``forward`` has ``*args`` or ``**kwargs``.
    open: bool = False


def parameters(module: torch.nn.Module) -> Parameters | None:
    """Return the parameters of a module's ``forward``; None if they are not known."""
    try:
        signature = inspect.signature(module.forward)
    except (TypeError, ValueError):
        signature = None
    if isinstance(module, Mirror):
        # If Python cannot express a mirror's signature (a parameter's name is a keyword, for example), ``inspect`` shows only ``*args,
        # **kwargs``, so the names of the parameters come from C#.
        written = {} if signature is None else signature.parameters
        if not (names := [name for name, _ in parameters_of(module)]):
            return None
        return Parameters(
            {name: written[name].default if name in written else _EMPTY for name in names},
            frozenset(name for name in names if name in written and _is_container(written[name].annotation)),
        )
    if signature is None:
        return None
    named = {name: parameter for name, parameter in signature.parameters.items() if parameter.kind not in VARIADIC}
    remote = isinstance(module, RemoteModule)
    containers = (name for name, parameter in named.items() if remote and _is_container(parameter.annotation))
    defaults = {name: parameter.default for name, parameter in named.items()}
    return Parameters(defaults, frozenset(containers), len(named) < len(signature.parameters))


def _is_container(annotation: Any) -> bool:
    """Return whether a parameter takes a container, or a container or null."""
    if get_origin(annotation) in (Union, UnionType):
        return any(map(_is_container, get_args(annotation)))
    return getattr(annotation, "__origin__", annotation) in (tuple, list, dict)


def partners(theirs: Sequence[str], names: Sequence[str], given: Collection[str] = ()) -> dict[str, str]:
    """Pair the C# parameters ``theirs`` with PyTorch's parameters ``names``. The result maps C#'s names to PyTorch's.

    Parameters whose names are equal apart from case and underscores are partners. The remaining parameters are paired in order. Let n be
    the number of C# parameters that remain: if more of PyTorch's remain and exactly n of them are in ``given``, only these n are paired.
    """
    known = {_normalized(name): name for name in reversed(names)}
    found = {name: known[_normalized(name)] for name in theirs if _normalized(name) in known}
    left = [name for name in theirs if name not in found]
    rest = [name for name in names if name not in found.values()]
    if len(left) < len(rest):
        passed = [name for name in rest if name in given]
        rest = passed if len(passed) == len(left) else rest
    return {**found, **dict(zip(left, rest, strict=False))}


def _normalized(name: str) -> str:
    return name.replace("_", "").lower()


def dotnet_arguments(python: torch.nn.Module, dotnet: torch.nn.Module, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return PyTorch's arguments ``given``, by PyTorch's names but in the order of C#'s parameters.

    A C# parameter without an argument gets ``Default`` (its default value), under its own name, if a later parameter has an argument. An
    argument for which C# has no parameter is left out if it equals the default of PyTorch's parameter; otherwise, InputsError is raised. If
    the parameters of either ``forward`` are not known, ``given`` is returned unchanged.
    """
    own = dotnet.model if isinstance(dotnet, RenamedModel) else dotnet
    theirs = parameters_of(own)
    known = parameters(python)
    if not theirs or known is None:
        return dict(given)
    defaults = [known.defaults.get(name, _EMPTY) for name in given]
    passed = [
        name
        for name, default in zip(given, defaults, strict=True)
        if not count_trailing_defaults((given[name],), (default,))
    ]
    pairs = partners([name for name, _ in theirs], list(given), passed)
    lacking = [name for name in passed if name not in pairs.values()]
    if lacking:
        names = ", ".join(name for name, _ in theirs)
        raise InputsError(
            f"the C# forward({names}) of {type(own).__name__} cannot take {', '.join(lacking)} of the "
            f"{plural(len(given), 'argument')} ({', '.join(given)}) of the PyTorch model."
        )
    last = max((place for place, (name, _) in enumerate(theirs) if name in pairs), default=-1)
    return {
        (partner or name): given[partner] if partner else Default
        for name, partner in ((name, pairs.get(name)) for name, _ in theirs[: last + 1])
    }


@dataclass(frozen=True, slots=True)
class _MissingValue:
    """An argument or result that the runtime ``lacking`` does not have."""

    kind: str
    lacking: str
    name: str
    value: str


def match_calls(
    left: Trace, right: Trace, labels: Labels, python: torch.nn.Module, dotnet: torch.nn.Module
) -> tuple[Trace, Trace, list[Finding]]:
    """Return both traces, changed so that arguments and results correspond, and findings on the values that only one trace has.

    ``labels`` belong to ``left``, PyTorch's trace. Arguments for which the other ``forward`` has no parameter are left out. If the
    numbers of results differ and :func:`matching_results` chooses some of PyTorch's results, PyTorch's other results and C#'s None results
    are left out, too.
    """
    signatures = tuple(
        {path: parameters(module) for path, module in model.named_modules(remove_duplicate=False)}
        for model in (python, dotnet)
    )
    unaligned = {
        path for path, known in signatures[0].items() if not _always_correspond(known, signatures[1].get(path))
    }
    if not unaligned and not any(phase == "forward" for _, phase in labels):
        # Iterating over a trace would create its Event objects, which this common case does not need.
        return left, without_defaults(right, python), []
    missing: dict[_MissingValue, list[str]] = {}
    mine = {(event.path, event.phase, place): event for event, place in _numbered(left)}
    plain = without_defaults(right, python)
    new_left, new_right = list(left), list(plain)
    for row, (event, place) in enumerate(_numbered(right)):
        counterpart = mine.get((event.path, event.phase, place))
        if counterpart is None or (names := labels.get((counterpart.call, event.phase))) is None:
            continue
        if event.phase == "pre":
            if event.path not in unaligned:
                continue
            found = _match_arguments(
                counterpart, event, names, signatures[0].get(event.path), signatures[1].get(event.path)
            )
        else:
            found = _match_results(counterpart, event, names)
        if found is None:
            continue
        new_left[counterpart.seq] = replace(counterpart, values=found[0])
        new_right[row] = replace(event, values=found[1])
        for kind, side, name, value in found[2]:
            runtime = right.runtime if side else left.runtime
            paths = missing.setdefault(_MissingValue(kind, runtime, name, value), [])
            if event.path not in paths:
                paths.append(event.path)
    return _with_events(left, new_left), _with_events(plain, new_right), _findings(missing, left.runtime, right.runtime)


def nonpersistent_buffers(python: torch.nn.Module, dotnet: torch.nn.Module) -> tuple[str, ...]:
    """Return the names of the non-persistent buffers that only ``python`` has, such as tables that the constructor computes."""
    saved, theirs = python.state_dict().keys(), dict(dotnet.named_buffers())
    return tuple(name for name, _ in python.named_buffers() if name not in saved and name not in theirs)


def count_returned(dotnet: torch.nn.Module) -> int:
    """Return how many tensors a C# module's ``forward`` is declared to return.

    Return 1 for a tensor that may be null, and 0 if the declared result is unknown or is neither a tensor nor a tuple of tensors.
    """
    try:
        # The method of the class is read, since an attribute of the instance may replace it.
        result = inspect.signature(type(dotnet).forward).return_annotation
    except (TypeError, ValueError):
        return 0
    if result is torch.Tensor:
        return 1
    items = get_args(result)
    if get_origin(result) is tuple:
        return len(items) if all(item is torch.Tensor for item in items) else 0
    return 1 if set(items) == {torch.Tensor, type(None)} else 0


def keyed_modules(trace: Trace, labels: Labels, python: torch.nn.Module, dotnet: torch.nn.Module) -> frozenset[str]:
    """Return the paths of inner modules whose PyTorch result has keys or nested tuples.

    A module is left out if C# lacks it or declares that it returns a single tensor, or if its PyTorch class is built-in
    (:func:`is_builtin`).
    """
    calls = {call for (call, phase), names in labels.items() if phase == "forward" and not all(map(str.isdigit, names))}
    theirs = dict(dotnet.named_modules(remove_duplicate=False))
    found = {event.path for event in trace if event.phase == "forward" and event.call in calls and event.path in theirs}
    return frozenset(
        path
        for path in found
        if path and not is_builtin(python.get_submodule(path)) and count_returned(theirs[path]) != 1
    )


def reorder_values(run: ModelRun, orders: Mapping[tuple[str, str], Sequence[int]]) -> ModelRun:
    """Return the run with the values of some events in another order.

    ``orders`` maps the path and phase of an event to the old positions of its values, in the new order.
    """
    events, labels = list(run.trace), dict(run.labels)
    for row, event in enumerate(events):
        places = orders.get((event.path, event.phase), ())
        if places and len(places) == len(event.values):
            events[row] = replace(event, values=tuple(event.values[place] for place in places))
            if len(known := labels.get((event.call, event.phase), ())) == len(places):
                labels[event.call, event.phase] = tuple(known[place] for place in places)
    return replace(run, trace=_with_events(run.trace, events), labels=labels)


def _numbered(trace: Trace) -> Iterator[tuple[Event, int]]:
    """Yield each event, and the number of earlier events of the same path and phase."""
    seen: Counter[tuple[str, str]] = Counter()
    for event in trace:
        key = (event.path, event.phase)
        yield event, seen[key]
        seen[key] += 1


def _with_events(trace: Trace, events: list[Event]) -> Trace:
    same = all(new is old for new, old in zip(events, trace, strict=True))
    return trace if same else Trace(trace.runtime, events, trace.roots, trace.header)


#: The new values of PyTorch's event, the new values of C#'s event, and a tuple for each value that only one of the events has: its kind
#: (``argument`` or ``result``), whether C# lacks it, its name and its text.
_Matched: TypeAlias = tuple[tuple[Value, ...], tuple[Value, ...], list[tuple[str, bool, str, str]]]


def _match_arguments(
    event: Event, other: Event, names: Sequence[str], ours: Parameters | None, theirs: Parameters | None
) -> _Matched | None:
    """Match the arguments of a PyTorch call, ``event``, and of its C# counterpart, ``other``.

    Return None if both events stay unchanged.
    """
    if ours is None or theirs is None or len(names) != len(event.values):
        return None
    python, csharp = list(ours.defaults), list(theirs.defaults)
    if _correspond_by_position(python, csharp, event, other):
        return None
    groups: dict[str, list[Value]] = {}
    for label, value in zip(names, event.values, strict=True):
        groups.setdefault(label.split(".")[0], []).append(value)
    if (foreign := _group_by_parameter(csharp, other.values, theirs.containers)) is None:
        return None
    given = [name for name, values in groups.items() if not _is_default(values, ours.defaults.get(name, _EMPTY))]
    pairs = partners(csharp, [*python, *(name for name in groups if name not in ours.defaults)], given)
    lacking: list[tuple[str, bool, str, str]] = []
    left: list[Value] = []
    right: list[Value] = []
    defaults = 0  # the number of trailing parameters for which both values equal PyTorch's default
    for name in csharp:
        passed = foreign.get(name, [])
        if (partner := pairs.get(name)) is None:
            if passed and not _is_default(passed, theirs.defaults[name]):
                lacking.append(("argument", False, name, _format_values(passed)))
            continue
        default = _default_value(ours.defaults.get(partner))
        left += (mine := groups.get(partner, [default]))
        right += (other_values := passed or [_default_value(theirs.defaults[name])])
        defaults = defaults + 1 if mine == other_values == [default] else 0
    left, right = left[: len(left) - defaults], right[: len(right) - defaults]
    used = set(pairs.values())
    for name in given:
        if name not in used:
            lacking.append(("argument", True, name, _format_values(groups[name])))
    return tuple(left), tuple(right), lacking


def _always_correspond(ours: Parameters | None, theirs: Parameters | None) -> bool:
    """Return whether the arguments of every call correspond by position.

    They do if the parameters have equal names in the same order (apart from case and underscores), PyTorch's ``forward`` has no ``*args``
    or ``**kwargs``, and C#'s parameters have no defaults. If the parameters in PyTorch or C# are unknown, correspondence is assumed.
    """
    if ours is None or theirs is None:
        return True
    same = [_normalized(name) for name in ours.defaults] == [_normalized(name) for name in theirs.defaults]
    return same and not ours.open and all(default is _EMPTY for default in theirs.defaults.values())


def _correspond_by_position(ours: list[str], theirs: list[str], event: Event, other: Event) -> bool:
    """Return whether the arguments of two calls correspond by position."""
    if len(event.values) > len(other.values):
        return False
    same = [_normalized(name) for name in theirs]
    mine = [_normalized(name) for name in ours]
    if len(mine) == len(same) == len(other.values):
        # Different names at the same position may mean the same parameter, but an equal name at another position means another order.
        return not any(x != y and (x in same or y in mine) for x, y in zip(mine, same, strict=True))
    return len(mine) >= len(same) and mine[: len(same)] == same and len(event.values) == len(other.values)


def _group_by_parameter(
    names: list[str], values: Sequence[Value], containers: frozenset[str]
) -> dict[str, list[Value]] | None:
    """Return the values of a C# call by parameter.

    The recorder flattens an argument that is a container, so there may be more values than parameters. The additional values belong to the
    only parameter that is a container. If there are additional values and not exactly one such parameter, return None.
    """
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


def _is_default(values: Sequence[Value], default: Any) -> bool:
    """Return whether an argument equals the default of its parameter.

    For a parameter without a default, the argument None counts as equal. An argument without values, such as an empty list, always counts
    as equal; a tensor, another object, or an argument of several values never does.
    """
    if len(values) != 1 or values[0].kind in ("tensor", "object"):
        return not values
    value = values[0]
    return value.kind == "none" if default is _EMPTY or default is None else value == _default_value(default)


def _default_value(default: Any) -> Value:
    return Value("none") if default is _EMPTY or isinstance(default, torch.Tensor) else trace_value(default, "none")


def _format_values(values: Sequence[Value]) -> str:
    return f"{values[0]}" if len(values) == 1 else f"{len(values)} values"


def _match_results(event: Event, other: Event, names: Sequence[str]) -> _Matched | None:
    """Match the results of a PyTorch call, ``event``, and of its C# counterpart, ``other``.

    Return None if both events stay unchanged.
    """
    if len(event.values) == len(other.values) or len(names) != len(event.values):
        return None
    right = tuple(value for value in other.values if value.kind != "none")
    places = matching_results(
        names, [value.kind == "none" for value in event.values], len(right), inner=bool(event.path)
    )
    if places is None:
        return None
    left = tuple(event.values[place] for place in places)
    out = [place for place, value in enumerate(event.values) if place not in places and value.kind != "none"]
    return left, right, [("result", True, names[place], f"{event.values[place]}") for place in out]


def _findings(missing: Mapping[_MissingValue, list[str]], ours: str, theirs: str) -> list[Finding]:
    """Return a finding for each argument or result that PyTorch or C# lacks, with the modules concerned."""
    together: dict[tuple[str, str, str], tuple[str, list[str]]] = {}
    for lack, paths in missing.items():
        key = (lack.kind, lack.lacking, lack.name)
        value, known = together.setdefault(key, (lack.value, []))
        known += [path for path in paths if path not in known]
    found = []
    for (kind, side, name), (value, paths) in together.items():
        has = ours if side == theirs else theirs
        words = f"{_modules(paths)}: {side} has no parameter for the argument `{name}` ({value} in {has}), which was not compared."
        if kind == "result":
            words = f"{_modules(paths)}: {side} does not return `{name}` ({value} in {has}); the other results are compared."
        found.append(Finding("left out", paths[0], words))
    return found


def _modules(paths: list[str]) -> str:
    if len(paths) == 1:
        return path_name(paths[0])
    return f"{len(paths)} modules ({join_some([path_name(path) for path in paths], _LISTED_PATHS)})"
