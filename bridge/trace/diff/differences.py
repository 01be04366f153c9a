"""Order-aware comparison of two traces.

Two passes. Structure first: the same events in the same order (C-6, C-9, O-1), tolerance zero. Values second: the
arguments and results of every pair of events that stand opposite each other, numbers within a tolerance.
The first difference of each kind is named with the module path and the clause, in words for somebody who ports a model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bridge.trace import PHASES, Event, Trace, Value
from bridge.trace.diff.align import Call, Finding, Row, align, call_tree, calls_in, walk
from bridge.trace.diff.headers import differences as header_differences
from bridge.trace.diff.prefilter import Entries, Made, Pairs, other_types, same_structure, screen
from bridge.trace.diff.values import Comparison, compare_values

#: What a :class:`Difference` can be. The first four are structural, the last two come from the values.
KINDS: Final = ("lost", "added", "moved", "repeated", "arguments", "values")
_PRE: Final = PHASES.index("pre")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two traces.

    ``kind`` is one of :data:`KINDS`, ``clause`` the contract clause it is about. ``path``, ``type`` and ``phase`` say
    where; ``calls`` and ``positions`` are the call numbers and event positions in either trace, None where there is
    none (a moved call: from, to). ``row`` is the row of :attr:`Diff.pairs` where it stands, ``other_row`` the second
    one of what was moved (else -1). ``absolute`` and ``relative`` are the largest difference of a number (``inf``
    where it is not known or not finite), ``elements`` counts the numbers out of tolerance, and ``nonfinite`` those of
    them that are NaN or infinite in one trace only. ``device_only``: nothing but the device differs.
    """

    kind: str
    clause: str
    path: str
    phase: str
    message: str
    type: str = ""
    calls: tuple[int | None, int | None] = (None, None)
    positions: tuple[int | None, int | None] = (None, None)
    row: int = -1
    other_row: int = -1
    absolute: float = 0.0
    relative: float = 0.0
    elements: int = 0
    nonfinite: int = 0
    device_only: bool = False

    def __str__(self) -> str:
        return f"{self.clause} {self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Diff:
    """What :func:`diff` found.

    ``pairs`` is the alignment: each event of either trace in exactly one row, both columns in their own order, None
    where the other side has nothing. ``structural`` and ``numeric`` are in row order. ``culprit`` is the first module
    whose output differs while its inputs do not. ``largest_difference`` is over everything compared, also within
    tolerance (``inf`` where only digests differ); ``compared`` counts the tensors and numbers whose values were known
    on both sides. ``bypassed`` are the module paths run by ``forward()`` on one side only. ``origins`` is what the
    headers tell of other inputs and weights, to be said before all else; it is no difference by itself. ``pairs`` and
    ``numeric`` may make their items when they are looked at.
    """

    a: Trace
    b: Trace
    pairs: Sequence[Row]
    structural: tuple[Difference, ...] = ()
    numeric: Sequence[Difference] = ()
    culprit: Difference | None = None
    largest_difference: float = 0.0
    compared: int = 0
    bypassed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """True when no difference of either kind was found."""
        return not self.structural and not self.numeric

    @property
    def first_structural(self) -> Difference | None:
        """The first structural difference in the order of execution."""
        return self.structural[0] if self.structural else None

    @property
    def first_numeric(self) -> Difference | None:
        """The :attr:`culprit`, or where there is none the first difference of arguments or values."""
        return self.culprit or (self.numeric[0] if self.numeric else None)

    @property
    def names(self) -> tuple[str, str]:
        """What to call the two sides: the runtimes' names, told apart when they are the same."""
        return _names(self.a, self.b)

    def explain(self) -> str:
        """One to a few lines: other inputs and weights, the first structural difference, the first of values, the bypassed modules."""
        return "\n".join((*self.origins, self._explained()))

    def _explained(self) -> str:
        left, right = self.names
        if self.same:
            number = f"largest difference {self.largest_difference:g}" if self.compared else "values were not recorded"
            return f"{left} and {right} agree: {len(self.pairs)} events in the same order, {number}."
        lines = []
        if (first := self.first_structural) is not None:
            lines.append(f"First structural difference ({first.clause}, {first.kind}): {first.message}")
            if len(self.structural) > 1:
                lines[-1] += f" ({_count(len(self.structural) - 1, 'more structural difference')}.)"
        if (value := self.first_numeric) is not None:
            lines.append(f"First difference of {value.kind} ({value.clause}): {value.message}")
            if value is self.culprit:
                lines[-1] += " Its inputs are equal: look here first."
            if len(self.numeric) > 1:
                lines[-1] += f" ({_count(len(self.numeric) - 1, 'more difference')} of arguments or values.)"
            before = self.numeric[0]
            if before.kind == "arguments" and before.row < value.row and not before.device_only:
                lines.append(f"Before that ({before.clause}): {before.message}")
        if self.bypassed:
            lines.append(f"Run by forward() and so unseen by hooks (C-3): {', '.join(map(_name, self.bypassed))}.")
        return "\n".join(lines)


def diff(a: Trace, b: Trace, *, rtol: float = 0.0, atol: float = 0.0) -> Diff:
    """Compares two traces, structure first and values second.

    Numbers ``x`` and ``y`` are equal when ``|x - y| <= atol + rtol * max(|x|, |y|)``; NaN equals NaN, and an infinity
    the infinity of its sign. Complex numbers are compared by component. Where data are missing, digests are
    compared; where they are missing too, only shapes, dtypes and devices. Values of moved calls are not compared.
    Linear in the number of events when the structures are equal. Raises ValueError for a negative or NaN tolerance.
    """
    if not (rtol >= 0 and atol >= 0):
        raise ValueError(f"Tolerances must be zero or more, not rtol={rtol}, atol={atol}.")
    names = _names(a, b)
    origins = header_differences(a.header, b.header, names)
    if same_structure(a.columns, b.columns):
        types = other_types(a.columns, b.columns)
        found = _compare_columns(a, b, names, rtol, atol)
        return Diff(a, b, Pairs(a, b), (), *found, (), _type_notes(types, names), origins)
    rows, findings = align(call_tree(a.events), call_tree(b.events))
    places = _Places()
    structural = tuple(_structural(finding, names, places) for finding in findings)
    bypassed = tuple(dict.fromkeys(d.path for d in structural if d.clause == "C-3"))
    types = [(x.path, x.type, y.type) for x, y in rows if x is not None and y is not None and x.type != y.type]
    found = _compare_rows(rows, names, rtol, atol)
    return Diff(a, b, tuple(rows), structural, *found, bypassed, _type_notes(types, names), origins)


# -- Structure in words ------------------------------------------------------------------------------------------------


def _structural(finding: Finding, names: tuple[str, str], places: _Places) -> Difference:
    item = finding.a or finding.b
    assert item is not None
    kind, message, clause = finding.kind, "", "C-9"
    if kind == "bypass":
        assert isinstance(finding.a, Call)
        assert isinstance(finding.b, Call)
        kind = "added" if finding.a.bypassed else "lost"
        run = finding.a if finding.a.bypassed else finding.b
        clause, message = "C-3", _bypass_words(run, names[not finding.a.bypassed])
        item = finding.b if finding.a.bypassed else finding.a
    elif kind == "moved":
        clause, message = _moved_words(finding, names, places)
    else:
        here, there = names if finding.a is not None else names[::-1]
        mine, theirs = finding.times if finding.a is not None else finding.times[::-1]
        if isinstance(item, Call):
            inner = sum(1 for _ in calls_in(item))
            more = f" (and with it {_count(inner, 'call')} inside)" if inner else ""
            outer = f" inside {_name(item.parent.path)}" if item.parent and item.parent.parent else ""
            if item.bypassed:
                clause, message = "C-3", _bypass_words(item, here) + f" {there} does not run it here."
            elif theirs:
                message = f"{_name(item.path)} is called {_times(mine)}{outer} in {here}, "
                message += f"and {_times(theirs)} in {there}{more}."
            else:
                message = f"{_name(item.path)} is called{outer} in {here} and not in {there}{more}."
        else:
            clause = "C-6"
            message = f"{_name(item.path)}: a {item.scope} {item.phase} event (hook {item.hook}) happened in {here} "
            message += f"{_times(mine)} and {_times(theirs)} in {there}." if theirs else f"and not in {there}."
            if item.phase == "forward" and not theirs:
                message += " The call may have raised."
    calls, positions = _where(finding)
    phase = item.phase if isinstance(item, Event) else "bypass" if item.bypassed else "pre"
    return Difference(
        kind, clause, item.path, phase, message, item.type, calls, positions, finding.row, finding.other_row
    )


def _where(finding: Finding) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    calls: list[int | None] = []
    positions: list[int | None] = []
    for item in (finding.a, finding.b):
        first = item if isinstance(item, Event) else next(walk(item), None) if item is not None else None
        calls.append(None if first is None or first.call < 0 else first.call)
        positions.append(None if first is None else first.seq)
    return (calls[0], calls[1]), (positions[0], positions[1])


def _bypass_words(call: Call, runtime: str) -> str:
    name = call.path or "model"
    write = f"Write {name}(x)." if runtime.startswith("pytorch") else f"Write {name}.call(x)."
    if any(isinstance(item, Event) for item in call.items):
        return f"{_name(call.path)} was run by forward(), not call(), in {runtime}: its hooks never fired. {write}"
    words = f"{_name(call.path)} was not called in {runtime}, but its children were: it was run by forward()"
    return f"{words}, and its hooks never fired. {write}"


def _moved_words(finding: Finding, names: tuple[str, str], places: _Places) -> tuple[str, str]:
    a, b, (outer_a, outer_b) = finding.a, finding.b, finding.parents
    assert a is not None
    assert b is not None
    assert outer_a is not None
    assert outer_b is not None
    if isinstance(a, Event):
        scopes = {item.scope for item in outer_a.items if isinstance(item, Event) and item.phase == a.phase}
        here, there = places.number(a, outer_a), places.number(b, outer_b)
        words = f"{_name(outer_a.path)}: the {a.scope} {a.phase} hook {a.hook} fires as event {here} of the call"
        return ("O-1" if len(scopes) > 1 else "O-2"), f"{words} in {names[0]}, but as event {there} in {names[1]}."
    assert isinstance(b, Call)
    place_a, place_b = places.words(a, outer_a), places.words(b, outer_b)
    return "C-9", f"{_name(a.path)} is called {place_a} in {names[0]}, but {place_b} in {names[1]}."


class _Places:
    """Where items stand inside the call around them, looked up once per call so that many moves stay linear."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, type], tuple[Call, list[Event | Call], dict[int, int]]] = {}

    def _of(self, item: Event | Call, outer: Call) -> tuple[list[Event | Call], int]:
        """The items of the same sort (events or calls) inside ``outer``, and the index of ``item`` among them."""
        key = (id(outer), type(item))
        if key not in self._known:
            same = [entry for entry in outer.items if type(entry) is type(item)]
            self._known[key] = (outer, same, {id(entry): index for index, entry in enumerate(same)})
        _, same, index = self._known[key]
        return same, index[id(item)]

    def number(self, item: Event | Call, outer: Call) -> int:
        return self._of(item, outer)[1] + 1

    def words(self, call: Call, outer: Call) -> str:
        """Where a call stands among the calls of the one around it: '3rd inside block1, after conv1'."""
        inside, index = self._of(call, outer)
        words = _ordinal(index + 1) + (f" inside {_name(outer.path)}" if outer.parent else "")
        if index:
            return f"{words}, after {_name(inside[index - 1].path)}"
        return f"{words}, before {_name(inside[1].path)}" if len(inside) > 1 else words


def _type_notes(types: list[tuple[str, str, str]], names: tuple[str, str]) -> tuple[str, ...]:
    """Modules whose type names differ: no difference, as a port may name its classes as it likes."""
    return tuple(
        f"{_name(path)} is a {left} in {names[0]} and a {right} in {names[1]}."
        for path, left, right in dict.fromkeys(types)
    )


# -- Values ------------------------------------------------------------------------------------------------------------


#: Differences of values, the culprit, the largest difference and how much was compared.
_Found: TypeAlias = tuple[Sequence[Difference], Difference | None, float, int]


def _compare_columns(a: Trace, b: Trace, names: tuple[str, str], rtol: float, atol: float) -> _Found:
    """What :func:`_compare_rows` finds, for traces of one structure: only rows that are not equal at once are looked at, and of
    those in which digests alone differ no difference is made before somebody asks for it."""
    screened = screen(a.columns, b.columns)
    found: list[int | Difference] = []  # a number is a row whose difference is not made yet
    inputs: dict[int, bool] = {}
    entries = Entries(a.columns)
    culprit: Difference | None = None
    largest, compared = 0.0, screened.known
    only_devices = True

    def make(row: int) -> list[Difference]:
        x, y = a[row], b[row]
        return _difference(x, y, compare_values(x.values, y.values, rtol, atol), row, names)

    rows = screened.rows
    calls, phases = a.columns.call[rows].tolist(), a.columns.phase[rows].tolist()
    known = zip(rows.tolist(), screened.digests.tolist(), screened.compared.tolist(), calls, phases, strict=True)
    for row, by_digest, count, call, phase in known:
        made: list[Difference] = []
        differs = by_digest
        if by_digest:
            largest, compared = math.inf, compared + count
        else:
            x, y = a[row], b[row]
            result = compare_values(x.values, y.values, rtol, atol)
            largest, compared = max(largest, result.largest), compared + result.compared
            differs = result.differs or result.content
            if differs or result.arguments:
                made = _difference(x, y, result, row, names)
        if phase == _PRE:
            inputs[call] = inputs.get(call, False) or differs
        if differs and culprit is None and phase != _PRE:
            # Of a bypassed module the arguments are not known: it is to blame only when nothing before it differed.
            clean = not inputs.get(call, False) if call in inputs or entries.before(call, row) else only_devices
            culprit = (made or make(row))[-1] if clean else None
        only_devices = only_devices and not by_digest and all(d.device_only for d in made)
        found.extend(made or ([row] if by_digest else []))

    def item(position: int) -> Difference:
        entry = found[position]
        if isinstance(entry, int):
            entry = found[position] = make(entry)[-1]
        return entry

    if culprit is not None:
        found = [culprit if entry == culprit.row else entry for entry in found]
    numeric = (
        Made(len(found), item)
        if any(isinstance(entry, int) for entry in found)
        else tuple(map(item, range(len(found))))
    )
    return numeric, culprit, largest, compared


def _compare_rows(rows: list[Row], names: tuple[str, str], rtol: float, atol: float) -> _Found:
    found: list[Difference] = []
    culprit: Difference | None = None
    largest, compared = 0.0, 0
    inputs: dict[int, bool] = {}  # call number in a -> do the arguments differ
    for row, (x, y) in enumerate(rows):
        if x is None or y is None:
            continue
        if (known := _equal_at_once(x.values, y.values)) is not None:
            compared += known
            if x.phase == "pre":
                inputs.setdefault(x.call, False)
            continue
        result = compare_values(x.values, y.values, rtol, atol)
        largest, compared = max(largest, result.largest), compared + result.compared
        differs = result.differs or result.content
        if x.phase == "pre":
            inputs[x.call] = inputs.get(x.call, False) or differs
        if not (differs or result.arguments):
            continue
        made = _difference(x, y, result, row, names)
        if culprit is None and differs and x.phase != "pre":
            # Of a bypassed module the arguments are not known: it is to blame only when nothing before it differed.
            clean = not inputs[x.call] if x.call in inputs else all(d.device_only for d in found)
            culprit = made[-1] if clean else None
        found.extend(made)
    return tuple(found), culprit, largest, compared


def _equal_at_once(xs: tuple[Value, ...], ys: tuple[Value, ...]) -> int | None:
    """How many tensors' values are known to be equal, or None when a closer look is needed. This is the common case."""
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


def _difference(x: Event, y: Event, result: Comparison, row: int, names: tuple[str, str]) -> list[Difference]:
    phase = "bypass" if "bypass" in (x.phase, y.phase) else x.phase
    what, clause = {"pre": ("arguments", "P-1"), "forward": ("result", "F-1"), "bypass": ("result", "C-3")}[phase]
    what += " differ" if phase == "pre" else " differs"
    name, where = _name(x.path), ((x.call, y.call), (x.seq, y.seq), row)
    made = []
    if result.arguments:
        words = f"{name}: {what}, {'; '.join(result.arguments)} ({names[0]}; {names[1]})."
        device_only = not (result.content or result.differs)
        made.append(Difference("arguments", clause, x.path, x.phase, words, x.type, *where, device_only=device_only))
    if result.differs:
        if result.digests and not result.elements:
            words = "by digest; record with values='full' to see by how much"
        else:
            words = f"by up to {result.absolute:.3g} (relative {result.relative:.3g}) in {result.elements} of "
            words += _count(result.total, "number")
            if result.nonfinite:
                words += f", {result.nonfinite} of them NaN or infinite on one side only"
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


# -- Words -------------------------------------------------------------------------------------------------------------


def _name(path: str) -> str:
    return path or "the root"


def _names(a: Trace, b: Trace) -> tuple[str, str]:
    return (a.runtime, b.runtime) if a.runtime != b.runtime else (f"{a.runtime} (left)", f"{b.runtime} (right)")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
