"""Events as columns: an array for each field of the events.

Strings are stored as indices into tables. Digests of 32 hexadecimal digits are stored as 16 bytes, the elements of tensors as arrays. The
rest of a value, including any other digest, is its :class:`Form`, which is stored as an index too.

Comparing two traces of ten million events takes seconds with columns, and a minute with an object for each event.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from bridge.trace.event import PHASES, SCOPES, Event, Value

#: The dtype of digests in a column: 128 bits.
DIGEST: Final = np.dtype("V16")
_HEX: Final = re.compile(r"[0-9a-f]{32}", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class Form:
    """A value without its tensor elements and, if ``hashed``, without its digest. Several values of a trace can have the same form."""

    value: Value
    #: Whether each value of this form has a digest in :attr:`Columns.digests`.
    hashed: bool = False

    @property
    def known(self) -> bool:
        """Return whether the values of this form have a digest, or a literal that is a number or a boolean."""
        return self.hashed or self.value.digest is not None or isinstance(self.value.literal, int | float)


class Names:
    """A table of strings, numbered in the order of insertion."""

    __slots__ = ("items", "numbers")

    def __init__(self, items: Iterable[str] = ()) -> None:
        self.items = list(items)
        self.numbers = {item: number for number, item in enumerate(self.items)}

    def number(self, item: str) -> int:
        """Return the number of ``item``. Inserts the item if it is new."""
        found = self.numbers.get(item)
        if found is None:
            found = self.numbers[item] = len(self.items)
            self.items.append(item)
        return found

    def column(self, items: list[str]) -> np.ndarray:
        """Return the numbers of ``items`` (int32). Inserts the items that are new."""
        for item in dict.fromkeys(items):
            self.number(item)
        return np.fromiter(map(self.numbers.__getitem__, items), np.int32, len(items))


class Forms:
    """A table of forms of values, numbered in the order of insertion."""

    __slots__ = ("items", "numbers")

    def __init__(self) -> None:
        self.items: list[Form] = []
        self.numbers: dict[Hashable, int] = {}

    def number(self, value: Value) -> int:
        """Return the number of a value's form. Literals that differ in type or text, such as 1, 1.0 and True, have different forms."""
        digest, literal = value.digest, value.literal
        hashed = digest is not None and is_digest(digest)
        other_digest = None if hashed else digest
        text = None if literal is None else (type(literal), repr(literal))
        key = (value.kind, value.shape, value.dtype, value.device, hashed, other_digest, text)
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.items)
            plain = replace(value, digest=other_digest, data=None) if hashed or value.data is not None else value
            self.items.append(Form(plain, hashed))
        return found

    def column(self, values: Sequence[Value]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return an array of the values' form numbers (int64) and an array of their digests (:data:`DIGEST`).

        The second array is None if none of these values has a hashed form.
        """
        # Tensors with a digest, the common case: four fields determine the form.
        quick: dict[Hashable, int] = {}
        forms = []
        for value in values:
            digest = value.digest
            if digest is not None and value.literal is None and is_digest(digest):
                key = (value.kind, value.shape, value.dtype, value.device)
                form = quick.get(key, -1)
                if form < 0:
                    form = quick[key] = self.number(value)
            else:
                form = self.number(value)
            forms.append(form)
        marks = [self.items[form].hashed for form in forms]
        if True not in marks:
            return _integers(forms), None
        text = "".join([value.digest if mark else _ZERO for value, mark in zip(values, marks, strict=True)])  # type: ignore[misc]  # a value with a mark has a digest
        return _integers(forms), np.frombuffer(bytes.fromhex(text), DIGEST)


class Tables:
    """The tables of a trace's columns. If two traces share tables, equal numbers in their columns mean equal items."""

    __slots__ = ("forms", "paths", "phases", "scopes", "types")

    def __init__(self) -> None:
        self.paths = Names()
        self.types = Names()
        self.phases = Names(PHASES)
        self.scopes = Names(SCOPES)
        self.forms = Forms()


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The fields of all events as arrays. ``path``, ``type``, ``phase``, ``scope`` and ``form`` contain indices into ``tables``."""

    tables: Tables
    path: np.ndarray
    type: np.ndarray
    phase: np.ndarray
    call: np.ndarray
    parent: np.ndarray
    hook: np.ndarray
    scope: np.ndarray
    #: The number of values of each event.
    counts: np.ndarray
    #: The forms of the values of all events, one event after another.
    form: np.ndarray
    #: The digest of each value in ``form`` (:data:`DIGEST`), zero if its form is not hashed. None if no value has a hashed form.
    digests: np.ndarray | None = None
    #: The number of each event. None if the numbers are 0, 1, 2 and so on.
    seq: np.ndarray | None = None
    #: The elements of tensors, by position in ``form``.
    data: Mapping[int, np.ndarray] = field(default_factory=dict)
    #: A cache for :meth:`firsts`.
    _firsts: list[np.ndarray] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.path)

    def firsts(self) -> np.ndarray:
        """Return the position of each event's first value and, as the last item, the number of values (int64)."""
        if not self._firsts:
            firsts = np.zeros(len(self) + 1, np.int64)
            np.cumsum(self.counts, out=firsts[1:])
            self._firsts.append(firsts)
        return self._firsts[0]

    def first(self, count: int) -> Columns:
        """Return the columns of the first ``count`` events."""
        values = int(self.firsts()[count])
        return Columns(
            self.tables, self.path[:count], self.type[:count], self.phase[:count], self.call[:count], self.parent[:count],
            self.hook[:count], self.scope[:count], self.counts[:count], self.form[:values],
            None if self.digests is None else self.digests[:values], None if self.seq is None else self.seq[:count],
            self.data,
        )  # fmt: skip

    def known(self) -> int:
        """Count the values whose :attr:`Form.known` is true."""
        known = np.array([form.known for form in self.tables.forms.items], bool)
        return int(np.count_nonzero(known[self.form])) if len(self.form) else 0

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[Event]:
        """Yield the events from ``start`` to before ``stop``."""
        stop = len(self) if stop is None else min(stop, len(self))
        position = int(self.firsts()[start])
        tables = self.tables
        for low in range(start, stop, 4096):
            high = min(low + 4096, stop)
            part = slice(low, high)
            seqs = range(low, high) if self.seq is None else self.seq[part].tolist()
            counts = self.counts[part].tolist()
            end = position + sum(counts)
            values = self._values(position, end)
            position, at = end, 0
            columns = (self.path, self.type, self.phase, self.call, self.parent, self.hook, self.scope)
            rows = zip(seqs, *(column[part].tolist() for column in columns), counts, strict=True)
            for seq, path, kind, phase, call, parent, hook, scope, count in rows:
                yield Event(
                    seq, tables.paths.items[path], tables.types.items[kind], tables.phases.items[phase],
                    call, parent, hook, tables.scopes.items[scope], tuple(values[at : at + count]),
                )  # fmt: skip
                at += count

    def _values(self, start: int, stop: int) -> list[Value]:
        forms = self.tables.forms.items
        values = []
        digests = None if self.digests is None else self.digests[start:stop].tobytes().hex()
        for index, number in enumerate(self.form[start:stop].tolist()):
            form = forms[number]
            value = form.value
            data = self.data.get(start + index) if self.data else None
            if form.hashed and digests is not None:
                value = Value(
                    value.kind, value.shape, value.dtype, value.device, digests[32 * index : 32 * index + 32],
                    value.literal, data,
                )  # fmt: skip
            elif data is not None:
                value = replace(value, data=data)
            values.append(value)
        return values


def columns(events: Iterable[Event]) -> Columns:
    """Convert events to columns with new tables."""
    events = events if isinstance(events, tuple) else tuple(events)
    tables = Tables()
    values = [value for event in events for value in event.values]
    forms, digests = tables.forms.column(values)
    seq = _integers([event.seq for event in events])
    return Columns(
        tables,
        tables.paths.column([event.path for event in events]),
        tables.types.column([event.type for event in events]),
        tables.phases.column([event.phase for event in events]),
        _integers([event.call for event in events]),
        _integers([event.parent for event in events]),
        _integers([event.hook for event in events]),
        tables.scopes.column([event.scope for event in events]),
        _integers([len(event.values) for event in events]),
        forms,
        digests,
        None if np.array_equal(seq, np.arange(len(seq))) else seq,
        {index: value.data for index, value in enumerate(values) if value.data is not None},
    )


def _integers(items: list[int]) -> np.ndarray:
    return np.array(items, np.int64)


_ZERO: Final = "0" * 32


def is_digest(text: str) -> bool:
    """Return whether a text can be a :func:`bridge.trace.event.digest`, which has 32 lower-case hexadecimal digits."""
    return _HEX(text) is not None
