"""A description of the first difference in the order of calls inside an enclosing call."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.trace import Event, Trace
from bridge.trace.diff.align import Row
from bridge.trace.diff.phrases import path_name


def describe_order(a: Trace, b: Trace, pairs: Sequence[Row], row: int, names: tuple[str, str]) -> str:
    """Describe the first difference between the inner calls of the two calls that enclose ``row``, one in each trace.

    Returns "" if the two calls are not aligned, if their inner calls are equal, or if the first difference is a call that only one of them
    has.
    """
    outer = _enclosing_calls(pairs, row)
    if outer is None:
        return ""
    some, others = (_called_paths(trace, call) for trace, call in zip((a, b), outer, strict=True))
    start = next((place for place, (x, y) in enumerate(zip(some, others, strict=False)) if x != y), None)
    if start is None:
        return ""
    left, right = some[start], others[start]
    if len(some) != len(others):
        longer, other = (some, right) if len(some) > len(others) else (others, left)
        if longer[start + 1 : start + 2] == [other]:
            return ""
    if len(some) == len(others):
        differ = [place for place, (x, y) in enumerate(zip(some, others, strict=True)) if x != y]
        if len(differ) == 2 and [some[place] for place in differ] == [others[place] for place in reversed(differ)]:
            return f" {path_name(left)} and {path_name(right)} are in each other's place."
    behind = f"After {path_name(some[start - 1])}" if start else "First"
    return f" {behind} {names[0]} calls {path_name(left)}, {names[1]} calls {path_name(right)}."


def _enclosing_calls(pairs: Sequence[Row], row: int) -> tuple[int, int] | None:
    """Return, for each trace, the number of the call that encloses a row (-1 for none). Returns None if the two calls are not aligned."""
    event = next((event for event in pairs[row] if event is not None), None)
    if event is None:
        return None
    side = 0 if pairs[row][0] is not None else 1
    if event.parent == -1:
        return -1, -1
    for x, y in pairs:
        if x is not None and y is not None and (x, y)[side].call == event.parent and x.phase == y.phase == "pre":
            return x.call, y.call
    return None


def _called_paths(trace: Trace, outer: int) -> list[str]:
    return [event.path for event in trace if event.parent == outer and _is_call(event)]


def _is_call(event: Event) -> bool:
    return event.phase == "bypass" or (event.phase == "pre" and event.hook == 0 and event.scope == "global")
