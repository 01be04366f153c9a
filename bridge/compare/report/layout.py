"""The rows of a diff as a call tree, which the terminal and the page both fold and draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bridge.output.plain import shown
from bridge.trace import Event, Value
from bridge.trace.diff import Diff, Difference

#: Written before how often something happened: the multiplication sign, not the letter x.
TIMES: Final = "\N{MULTIPLICATION SIGN}"

#: How a row is marked, by the kind of difference; a row without one is equal on both sides.
MARKS = {"lost": "<", "added": ">", "repeated": ">", "moved": "~", "arguments": "≠", "values": "≠"}


@dataclass(slots=True, eq=False)
class Line:
    """One row: an event of either trace or of both, ``depth`` calls deep, with the differences that are named there.

    ``mark`` is one of :data:`MARKS`' values, or "" where both sides are equal. ``notes`` are the numbers (from 1)
    of :func:`notes` that begin in this row.
    """

    a: Event | None
    b: Event | None
    depth: int
    mark: str = ""
    notes: list[int] = field(default_factory=list)

    @property
    def event(self) -> Event:
        event = self.a or self.b
        assert event is not None
        return event


@dataclass(slots=True, eq=False)
class Group:
    """One module call (or a pair of aligned calls), with its lines and inner calls in order."""

    path: str
    type: str
    depth: int
    parent: Group | None = None
    items: list[Line | Group] = field(default_factory=list)
    differs: bool = False
    events: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """What is said about a difference; ``times`` differences say the same."""

    difference: Difference
    times: int = 1

    def __str__(self) -> str:
        times = f" ({TIMES} {self.times})" if self.times > 1 else ""
        found = self.difference
        return f"{found.clause} {found.kind}: {shown(found.sentence, 1000)}{times}"


def notes(diff: Diff) -> list[Note]:
    """All differences in words, structural ones first, each sort in row order, each text once."""
    counts = Counter(difference.message for difference in (*diff.structural, *diff.numeric))
    first = {difference.message: difference for difference in reversed((*diff.structural, *diff.numeric))}
    return [Note(first[message], times) for message, times in counts.items()]


def layout(diff: Diff) -> Group:
    """The rows of ``diff.pairs`` as a tree under a group for the entire trace (depth -1)."""
    numbers = {note.difference.message: number for number, note in enumerate(notes(diff), 1)}
    marks: dict[int, str] = {}
    noted: dict[int, list[int]] = {}
    for difference in (*diff.structural, *diff.numeric):
        noted.setdefault(difference.row, []).append(numbers[difference.message])
        marks.setdefault(difference.row, MARKS[difference.kind])
        if difference.other_row >= 0:
            marks.setdefault(difference.other_row, MARKS[difference.kind])
    tree = _Tree()
    moved: set[int] = set()
    for row, (a, b) in enumerate(diff.pairs):
        group = tree.group(a, b)
        mark = marks.get(row, "")
        if not mark and a is not None and b is not None:
            mark = "" if a.phase == b.phase else "≠"
        elif not mark:
            mark = "~" if id(group) in moved or id(group.parent) in moved else "<" if b is None else ">"
        if mark == "~":
            moved.add(id(group))
        group.items.append(Line(a, b, group.depth, mark, noted.get(row, [])))
        group.events += 1
        group.differs |= bool(mark)
    for group in reversed(tree.groups):
        if group.parent is not None:
            group.parent.events += group.events
            group.parent.differs |= group.differs
    return tree.top


class _Tree:
    """Makes a group per call as its first row comes; outer calls come first."""

    def __init__(self) -> None:
        self.top = Group("", "", -1)
        self.groups: list[Group] = []
        self._left: dict[int, Group] = {}
        self._right: dict[int, Group] = {}

    def group(self, a: Event | None, b: Event | None) -> Group:
        """The group that a row of these two events belongs to."""
        sides = [(event, known) for event, known in ((a, self._left), (b, self._right)) if event is not None]
        calls = [(event.call, known) for event, known in sides if event.phase != "bypass"]
        found = next((known[call] for call, known in calls if call in known), None)
        if found is None:
            event, known = sides[0]
            outer = _running(known.get(event.parent, self.top), event.path)
            found = Group(event.path, event.type, outer.depth + 1, outer)
            outer.items.append(found)
            self.groups.append(found)
        for call, known in calls:
            known.setdefault(call, found)
        return found


def _running(outer: Group, path: str) -> Group:
    """The call inside ``outer`` that a submodule of its module is called from although the trace says ``outer`` (a
    bypassed container is not a call): the last one, while its result is still to come."""
    while outer.items and isinstance(last := outer.items[-1], Group) and path.startswith(f"{last.path}."):
        if any(isinstance(item, Line) and item.event.phase != "pre" for item in last.items):
            break
        outer = last
    return outer


def lines(group: Group) -> Iterator[Line]:
    """All lines of a group, in order, however deep it is."""
    stack: list[Iterator[Line | Group]] = [iter(group.items)]
    while stack:
        for item in stack[-1]:
            if isinstance(item, Line):
                yield item
            else:
                stack.append(iter(item.items))
                break
        else:
            stack.pop()


def shape(value: Value) -> str:
    """A value in short: ``1x3x12x12``, the dtype and device only where they are not float32 and cpu."""
    if value.kind != "tensor":
        return (
            "None" if value.kind == "none" else value.kind if value.literal is None else shown(repr(value.literal), 24)
        )
    sizes = "x".join(map(str, value.shape or ())) or "scalar"
    dtype = "" if value.dtype == "float32" else f" {value.dtype}"
    return sizes + dtype + ("" if value.device in ("cpu", None) else f"@{value.device}")


def shapes(event: Event) -> str:
    """An event's values in short."""
    return ", ".join(map(shape, event.values))


def name(path: str) -> str:
    """A module path as shown; the root has no name of its own."""
    return shown(path) if path else "(root)"
