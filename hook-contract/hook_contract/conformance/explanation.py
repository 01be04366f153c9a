"""The search for the row of the ledger (a known divergence) that explains the difference between two traces of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from hook_contract.contract.ledger import Divergence
from hook_contract.program import Json
from hook_contract.program.events import Event, first_difference, key


def explains(row: Divergence, expected: Sequence[Event], got: Sequence[Event]) -> bool:
    """Return whether two traces differ exactly as the row describes."""
    found = first_difference(expected, got)
    if found is None:
        return False
    start = found.number - 1
    return any(
        key(list(got[end:])) == key(list(expected[stop:]) if row.goes_on else [])
        for stop in _ends(row.expected, expected, start)
        for end in _ends(row.got, got, start)
    )


def shows(row: Divergence, expected: Sequence[Event], got: Sequence[Event]) -> bool:
    """Return whether the first difference of two traces is the divergence of a row. The row need not list the program.

    If the row has a ``sign``, it must match an event of either trace, from the first difference to the next ``return`` or ``raise`` event.
    Otherwise, the events at the first difference must match the first patterns of the row's ``expected`` and ``got`` that have no
    ``times = "any"``. If one of them has no such pattern, only the other must match; if both have none, returns False. The rest of
    the traces is not compared. The events of a thread are inserted after the thread's own event.
    """
    flat_expected, flat_got = list(_flatten(expected)), list(_flatten(got))
    found = first_difference(flat_expected, flat_got)
    if found is None:
        return False
    start = found.number - 1
    if row.sign:
        step = (*_step(flat_expected, start), *_step(flat_got, start))
        return any(_matches(row.sign, event) for event in step)
    pairs = [(_required(row.expected), flat_expected), (_required(row.got), flat_got)]
    first = [(patterns[0], events) for patterns, events in pairs if patterns]
    return bool(first) and all(start < len(events) and _matches(pattern, events[start]) for pattern, events in first)


def find_row(
    rows: Sequence[Divergence], expected: Sequence[Event], got: Sequence[Event], *, runtime: str, version: str, variant: str = "",
    device: str = "cpu",
) -> Divergence | None:  # fmt: skip
    """Return the first row whose divergence two traces of a random program show (:func:`shows`), or None.

    Rows that do not apply to this ``runtime``, ``version``, ``variant`` and ``device`` are skipped.
    """
    for row in rows:
        if not row.applies(runtime, version, device):
            continue
        if row.variants and not any(fnmatchcase(variant, pattern) for pattern in row.variants):
            continue
        if shows(row, expected, got):
            return row
    return None


def _ends(patterns: Sequence[Mapping[str, Json]], events: Sequence[Event], start: int) -> set[int]:
    """Return the possible end indices of a sequence of events that begins at ``start`` and matches the patterns.

    A pattern with ``times = "any"`` matches any number of events. Other patterns match one event.
    """
    ends = {start}
    for pattern in patterns:
        fields = {name: wanted for name, wanted in pattern.items() if name != "times"}
        reached = set(ends) if pattern.get("times") == "any" else set()
        for end in sorted(ends):
            while end < len(events) and _matches(fields, events[end]):
                end += 1
                reached.add(end)
                if pattern.get("times") != "any":
                    break
        ends = reached
    return ends


def _required(patterns: Sequence[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    return [pattern for pattern in patterns if pattern.get("times") != "any"]


def _flatten(events: Sequence[Event]) -> Iterator[Event]:
    for event in events:
        yield {name: value for name, value in event.items() if name != "events"}
        yield from _flatten(event.get("events", ()))


def _step(events: Sequence[Event], start: int) -> Iterator[Event]:
    for event in events[start:]:
        yield event
        if event["event"] in ("return", "raise"):
            return


def _matches(fields: Mapping[str, Json], event: Event) -> bool:
    return all(name in event and key(event[name]) == key(wanted) for name, wanted in fields.items())
