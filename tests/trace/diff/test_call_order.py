"""bridge/trace/diff/call_order.py: what is called in another's place (C-9)."""

from __future__ import annotations

import pytest

from bridge.trace import Event, Trace
from bridge.trace.diff import diff


def trace(runtime: str, *children: str) -> Trace:
    """Return the trace of a root that calls these children one after the other, through a container."""
    events = [Event(0, "", "Net", "pre", 0, -1), Event(1, "block", "Block", "pre", 1, 0)]
    for number, child in enumerate(children):
        for phase in ("pre", "forward"):
            events.append(Event(len(events), f"block.{child}", "Linear", phase, 2 + number, 1))
    events.append(Event(len(events), "block", "Block", "forward", 1, 0))
    return Trace(runtime, [*events, Event(len(events), "", "Net", "forward", 0, -1)])


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        ("ab", "ac", "After block.a pytorch calls block.b, dotnet calls block.c."),
        ("ab", "bb", "First pytorch calls block.a, dotnet calls block.b."),
        ("abc", "bac", "block.a and block.b are in each other's place."),
        ("abc", "cba", "block.a and block.c are in each other's place."),
        ("abc", "ac", ""),
        ("ac", "abc", ""),
    ],
)
def test_what_is_called_in_the_place_of_what(mine: str, theirs: str, words: str) -> None:
    said = diff(trace("pytorch", *mine), trace("dotnet", *theirs)).explain().splitlines()[0]
    assert words in said
    assert words or " calls " not in said
    assert ("in each other's place" in said) == ("in each other's place" in words)
