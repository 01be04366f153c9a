"""The ledger row that explains the difference between two traces of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from bridge.contract.ledger import Divergence
from bridge.program import Json
from bridge.program.events import Event, first_difference, key


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
    """Return whether two traces first differ by the divergence of a row, in a program that the row does not list.

    The first difference must match the row's ``expected`` and ``got``; or, if the row has a ``sign``, an event that matches it must occur
    between the first difference and the end of that step. The rest of the traces is not compared. Events of threads count in place.
    """
    wanted, came = list(_flat(expected)), list(_flat(got))
    found = first_difference(wanted, came)
    if found is None:
        return False
    start = found.number - 1
    if row.sign:
        return any(_fits(row.sign, event) for event in (*_step(wanted, start), *_step(came, start)))
    pairs = [(_signs(row.expected), wanted), (_signs(row.got), came)]
    said = [(patterns[0], events) for patterns, events in pairs if patterns]
    return bool(said) and all(start < len(events) and _fits(pattern, events[start]) for pattern, events in said)


def find_row(
    rows: Sequence[Divergence], expected: Sequence[Event], got: Sequence[Event], *, runtime: str, version: str, variant: str = "",
    device: str = "cpu",
) -> Divergence | None:  # fmt: skip
    """Return the row that explains a difference in a random program, which no row can list (:func:`shows`)."""
    for row in rows:
        if not row.applies(runtime, version, device):
            continue
        if row.variants and not any(fnmatchcase(variant, pattern) for pattern in row.variants):
            continue
        if shows(row, expected, got):
            return row
    return None


def _ends(patterns: Sequence[Mapping[str, Json]], events: Sequence[Event], start: int) -> set[int]:
    """Return the possible ends of the events that match the patterns, beginning at ``start``."""
    ends = {start}
    for pattern in patterns:
        fields = {name: wanted for name, wanted in pattern.items() if name != "times"}
        reached = set(ends) if pattern.get("times") == "any" else set()
        for end in sorted(ends):
            while end < len(events) and _fits(fields, events[end]):
                end += 1
                reached.add(end)
                if pattern.get("times") != "any":
                    break
        ends = reached
    return ends


def _signs(patterns: Sequence[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    return [pattern for pattern in patterns if pattern.get("times") != "any"]


def _flat(events: Sequence[Event]) -> Iterator[Event]:
    for event in events:
        yield {name: value for name, value in event.items() if name != "events"}
        yield from _flat(event.get("events", ()))


def _step(events: Sequence[Event], start: int) -> Iterator[Event]:
    """Yield the events from ``start`` to the end of the step."""
    for event in events[start:]:
        yield event
        if event["event"] in ("return", "raise"):
            return


def _fits(fields: Mapping[str, Json], event: Event) -> bool:
    return all(name in event and key(event[name]) == key(wanted) for name, wanted in fields.items())
