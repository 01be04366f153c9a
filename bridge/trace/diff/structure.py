"""Descriptions of structural differences."""

from __future__ import annotations

from bridge.trace import Event
from bridge.trace.diff.align import CallNode, StructuralFinding, calls_in, walk
from bridge.trace.diff.difference import Difference
from bridge.trace.diff.phrases import call_of, ordinal, path_name, times
from hook_contract.output.sentences import plural


def describe_finding(finding: StructuralFinding, names: tuple[str, str], places: Places) -> Difference:
    """Return the difference that a finding represents, with its description."""
    item = finding.a or finding.b
    assert item is not None
    kind, message, clause, fix = finding.kind, "", "C-9", ""
    if kind == "bypass":
        assert isinstance(finding.a, CallNode)
        assert isinstance(finding.b, CallNode)
        kind = "added" if finding.a.bypassed else "lost"
        run = finding.a if finding.a.bypassed else finding.b
        clause, message, fix = "C-3", *_bypass_words(run, names[not finding.a.bypassed])
        item = finding.b if finding.a.bypassed else finding.a
    elif kind == "moved":
        clause, message = _moved_words(finding, names, places)
    else:
        here, there = names if finding.a is not None else names[::-1]
        mine, theirs = finding.times if finding.a is not None else finding.times[::-1]
        if isinstance(item, CallNode):
            inner = sum(1 for _ in calls_in(item))
            more = f" (with {plural(inner, 'call')} inside)" if inner else ""
            outer = f" inside {path_name(item.parent.path)}" if item.parent and item.parent.parent else ""
            if item.bypassed:
                clause, (message, fix) = "C-3", _bypass_words(item, here)
                message += f" In {there}, the module is not run at this point."
            elif theirs:
                message = f"{path_name(item.path)} is called {times(mine)}{outer} in {here}{more}, "
                message += f"and {times(theirs)} in {there}."
            else:
                message = f"{path_name(item.path)} is called{outer} in {here}{more} and not in {there}."
        else:
            clause = "C-6"
            message = f"{path_name(item.path)}: a {item.scope} {item.phase} event (hook {item.hook}) happened "
            message += (
                f"{times(mine)} in {here} and {times(theirs)} in {there}."
                if theirs
                else f"in {here} and not in {there}."
            )
            if item.phase == "forward" and not theirs:
                message += " The call may have raised."
    calls, positions = _where(finding)
    phase = item.phase if isinstance(item, Event) else "bypass" if item.bypassed else "pre"
    return Difference(
        kind, clause, item.path, phase, message, item.type, calls, positions, finding.row, finding.other_row, fix=fix
    )


def _where(finding: StructuralFinding) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    calls: list[int | None] = []
    positions: list[int | None] = []
    for item in (finding.a, finding.b):
        first = item if isinstance(item, Event) else next(walk(item), None) if item is not None else None
        calls.append(None if first is None or first.call < 0 else first.call)
        positions.append(None if first is None else first.seq)
    return (calls[0], calls[1]), (positions[0], positions[1])


def _bypass_words(call: CallNode, runtime: str) -> tuple[str, str]:
    """Return a sentence about a direct call of ``forward()``, and the code that calls the module with its hooks."""
    write = call_of(call.path, runtime)
    if any(isinstance(item, Event) for item in call.items):
        return f"{path_name(call.path)} was run by forward(), not call(), in {runtime}: its hooks never fired.", write
    words = f"{path_name(call.path)} was not called in {runtime}, but its children were, as when its forward() is run directly"
    return f"{words}: its hooks never fired.", write


def _moved_words(finding: StructuralFinding, names: tuple[str, str], places: Places) -> tuple[str, str]:
    a, b, (outer_a, outer_b) = finding.a, finding.b, finding.parents
    assert a is not None
    assert b is not None
    assert outer_a is not None
    assert outer_b is not None
    if isinstance(a, Event):
        scopes = {item.scope for item in outer_a.items if isinstance(item, Event) and item.phase == a.phase}
        here, there = places.number(a, outer_a), places.number(b, outer_b)
        words = f"{path_name(outer_a.path)}: the {a.scope} {a.phase} hook {a.hook} fires as event {here} of the call"
        return ("O-1" if len(scopes) > 1 else "O-2"), f"{words} in {names[0]}, but as event {there} in {names[1]}."
    assert isinstance(b, CallNode)
    place_a, place_b = places.words(a, outer_a), places.words(b, outer_b)
    return "C-9", f"{path_name(a.path)} is called {place_a} in {names[0]}, but {place_b} in {names[1]}."


class Places:
    """The positions of events and calls within their enclosing calls, computed once for each enclosing call."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, type], tuple[CallNode, list[Event | CallNode], dict[int, int]]] = {}

    def _of(self, item: Event | CallNode, outer: CallNode) -> tuple[list[Event | CallNode], int]:
        """Return the items inside ``outer`` that are of the type of ``item`` (event or call), and the index of ``item`` among them."""
        key = (id(outer), type(item))
        if key not in self._known:
            same = [entry for entry in outer.items if type(entry) is type(item)]
            self._known[key] = (outer, same, {id(entry): index for index, entry in enumerate(same)})
        _, same, index = self._known[key]
        return same, index[id(item)]

    def number(self, item: Event | CallNode, outer: CallNode) -> int:
        return self._of(item, outer)[1] + 1

    def words(self, call: CallNode, outer: CallNode) -> str:
        """Return the position of a call within its enclosing call, such as '3rd inside block1, after conv1'."""
        inside, index = self._of(call, outer)
        words = ordinal(index + 1) + (f" inside {path_name(outer.path)}" if outer.parent else "")
        if index:
            return f"{words}, after {path_name(inside[index - 1].path)}"
        return f"{words}, before {path_name(inside[1].path)}" if len(inside) > 1 else words
