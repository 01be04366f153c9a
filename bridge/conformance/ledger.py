"""The divergence ledger: known differences as data, ``contract/divergences.toml``, and what each of them explains.

A row of the kind ``contract`` says in which programs a runtime leaves another trace than PyTorch, and which one: it explains that
difference and no other. A row of the kind ``interface`` is a difference that no program can show; one of the kind ``port`` is a
departure of Bridge.Torch from TorchSharp.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

from bridge.conformance.events import Event, first_difference, key
from bridge.conformance.versions import within
from bridge.program import Json

KINDS: Final = ("contract", "interface", "port")
_FILE: Final = Path(__file__).parents[1] / "contract" / "divergences.toml"
_NEEDED: Final = ("id", "kind", "runtime", "title", "reason", "since")


class LedgerError(ValueError):
    """A ledger that cannot be read; the message names the row."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One row.

    ``clauses`` are those it is about (the first is the one it breaks), ``versions`` bounds of the runtime's version, ``devices``
    patterns of those it happens on (empty: all), ``programs`` patterns of the programs that show it, ``NAME`` or ``NAME@VARIANT``.

    ``sign`` and ``variants`` tell the divergence in programs that no row can list (:func:`explaining`).

    At the first difference the trace has ``got`` where the contract wants ``expected``: patterns, event for event, of which each holds the
    fields that count, and with ``times = "any"`` stands for any number of such events. Then the trace ends, or with ``goes_on`` is as
    expected again. ``test`` names a test that shows what no program can.
    """

    id: str
    kind: str
    runtime: str
    title: str
    reason: str
    since: str
    clauses: tuple[str, ...] = ()
    versions: str = ""
    devices: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    expected: tuple[Mapping[str, Json], ...] = ()
    got: tuple[Mapping[str, Json], ...] = ()
    goes_on: bool = False
    sign: Mapping[str, Json] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    upstream: str = ""
    test: str = ""

    def applies(self, runtime: str, version: str, device: str) -> bool:
        """Whether the row speaks of this runtime, version and device."""
        return (
            self.kind == "contract"
            and runtime == self.runtime
            and within(version, self.versions)
            and (not self.devices or any(fnmatchcase(device, pattern) for pattern in self.devices))
        )

    def lists(self, program: str, variant: str = "") -> bool:
        """Whether the row says of a program, in a variant, that it shows the divergence."""
        return any(matches(pattern, program, variant) for pattern in self.programs)

    def explains(self, expected: Sequence[Event], got: Sequence[Event]) -> bool:
        """Whether two traces differ in the way that the row says, and in no other."""
        found = first_difference(expected, got)
        if found is None:
            return False
        start = found.number - 1
        return any(
            key(list(got[end:])) == key(list(expected[stop:]) if self.goes_on else [])
            for stop in _ends(self.expected, expected, start)
            for end in _ends(self.got, got, start)
        )

    def shows(self, expected: Sequence[Event], got: Sequence[Event]) -> bool:
        """Whether two traces differ by what the row is about, whatever comes of it: for programs that no row can list.

        What a row says of both traces holds at the first difference; or its ``sign``, if it has one, stands in one of them from there
        to the end of the step that differs: what comes later tells nothing of this difference. Events of threads count where they stand.
        """
        wanted, came = list(_flat(expected)), list(_flat(got))
        found = first_difference(wanted, came)
        if found is None:
            return False
        start = found.number - 1
        if self.sign:
            return any(_fits(self.sign, event) for event in (*_step(wanted, start), *_step(came, start)))
        pairs = [(_signs(self.expected), wanted), (_signs(self.got), came)]
        said = [(patterns[0], events) for patterns, events in pairs if patterns]
        return bool(said) and all(start < len(events) and _fits(pattern, events[start]) for pattern, events in said)


def matches(pattern: str, program: str, variant: str) -> bool:
    """Whether a program in a variant is one of a row's pattern, ``NAME`` or ``NAME@VARIANT``."""
    name, _, variants = pattern.partition("@")
    return fnmatchcase(program, name) and fnmatchcase(variant, variants or "*")


@cache
def ledger() -> tuple[Divergence, ...]:
    """The rows of the contract's ledger. Raises LedgerError."""
    return parse(_FILE.read_text(encoding="utf-8"))


def parse(text: str) -> tuple[Divergence, ...]:
    """The rows of a ledger's text. Raises LedgerError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"the ledger is no TOML: {error}") from None
    rows = tuple(_row(item, number) for number, item in enumerate(data.get("divergence", ()), 1))
    known: set[str] = set()
    for row in rows:
        if row.id in known:
            raise LedgerError(f"two rows have the id {row.id}")
        known.add(row.id)
    return rows


def explaining(
    rows: Sequence[Divergence], expected: Sequence[Event], got: Sequence[Event], *, runtime: str, version: str, variant: str = "",
    device: str = "cpu",
) -> Divergence | None:  # fmt: skip
    """The row that explains a difference in a program that stands in no corpus: one that no row can list, nor say how it goes on.

    A row explains it by what the traces show (:meth:`Divergence.shows`).
    """
    for row in rows:
        if not row.applies(runtime, version, device):
            continue
        if row.variants and not any(fnmatchcase(variant, pattern) for pattern in row.variants):
            continue
        if row.shows(expected, got):
            return row
    return None


def _row(item: Mapping[str, Any], number: int) -> Divergence:
    name = str(item.get("id", f"number {number}"))
    unknown = set(item) - set(Divergence.__dataclass_fields__)
    if unknown:
        raise LedgerError(f"row {name}: there is no field {', '.join(sorted(unknown))}")
    lacking = [needed for needed in _NEEDED if not item.get(needed)]
    if lacking:
        raise LedgerError(f"row {name} lacks {', '.join(lacking)}")
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}
    row = Divergence(**fields)
    if row.kind not in KINDS:
        raise LedgerError(f"row {name}: the kind is one of {', '.join(KINDS)}, not '{row.kind}'")
    try:
        within("0", row.versions)
    except ValueError as error:
        raise LedgerError(f"row {name}: {error}") from None
    if row.kind == "contract" and not row.clauses:
        raise LedgerError(f"row {name} names no clause")
    if row.programs and not row.got and not row.expected:
        raise LedgerError(f"row {name} lists programs and does not say what differs: it needs 'expected' or 'got'")
    return row


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
    return all(name in event and key(event[name]) == key(_value(wanted)) for name, wanted in fields.items())


def _value(wanted: Json) -> Json:
    """A value of a pattern; TOML has no null, so ``{none = true}`` stands for one."""
    if wanted == {"none": True}:
        return None
    if isinstance(wanted, dict):
        return {name: _value(item) for name, item in wanted.items()}
    return [_value(item) for item in wanted] if isinstance(wanted, list) else wanted
