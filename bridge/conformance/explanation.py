"""Which row of the ledger explains the difference of two traces of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from bridge.contract.ledger import Divergence
from bridge.program import Json
from bridge.program.events import Event, first_difference, key


def explains(row: Divergence, expected: Sequence[Event], got: Sequence[Event]) -> bool:
    """Whether two traces differ in the way that the row says, and in no other."""
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
    """Whether two traces differ by what the row is about, whatever comes of it: for programs that no row can list.

    What a row says of both traces holds at the first difference; or its ``sign``, if it has one, is in one of them from there
    to the end of the step that differs: what comes later says nothing about this difference. Events of threads count where they are.
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
    """The row that explains a difference in a program that is not in the corpus: no row can list it or describe how its trace continues.

    A row explains it by what the traces show (:func:`shows`).
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
    """Where the events that fit the patterns, from ``start`` on, can end."""
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
    """The events from ``start`` on to the one that ends the step."""
    for event in events[start:]:
        yield event
        if event["event"] in ("return", "raise"):
            return


def _fits(fields: Mapping[str, Json], event: Event) -> bool:
    return all(name in event and key(event[name]) == key(wanted) for name, wanted in fields.items())
