"""Random pairs: a random trace, and the same trace after random changes of its calls or its events."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bridge.trace import PHASES, SCOPES, Event, Header, Trace, Value
from trace_pairs.calls import Call, record, tensor
from trace_pairs.corpus import Pair, TraceFile

_NAMES: Final = ("conv", "act", "0", "1", "fc")
_RUNTIMES: Final = ("pytorch", "dotnet", "torchsharp")
_TOLERANCES: Final = (0.0, 0.0, 0.001, 0.1, 1.0)


def pairs(seed: int, count: int) -> Iterator[Pair]:
    """Yield random pairs."""
    for number in range(count):
        source = random.Random(f"{seed}:{number}")
        make = _changed_calls if number % 3 else _changed_events
        a, b = make(source)
        rtol, atol = source.choice(_TOLERANCES), source.choice(_TOLERANCES)
        yield Pair(f"random {number}", TraceFile.of(a), TraceFile.of(b), rtol, atol)


def _changed_calls(source: random.Random) -> tuple[Trace, Trace]:
    recorded = source.choice(("none", "digest", "digest", "full", "full"))
    a = [_call(source, "", recorded, source.choice((1, 2, 2, 2))) for _ in range(source.choice((1, 1, 1, 2)))]
    b = copy.deepcopy(a)
    for _ in range(source.choice((0, 1, 1, 1, 2, 3, 5))):
        _change(source, b, recorded)
    runtimes = source.sample(_RUNTIMES, 2) if source.random() < 0.8 else ["pytorch", "pytorch"]
    unseen = _hide(source, b) if source.random() < 0.25 else ()
    return record(a, runtimes[0]), record(b, runtimes[1], unseen=unseen)


def _changed_events(source: random.Random) -> tuple[Trace, Trace]:
    a = record([_call(source, "", source.choice(("none", "digest")), 2)])
    events = list(a.events)
    for _ in range(source.choice((1, 1, 2, 3))):
        _change_event(source, events)
    if source.random() < 0.8:
        events = [replace(event, seq=number) for number, event in enumerate(events)]
    return a, Trace("dotnet", events, header=Header("dotnet"))


def _hide(source: random.Random, roots: list[Call]) -> tuple[str, ...]:
    """Remove the calls inside one of the calls, as if it ran as native code, and return some of their paths."""
    outer = [call for root in roots for call in _inside(root) if call.children]
    if not outer:
        return ()
    call = source.choice(outer)
    paths = sorted({inner.path for inner in _inside(call)} - {call.path})
    call.children.clear()
    return tuple(path for path in paths if source.random() < 0.8)


def _call(source: random.Random, path: str, recorded: str, depth: int) -> Call:
    names = source.choices(_NAMES, k=source.choice((0, 1, 1, 2, 3))) if depth else []
    children = [_call(source, f"{path}.{name}".lstrip("."), recorded, depth - 1) for name in names]
    how = source.choices(("call", "bypass", "silent", "raised"), (20, 1, 1, 1))[0]
    return Call(path, children, _values(source, recorded), _values(source, recorded), how, hooks=_hooks(source))


def _hooks(source: random.Random) -> tuple[tuple[str, int], ...]:
    if source.random() < 0.9:
        return (("global", 0),)
    return tuple(source.sample([("global", 0), ("global", 1), ("module", 0), ("module", 1)], source.randint(1, 3)))


def _values(source: random.Random, recorded: str) -> tuple[Value, ...]:
    return tuple(_value(source, recorded) for _ in range(source.choice((0, 1, 1, 1, 1, 1, 2))))


def _value(source: random.Random, recorded: str) -> Value:
    if source.random() < 0.85:
        dtype = source.choices(("float32", "float64", "int64", "complex64", "bool"), (12, 1, 1, 1, 1))[0]
        numbers = [source.choice((0, 1, 2, 2.0005, 2.05)) for _ in range(source.choice((1, 1, 2, 3)))]
        if dtype.startswith("float") and source.random() < 0.1:
            numbers[0] = source.choice((float("nan"), float("inf"), -float("inf")))
        device = "cpu" if source.random() < 0.98 else "cuda:0"
        return tensor(np.array(numbers), recorded, np.dtype(dtype), device)
    literal: Any = source.choice((None, 1, 2, 1.0, 1.5, True, "sum", float("nan")))
    kinds = {bool: "bool", int: "int", float: "float", str: "str", type(None): "none"}
    return Value(kinds[type(literal)], literal=literal)


def _change(source: random.Random, roots: list[Call], recorded: str) -> None:
    """Change something in one of the calls."""
    lists = [roots, *(call.children for root in roots for call in _inside(root))]
    filled = [calls for calls in lists if calls]
    if not filled:
        roots.append(_call(source, "", recorded, 1))
        return
    calls = source.choice(filled)
    place = source.randrange(len(calls))
    call = calls[place]
    changes: tuple[Callable[[], Any], ...] = (
        lambda: calls.pop(place),
        lambda: calls.insert(place, copy.deepcopy(call)),
        lambda: calls.insert(place, _call(source, f"{call.path}new", recorded, 1)),
        lambda: calls.insert(source.randrange(len(calls)), calls.pop(place)),
        lambda: source.choice(lists).append(copy.deepcopy(call)),
        lambda: setattr(call, "how", source.choice(("call", "bypass", "silent", "raised"))),
        lambda: setattr(call, "given", _values(source, recorded)),
        lambda: setattr(call, "result", _values(source, recorded)),
        lambda: setattr(call, "result", _values(source, source.choice(("none", "digest", "full")))),
        lambda: setattr(call, "hooks", _hooks(source)),
        lambda: setattr(call, "type", source.choice(("Other", "unit", "uint8"))),
    )
    source.choice(changes)()


def _inside(call: Call) -> Iterator[Call]:
    yield call
    for child in call.children:
        yield from _inside(child)


def _change_event(source: random.Random, events: list[Event]) -> None:
    """Change an event, as no recorder would."""
    if not events:
        return
    place = source.randrange(len(events))
    event = events[place]
    near = source.randrange(-1, len(events))
    changes: tuple[Callable[[], Any], ...] = (
        lambda: events.pop(place),
        lambda: events.insert(source.randrange(len(events)), events.pop(place)),
        lambda: events.insert(place, event),
        lambda: events.__setitem__(place, replace(event, call=near)),
        lambda: events.__setitem__(place, replace(event, parent=near)),
        lambda: events.__setitem__(place, replace(event, phase=source.choice(PHASES))),
        lambda: events.__setitem__(place, replace(event, scope=source.choice(SCOPES))),
        lambda: events.__setitem__(place, replace(event, hook=source.randrange(3))),
        lambda: events.__setitem__(place, replace(event, path=source.choice(("", "conv", "conv.0", "fc")))),
        lambda: events.__setitem__(place, replace(event, values=_values(source, "digest"))),
    )
    source.choice(changes)()
