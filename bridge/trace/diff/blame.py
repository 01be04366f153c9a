"""The differences of values between two aligned traces, and the module that causes them (the culprit)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from bridge.trace import PHASES, Event, Trace, Value
from bridge.trace.diff.align import Row
from bridge.trace.diff.allowed import Allowed
from bridge.trace.diff.difference import Difference
from bridge.trace.diff.gaps import ValueComparison, compare_values
from bridge.trace.diff.phrases import path_name
from bridge.trace.diff.prefilter import Entries, LazySequence, screen
from hook_contract.output.sentences import plural

_PRE: Final = PHASES.index("pre")

#: The differences of values, the difference at the culprit, the largest difference of two numbers (infinite if values differ by digest
#: only), and the number of compared values.
Found: TypeAlias = tuple[Sequence[Difference], Difference | None, float, int]


class _Rows(NamedTuple):
    """The rows whose values were compared, in order. Each field is a list with an item for each row.

    Attributes:
        rows: The number of the row.
        calls: The number of the call.
        arguments: Whether the values are the call's arguments. Otherwise, they are its result.
        differs: Whether the values differ beyond the tolerance, apart from their devices.
    """

    rows: list[int]
    calls: list[int]
    arguments: list[bool]
    differs: list[bool]


def _culprit(compared: _Rows, entered: Callable[[int, int], bool] = lambda _call, _row: False) -> int:
    """Return the index of the first result that differs although the call's arguments do not differ, -1 if there is none.

    ``compared`` may lack the arguments of a call if they are equal or were not recorded. ``entered(call, row)`` returns whether they were
    recorded before ``row``.
    """
    arguments: dict[int, bool] = {}  # by call number, whether the arguments differ
    any_differs = False
    for index, (row, call, is_arguments, differs) in enumerate(zip(*compared, strict=True)):
        if is_arguments:
            arguments[call] = arguments.get(call, False) or differs
        elif differs:
            # A bypassed module, whose arguments are unknown, is the culprit only if nothing before it differs, apart from devices.
            known = call in arguments or entered(call, row)
            if not (arguments.get(call, False) if known else any_differs):
                return index
        any_differs = any_differs or differs
    return -1


def compare_columns(a: Trace, b: Trace, names: tuple[str, str], allowed: Allowed) -> Found:
    """Return the result of :func:`compare_rows` for traces of equal structure.

    Compares only the rows that :func:`screen` finds. For rows in which only digests differ, Difference objects are created on access.
    """
    screened = screen(a.columns, b.columns)
    rows, digests = screened.rows.tolist(), screened.digests
    largest = math.inf if digests.any() else 0.0
    compared = screened.known + int(screened.compared[digests].sum())
    differs = digests.tolist()

    def make(row: int) -> list[Difference]:
        x, y = a[row], b[row]
        return _difference(x, y, compare_values(x.values, y.values, *allowed.at(x.path)), row, names)

    made: dict[int, list[Difference]] = {}
    for place in np.flatnonzero(~digests).tolist():
        x, y = a[rows[place]], b[rows[place]]
        result = compare_values(x.values, y.values, *allowed.at(x.path))
        largest, compared = max(largest, result.largest), compared + result.compared
        differs[place] = result.differs or result.content
        made[place] = _difference(x, y, result, rows[place], names)

    columns = a.columns
    arguments = (columns.phase[screened.rows] == _PRE).tolist()
    compared_rows = _Rows(rows, columns.call[screened.rows].tolist(), arguments, differs)
    place = _culprit(compared_rows, Entries(columns).before)
    culprit = None if place < 0 else (made.get(place) or make(rows[place]))[-1]
    # An int in this list is the row of a difference that has not been created yet.
    found: list[int | Difference] = (
        [entry for place, row in enumerate(rows) for entry in made.get(place, (row,))] if made else list(rows)
    )
    if culprit is not None:
        found = [culprit if entry == culprit.row else entry for entry in found]

    def item(position: int) -> Difference:
        entry = found[position]
        if isinstance(entry, int):
            entry = found[position] = make(entry)[-1]
        return entry

    numeric = LazySequence(len(found), item) if digests.any() else tuple(map(item, range(len(found))))
    return numeric, culprit, largest, compared


def compare_rows(rows: list[Row], names: tuple[str, str], allowed: Allowed) -> Found:
    """Compare the values in each row that has an event from each of the two traces."""
    found: list[Difference] = []
    last: dict[int, Difference] = {}  # the last difference of each row
    compared_rows = _Rows([], [], [], [])
    largest, compared = 0.0, 0
    for row, (x, y) in enumerate(rows):
        if x is None or y is None:
            continue
        differs = False
        if (known := _count_equal(x.values, y.values)) is not None:
            compared += known
        else:
            result = compare_values(x.values, y.values, *allowed.at(x.path))
            largest, compared = max(largest, result.largest), compared + result.compared
            differs = result.differs or result.content
            made = _difference(x, y, result, row, names)
            found.extend(made)
            if made:
                last[row] = made[-1]
        compared_rows.rows.append(row)
        compared_rows.calls.append(x.call)
        compared_rows.arguments.append(x.phase == "pre")
        compared_rows.differs.append(differs)
    place = _culprit(compared_rows)
    return tuple(found), None if place < 0 else last[compared_rows.rows[place]], largest, compared


def _count_equal(xs: tuple[Value, ...], ys: tuple[Value, ...]) -> int | None:
    """Count the tensors with equal digests, or return None if the values may differ or are not all tensors."""
    known = 0
    if len(xs) != len(ys):
        return None
    for x, y in zip(xs, ys, strict=True):
        if x.shape is None or x.shape != y.shape or x.dtype != y.dtype or x.device != y.device or x.digest != y.digest:
            return None
        if x.digest is not None:
            known += 1
        elif x.data is not None and y.data is not None:
            return None
    return known


def _difference(x: Event, y: Event, result: ValueComparison, row: int, names: tuple[str, str]) -> list[Difference]:
    phase = "bypass" if "bypass" in (x.phase, y.phase) else x.phase
    what, clause = {"pre": ("arguments", "P-1"), "forward": ("result", "F-1"), "bypass": ("result", "C-3")}[phase]
    what += " differ" if phase == "pre" else " differs"
    name, where = path_name(x.path), ((x.call, y.call), (x.seq, y.seq), row)
    made = []
    if result.arguments:
        words = f"{name}: {what}, {'; '.join(result.arguments)} ({names[0]}; {names[1]})."
        device_only = not (result.content or result.differs)
        made.append(Difference("arguments", clause, x.path, x.phase, words, x.type, *where, device_only=device_only))
    if result.differs:
        if result.digests and not result.elements:
            words = "by digest"
        else:
            words = f"by up to {result.absolute:.3g} (relative {result.relative:.3g}) in {result.elements} of "
            words += plural(result.total, "number")
            if result.nonfinite:
                words += f", {result.nonfinite} of them with a NaN or an infinity"
        found = Difference("values", clause, x.path, x.phase, f"{name}: {what} {words}.", x.type, *where)
        made.append(
            replace(
                found,
                absolute=result.absolute,
                relative=result.relative,
                elements=result.elements,
                nonfinite=result.nonfinite,
            )
        )
    return made
