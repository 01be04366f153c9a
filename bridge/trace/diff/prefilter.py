"""A fast search for rows whose values may differ, in two traces of equal structure. It compares columns, not events."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np

from bridge.trace import Trace
from bridge.trace.columns import Columns
from bridge.trace.event import PHASES, Event

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence whose items are created on access."""

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return map(self._make, range(self._count))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        found = range(self._count)[index]
        return self._make(found) if isinstance(found, int) else tuple(map(self._make, found))

    def __add__(self, other: Sequence[T]) -> tuple[T, ...]:
        return (*self, *other)

    def __radd__(self, other: Sequence[T]) -> tuple[T, ...]:
        return (*other, *self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, (tuple, LazySequence)) and len(self) == len(other) and all(map(operator.eq, self, other))
        )

    __hash__ = None  # type: ignore[assignment]  # not hashable

    def __repr__(self) -> str:
        return f"<{self._count} items>"


class Pairs(Sequence[tuple[Event, Event]]):
    """The rows of two traces of equal structure. The n-th row has the n-th event of each trace."""

    __slots__ = ("_a", "_b")

    def __init__(self, a: Trace, b: Trace) -> None:
        self._a, self._b = a, b

    def __len__(self) -> int:
        return len(self._a)

    def __iter__(self) -> Iterator[tuple[Event, Event]]:
        return zip(self._a.events, self._b.events, strict=True)

    @overload
    def __getitem__(self, index: int) -> tuple[Event, Event]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[Event, Event], ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(len(self))[index])
        return self._a[index], self._b[index]


def same_structure(a: Columns, b: Columns) -> bool:
    """Return whether two traces have equal path, phase, scope, hook, call and parent in every event."""
    if len(a) != len(b):
        return False
    for name in ("call", "parent", "hook"):
        if not np.array_equal(getattr(a, name), getattr(b, name)):
            return False
    return all(
        np.array_equal(getattr(a, name), _translate(getattr(b, name), *tables))
        for name, tables in (
            ("path", (a.tables.paths.numbers, b.tables.paths.items)),
            ("phase", (a.tables.phases.numbers, b.tables.phases.items)),
            ("scope", (a.tables.scopes.numbers, b.tables.scopes.items)),
        )
    )


def other_types(a: Columns, b: Columns) -> list[tuple[str, str, str]]:
    """Return the path and both type names of each module whose type names differ, in the order of the events."""
    rows = np.flatnonzero(a.type != _translate(b.type, a.tables.types.numbers, b.tables.types.items))
    triples = zip(a.path[rows].tolist(), a.type[rows].tolist(), b.type[rows].tolist(), strict=True)
    paths, left, right = a.tables.paths.items, a.tables.types.items, b.tables.types.items
    return [(paths[path], left[x], right[y]) for path, x, y in dict.fromkeys(triples)]


@dataclass(frozen=True, slots=True, eq=False)
class Screening:
    """The result of :func:`screen`. A row has an event of each trace; a form is a :class:`bridge.trace.columns.Form`."""

    #: In ascending order, the rows whose events differ in the number of values or in a value's form or digest, and the rows with a tensor
    #: that must be compared by its elements.
    rows: np.ndarray
    #: For each of ``rows``, whether only digests differ and at least one trace has no elements.
    digests: np.ndarray
    #: For each of ``rows``, the number of values that are numbers, booleans, or tensors with a digest (``Form.known``). The number is 0 for
    #: a row whose two events have unequal numbers of values.
    compared: np.ndarray
    #: The number of values with a true ``Form.known`` in the other rows.
    known: int


def screen(a: Columns, b: Columns) -> Screening:
    """Compare the values of two traces of equal structure by form and digest, without their elements."""
    total = len(a)
    other_counts = a.counts != b.counts
    left: Any
    right: Any
    if other_counts.any():
        same_counts = ~other_counts
        left, right = _positions(a, same_counts), _positions(b, same_counts)
        owners = np.repeat(np.flatnonzero(same_counts), a.counts[same_counts])
    else:
        left = right = slice(None)
        owners = None
    forms = a.form[left]
    same_form = forms == _translate(b.form[right], a.tables.forms.numbers, list(b.tables.forms.numbers))
    equal = same_form & _same_digests(a, b, left, right)
    # Tensors without a digest must be compared by their elements, if both traces have elements.
    both = bool(a.data) and bool(b.data)
    suspect = ~equal
    if both:
        undigested = np.array(
            [form.value.kind == "tensor" and not (form.hashed or form.value.digest) for form in a.tables.forms.items],
            bool,
        )
        suspect |= undigested[forms] if len(undigested) else False
    known = np.array([form.known for form in a.tables.forms.items], bool)
    counted = known[forms] if len(known) else np.zeros(len(forms), bool)
    if not other_counts.any() and not suspect.any():
        none = np.zeros(0, np.int64)
        return Screening(none, none.astype(bool), none, int(np.count_nonzero(counted)))
    if owners is None:
        owners = np.repeat(np.arange(total), a.counts)
    suspect_rows = other_counts.copy()
    suspect_rows[owners[suspect]] = True
    other_form_rows = np.zeros(total, bool)
    other_form_rows[owners[~same_form]] = True
    rows = np.flatnonzero(suspect_rows)
    per_row = np.bincount(owners[counted], minlength=total)[rows]
    digest_only = np.zeros(len(rows), bool) if both else ~(other_form_rows | other_counts)[rows]
    return Screening(rows, digest_only, per_row, int(np.count_nonzero(counted & ~suspect_rows[owners])))


class Entries:
    """A table with the row of each call's first ``pre`` event."""

    def __init__(self, columns: Columns) -> None:
        rows = np.flatnonzero(columns.phase == PHASES.index("pre"))
        self._calls, first = np.unique(columns.call[rows], return_index=True)
        self._rows = rows[first]

    def before(self, call: int, row: int) -> bool:
        """Return whether ``call`` has a ``pre`` event before ``row``."""
        place = int(np.searchsorted(self._calls, call))
        return place < len(self._calls) and int(self._calls[place]) == call and int(self._rows[place]) < row


def _translate(numbers: np.ndarray, into: dict[Any, int], keys: list[Any]) -> np.ndarray:
    """Translate numbers of the table ``keys`` to numbers of the table ``into``; keys that ``into`` lacks become -1."""
    table = np.fromiter((into.get(key, -1) for key in keys), np.int64, len(keys))
    if np.array_equal(table, np.arange(len(table))):
        return numbers
    return np.asarray(table[numbers])


def _positions(columns: Columns, chosen: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.repeat(chosen, columns.counts))


def _same_digests(a: Columns, b: Columns, left: Any, right: Any) -> Any:
    """Return, for each value, whether both traces have the same digest; a single True if a trace has no digests.

    The result is only meaningful for values of equal form.
    """
    if a.digests is None or b.digests is None:
        return True
    halves = [digests.view(np.uint64).reshape(-1, 2) for digests in (a.digests, b.digests)]
    x, y = halves[0][left], halves[1][right]
    return (x[:, 0] == y[:, 0]) & (x[:, 1] == y[:, 1])
