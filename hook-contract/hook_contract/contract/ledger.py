"""Ledgers of known divergences. A ledger is a TOML file with a row for each divergence of a runtime from the contract.

A row of the kind ``contract`` lists programs for which a runtime gives another trace than PyTorch, and describes the difference. A row of
the kind ``interface`` is a difference that no program can show. A row of the kind ``port`` is a difference between two libraries of one
interface, such as Bridge.Torch and TorchSharp.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

from hook_contract.contract.errors import LedgerError
from hook_contract.contract.versions import within

KINDS: Final = ("contract", "interface", "port")
_NEEDED: Final = ("id", "kind", "runtime", "title", "reason", "since")


@dataclass(frozen=True, slots=True)
class Divergence:
    """A row of the ledger.

    A pattern of an event is a table of the fields that the event must have. A pattern with ``times = "any"`` matches any number of events.

    Attributes:
        kind: One of :data:`KINDS`.
        since: The version of the contract that added the row.
        clauses: The clauses that the divergence concerns, the broken one first.
        versions: Bounds of the runtime's version, "" for all versions.
        torch: Bounds of PyTorch's version, "" for all versions.
        devices: Patterns of the devices to which the row applies, empty for all.
        programs: Patterns of the programs that show the divergence, each ``NAME`` or ``NAME@VARIANT``.
        expected: Patterns of the events that PyTorch's trace has at the first difference.
        got: Patterns of the events that the runtime's trace has instead.
        goes_on: Whether the runtime's trace then continues as expected. Otherwise the trace ends.
        sign: A pattern that identifies the divergence in a random program (:mod:`hook_contract.conformance.explanation`).
        variants: Patterns of the variants in which a random program may show the divergence, empty for all.
        upstream: The address of an issue about the divergence, or "".
        test: A test that shows a divergence of the kind ``interface`` or ``port``, or "".
        shown_by: Patterns of programs that showed the divergence when they were run by hand.
    """

    id: str
    kind: str
    runtime: str
    title: str
    reason: str
    since: str
    clauses: tuple[str, ...] = ()
    versions: str = ""
    torch: str = ""
    devices: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    expected: tuple[Mapping[str, Any], ...] = ()
    got: tuple[Mapping[str, Any], ...] = ()
    goes_on: bool = False
    sign: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    upstream: str = ""
    test: str = ""
    shown_by: tuple[str, ...] = ()

    def applies(self, runtime: str, version: str, device: str) -> bool:
        """Return whether the row is of the kind ``contract`` and applies to this runtime, version and device."""
        return (
            self.kind == "contract"
            and runtime == self.runtime
            and self.covers(version)
            and (not self.devices or any(fnmatchcase(device, pattern) for pattern in self.devices))
        )

    def covers(self, version: str) -> bool:
        """Return whether the row applies to a runtime of this version, such as ``.NET 10.0.12, PyTorch 2.13.0+cpu``."""
        torch = version.partition("PyTorch ")[2]
        return within(version, self.versions) and (not self.torch or (bool(torch) and within(torch, self.torch)))

    @property
    def about(self) -> str:
        """Return the bounds of the versions to which the row applies, such as ``>=0.102.5``, or "" if it applies to all."""
        return ", ".join(filter(None, (self.versions, f"PyTorch {self.torch}" if self.torch else "")))

    def lists(self, program: str, variant: str = "") -> bool:
        """Return whether one of the patterns in ``programs`` matches a program in a variant of the runtime."""
        return any(matches(pattern, program, variant) for pattern in self.programs)


def matches(pattern: str, program: str, variant: str) -> bool:
    """Return whether a pattern, ``NAME`` or ``NAME@VARIANT``, matches a program in a variant of a runtime."""
    name, _, variants = pattern.partition("@")
    return fnmatchcase(program, name) and fnmatchcase(variant, variants or "*")


def _list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(item, kind) for item in value)


#: For each type of a field, a check of the TOML value and a description of the type.
_TYPES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "str": (lambda value: isinstance(value, str), "a string"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "tuple[str, ...]": (_list_of(str), "a list of strings"),
    "tuple[Mapping[str, Any], ...]": (_list_of(dict), "a list of tables"),
    "Mapping[str, Any]": (lambda value: isinstance(value, dict), "a table"),
}


@cache
def read(path: Path) -> tuple[Divergence, ...]:
    """Read the rows of a ledger. Raises LedgerError, and OSError if the file cannot be read."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise LedgerError(f"{path}: not UTF-8: {error}") from None
    except LedgerError as error:
        raise LedgerError(f"{path}: {error}") from None


def parse(text: str) -> tuple[Divergence, ...]:
    """Parse the rows of a ledger's text. Raises LedgerError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"the ledger is not valid TOML: {error}") from None
    items = data.get("divergence", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise LedgerError("the rows of the ledger must be tables: begin each with [[divergence]]")
    rows = tuple(_row(item, number) for number, item in enumerate(items, 1))
    known: set[str] = set()
    for row in rows:
        if row.id in known:
            raise LedgerError(f"two rows have the id {row.id}")
        known.add(row.id)
    return rows


def _row(item: Mapping[str, Any], number: int) -> Divergence:
    name = str(item.get("id", f"number {number}"))
    unknown = set(item) - set(Divergence.__dataclass_fields__)
    if unknown:
        raise LedgerError(f"row {name}: unknown field {', '.join(sorted(unknown))}")
    lacking = [needed for needed in _NEEDED if not item.get(needed)]
    if lacking:
        raise LedgerError(f"row {name} lacks {', '.join(lacking)}")
    for key, value in item.items():
        fits, words = _TYPES[str(Divergence.__dataclass_fields__[key].type)]
        if not fits(value):
            raise LedgerError(f"row {name}: {key} must be {words}, not {value!r}")
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}
    fields |= {name: _json(fields[name]) for name in ("expected", "got", "sign") if name in fields}
    row = Divergence(**fields)
    if row.kind not in KINDS:
        raise LedgerError(f"row {name}: the kind must be one of {', '.join(KINDS)}, not '{row.kind}'")
    try:
        within("0", row.versions)
        within("0", row.torch)
    except ValueError as error:
        raise LedgerError(f"row {name}: {error}") from None
    if row.kind == "contract" and not row.clauses:
        raise LedgerError(f"row {name} names no clause")
    if row.programs and not row.got and not row.expected:
        raise LedgerError(f"row {name} lists programs but not what differs: it needs 'expected' or 'got'")
    return row


def _json(wanted: Any) -> Any:
    """Convert patterns from TOML, which has no null: ``{none = true}`` becomes None."""
    if wanted == {"none": True}:
        return None
    if isinstance(wanted, dict):
        return {name: _json(item) for name, item in wanted.items()}
    return type(wanted)(map(_json, wanted)) if isinstance(wanted, (list, tuple)) else wanted
