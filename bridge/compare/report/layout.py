"""The rows of a diff as a tree of calls, for the terminal and the page. A row is an event of one trace, or two aligned events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bridge.trace import Event, Value
from bridge.trace.diff import Diff, Difference
from hook_contract.output.plain import to_printable

TIMES: Final = "\N{MULTIPLICATION SIGN}"

#: The mark of a row by the kind of difference; equal rows have none.
MARKS = {"lost": "<", "added": ">", "repeated": ">", "moved": "~", "arguments": "≠", "values": "≠"}


@dataclass(slots=True, eq=False)
class Line:
    """A row, ``depth`` calls deep.

    ``mark`` is a value of :data:`MARKS`, or empty for equal events. ``notes`` are the numbers, from 1, of the :func:`notes` on this row.
    """

    a: Event | None
    b: Event | None
    depth: int
    mark: str = ""
    notes: list[int] = field(default_factory=list)

    @property
    def event(self) -> Event:
        """Return the event, or the left one if there are two."""
        event = self.a or self.b
        assert event is not None
        return event


@dataclass(slots=True, eq=False)
class Group:
    """A module call, a pair of aligned calls, or the whole trace (depth -1), with its lines and inner calls in order."""

    path: str
    type: str
    depth: int
    parent: Group | None = None
    items: list[Line | Group] = field(default_factory=list)
    differs: bool = False
    events: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence on a difference; ``times`` differences have the same sentence."""

    difference: Difference
    times: int = 1

    def __str__(self) -> str:
        times = f" ({TIMES} {self.times})" if self.times > 1 else ""
        found = self.difference
        return f"{found.clause} {found.kind}: {to_printable(found.sentence, 1000)}{times}"


def notes(diff: Diff) -> list[Note]:
    """Return a note for each distinct sentence on a difference, structural differences first."""
    counts = Counter(difference.message for difference in (*diff.structural, *diff.numeric))
    first = {difference.message: difference for difference in reversed((*diff.structural, *diff.numeric))}
    return [Note(first[message], times) for message, times in counts.items()]


def layout(diff: Diff) -> Group:
    """Arrange the rows of ``diff.pairs`` as a tree under a group for the whole trace (depth -1)."""
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
    """The groups of the calls. Each group is created at the first row of its call, so that ``groups`` has outer calls first."""

    def __init__(self) -> None:
        self.top = Group("", "", -1)
        self.groups: list[Group] = []
        self._left: dict[int, Group] = {}
        self._right: dict[int, Group] = {}

    def group(self, a: Event | None, b: Event | None) -> Group:
        """Return the group of the row with these two events."""
        sides = [(event, known) for event, known in ((a, self._left), (b, self._right)) if event is not None]
        calls = [(event.call, known) for event, known in sides if event.phase != "bypass"]
        found = next((known[call] for call, known in calls if call in known), None)
        if found is None:
            event, known = sides[0]
            outer = _innermost_open(known.get(event.parent, self.top), event.path)
            found = Group(event.path, event.type, outer.depth + 1, outer)
            outer.items.append(found)
            self.groups.append(found)
        for call, known in calls:
            known.setdefault(call, found)
        return found


def _innermost_open(outer: Group, path: str) -> Group:
    """Return the innermost unfinished call in ``outer`` whose module contains ``path``; ``outer`` if there is none.

    If one model runs a module by ``forward()``, that model's trace names ``outer`` as the caller of the module's children. The calls of
    these children are shown inside the other model's call of the module.
    """
    while outer.items and isinstance(last := outer.items[-1], Group) and path.startswith(f"{last.path}."):
        if any(isinstance(item, Line) and item.event.phase != "pre" for item in last.items):
            break
        outer = last
    return outer


def lines(group: Group) -> Iterator[Line]:
    """Yield all lines of a group and its inner groups, in order.

    The function is not recursive: deeply nested calls would exceed Python's recursion limit.
    """
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


def format_value(value: Value) -> str:
    """Format a value: a tensor as ``1x3x12x12``, followed by a dtype other than float32 and a device other than cpu."""
    if value.kind == "none":
        return "None"
    if value.kind != "tensor":
        return value.kind if value.literal is None else to_printable(repr(value.literal), 24)
    sizes = "x".join(map(str, value.shape or ())) or "scalar"
    dtype = "" if value.dtype == "float32" else f" {value.dtype}"
    return sizes + dtype + ("" if value.device in ("cpu", None) else f"@{value.device}")


def format_values(event: Event) -> str:
    return ", ".join(map(format_value, event.values))


def format_path(path: str) -> str:
    return to_printable(path) if path else "(root)"
