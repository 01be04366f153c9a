"""Order-aware comparison of two traces.

Two passes. Structure first: the same events in the same order (C-6, C-9, O-1), tolerance zero. Values second: the
arguments and results of every pair of events that stand opposite each other, numbers within a tolerance.
The first difference of each kind is named with the module path and the clause, in words for somebody who ports a model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import attrgetter, eq
from typing import Final

import numpy as np

from bridge.align import Call, Finding, Row, align, call_tree, calls_in, walk
from bridge.trace import Event, Trace, Value

#: What a :class:`Difference` can be. The first four are structural, the last two come from the values.
KINDS: Final = ("lost", "added", "moved", "repeated", "arguments", "values")

_structure = attrgetter("path", "phase", "scope", "hook", "call", "parent")


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
    on both sides. ``bypassed`` are the module paths run by ``forward()`` on one side only.
    """

    a: Trace
    b: Trace
    pairs: tuple[Row, ...]
    structural: tuple[Difference, ...] = ()
    numeric: tuple[Difference, ...] = ()
    culprit: Difference | None = None
    largest_difference: float = 0.0
    compared: int = 0
    bypassed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

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
        """One to a few lines: the first structural difference, the first of values, the bypassed modules."""
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
    rows: list[Row]
    findings: list[Finding] = []
    if len(a) == len(b) and all(map(eq, map(_structure, a.events), map(_structure, b.events))):
        rows = list(zip(a.events, b.events, strict=True))
    else:
        rows, findings = align(call_tree(a.events), call_tree(b.events))
    places = _Places()
    structural = tuple(_structural(finding, names, places) for finding in findings)
    numeric, culprit, largest, compared = _compare_rows(rows, names, rtol, atol)
    bypassed = tuple(dict.fromkeys(d.path for d in structural if d.clause == "C-3"))
    return Diff(a, b, tuple(rows), structural, numeric, culprit, largest, compared, bypassed, _type_notes(rows, names))


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
    write = f"Write {call.path}.call(x)." if call.path else "Write model.call(x)."
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


def _type_notes(rows: list[Row], names: tuple[str, str]) -> tuple[str, ...]:
    """Modules whose type names differ: no difference, as a port may name its classes as it likes."""
    seen = {(x.path, x.type, y.type): None for x, y in rows if x is not None and y is not None and x.type != y.type}
    return tuple(f"{_name(path)} is a {left} in {names[0]} and a {right} in {names[1]}." for path, left, right in seen)


# -- Values ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Comparison:
    """What comparing two tuples of values gave; ``content`` is whether more than the device differs."""

    arguments: list[str]
    content: bool = False
    absolute: float = 0.0
    relative: float = 0.0
    elements: int = 0
    nonfinite: int = 0
    total: int = 0
    digests: bool = False
    differs: bool = False
    largest: float = 0.0
    compared: int = 0


def _compare_rows(
    rows: list[Row], names: tuple[str, str], rtol: float, atol: float
) -> tuple[tuple[Difference, ...], Difference | None, float, int]:
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
        result = _compare_values(x.values, y.values, rtol, atol)
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


def _difference(x: Event, y: Event, result: _Comparison, row: int, names: tuple[str, str]) -> list[Difference]:
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


def _compare_values(xs: tuple[Value, ...], ys: tuple[Value, ...], rtol: float, atol: float) -> _Comparison:
    result = _Comparison([])
    if len(xs) != len(ys):
        result.arguments.append(f"{_count(len(xs), 'value')} against {len(ys)}")
        result.content = True
    for index, (x, y) in enumerate(zip(xs, ys, strict=False)):
        mark = f"value {index} " if max(len(xs), len(ys)) > 1 else ""
        if x.kind != y.kind:
            result.arguments.append(f"{mark}kind {x.kind} against {y.kind}")
            result.content = True
            continue
        if x.kind != "tensor":
            _compare_literals(x, y, mark, result, rtol, atol)
            continue
        for name in ("shape", "dtype", "device"):
            left, right = getattr(x, name), getattr(y, name)
            if left != right:
                result.arguments.append(f"{mark}{name} {left} against {right}")
                result.content |= name != "device"
        if x.shape == y.shape:
            _compare_tensors(x, y, result, rtol, atol)
    return result


def _compare_literals(x: Value, y: Value, mark: str, result: _Comparison, rtol: float, atol: float) -> None:
    left, right = x.literal, y.literal
    if isinstance(left, int | float) and isinstance(right, int | float):
        result.compared += 1
        if left == right or (left != left and right != right):
            return
        gap = abs(left - right) if math.isfinite(left) and math.isfinite(right) else math.inf
        result.largest = max(result.largest, gap)
        if gap < math.inf and gap <= atol + rtol * max(abs(left), abs(right)):
            return
    elif left == right:
        return
    result.arguments.append(f"{mark}{left!r} against {right!r}")
    result.content = True


def _compare_tensors(x: Value, y: Value, result: _Comparison, rtol: float, atol: float) -> None:
    known = x.digest is not None and y.digest is not None
    full = x.data is not None and y.data is not None
    if not (known or full):
        return
    result.compared += 1
    if known and x.digest == y.digest and x.dtype == y.dtype:
        return
    if x.data is None or y.data is None:
        result.differs = result.digests = True
        result.absolute = result.relative = result.largest = math.inf
        return
    if x.data is y.data or (x.data.dtype == y.data.dtype and np.array_equal(x.data, y.data)):
        result.total += x.data.size
        return
    _compare_numbers(x.data, y.data, result, rtol, atol)


def _compare_numbers(x: np.ndarray, y: np.ndarray, result: _Comparison, rtol: float, atol: float) -> None:
    if x.dtype.kind in "biu" and y.dtype.kind in "biu":
        low, high = np.minimum(x, y), np.maximum(x, y)
        gap = (high.astype(np.uint64) - low.astype(np.uint64)).astype(np.float64)  # exact: modulo 2**64
        mismatch = np.zeros((), bool)
        size = np.maximum(np.abs(x.astype(np.float64)), np.abs(y.astype(np.float64)))
    else:
        x, y = _real(x), _real(y)
        with np.errstate(all="ignore"):
            gap, size = np.abs(x - y), np.maximum(np.abs(x), np.abs(y))
        mismatch = np.zeros((), bool)
        if not np.isfinite(gap).all():
            alike = (x == y) | (np.isnan(x) & np.isnan(y))
            mismatch = ~alike & ~(np.isfinite(x) & np.isfinite(y))
            gap = np.where(mismatch, np.inf, np.where(alike, 0.0, gap))
            size = np.where(np.isfinite(size), size, 0.0)
    result.total += gap.size
    if not gap.size:
        return
    result.largest = max(result.largest, float(gap.max()))
    with np.errstate(over="ignore"):
        out = mismatch | (gap > atol + rtol * size)
    if out.any():
        with np.errstate(all="ignore"):
            share = np.where(gap == 0, 0.0, gap / size)
        result.differs = True
        result.elements += int(np.count_nonzero(out))
        result.nonfinite += int(mismatch.sum())
        result.absolute = max(result.absolute, float(gap.max()))
        result.relative = max(result.relative, float(share.max()))


def _real(x: np.ndarray) -> np.ndarray:
    return np.stack((x.real, x.imag)).astype(np.float64) if x.dtype.kind == "c" else x.astype(np.float64)


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
