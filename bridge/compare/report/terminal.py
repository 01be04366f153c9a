"""Two aligned traces side by side in a terminal.

What is equal is folded to fit, what differs never is. Works without colour and in a pipe: every mark is a character.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bridge.compare.report.layout import MARKS, TIMES, Group, Line, layout, lines, name, notes, shapes
from bridge.output.plain import shown
from bridge.output.sentences import HANG, wrapped
from bridge.trace import Event
from bridge.trace.diff import Diff

#: Lines of equal events that stay visible before and after a difference.
CONTEXT: Final = 2
#: Differences that are spelled out below the columns; the rest is counted.
NOTES: Final = 20

_STYLES: Final = {"<": "red", ">": "green", "~": "yellow", "≠": "magenta", "": ""}
_ASCII: Final = str.maketrans({"…": "~", TIMES: "x", "≠": "!"})


@dataclass(slots=True)
class _Shown:
    """One line of output: an aligned row, or (without one) a word on what was folded away."""

    line: Line | None = None
    folded: str = ""
    depth: int = 0
    times: int = 1
    keep: bool = False


def side_by_side(diff: Diff, *, width: int | None = None, limit: int = 60) -> RenderableType:
    """The two traces of ``diff`` as two columns under the runtimes' names, then what differs in words.

    One line per event: module path, type, phase, and the shapes of its values, indented by nesting. Equal calls of one
    root in a row are shown once, with their number. If there are more than ``limit`` lines, equal stretches are folded
    (``… 96 equal events …``); lines that differ are always shown. The mark between the columns is ``<`` only left,
    ``>`` only right, ``~`` moved, ``≠`` other arguments or values, with the number of its explanation. ``width`` is the
    console's where it is None.
    """
    return _SideBySide(diff, width, limit)


def first_lines(words: str, width: int, height: int) -> str:
    """The beginning of a text, so much as fits on a screen, and how many lines are left out; it is not cut within a line."""
    lines, used = words.splitlines(), 0
    for number, line in enumerate(lines):
        rows = wrapped(line, width, hang=HANG).split("\n")
        used += sum(max(1, -(-cell_len(row) // max(1, width))) for row in rows)
        if used > max(3, height) and number:
            rest = len(lines) - number
            return "\n".join([*lines[:number], f"… and {rest} more line{'' if rest == 1 else 's'}: --all shows them."])
    return words


def fits(console: Console, item: RenderableType) -> bool:
    """Return whether a table has the width that it needs, so that no word of it is broken."""
    room = console.options.update(max_width=10 * console.width)
    return console.measure(item, options=room).maximum <= console.width


class _SideBySide:
    def __init__(self, diff: Diff, width: int | None, limit: int) -> None:
        self._diff = diff
        self._width = width
        self._limit = limit

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        plain = options.ascii_only
        width = max(20, min(self._width or options.max_width, options.max_width))
        top, said = layout(self._diff), notes(self._diff)
        marks = max((len(_mark(line)) for line in lines(top)), default=1) or 1
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, width=width, show_edge=False)
        left, right = (_text(shown(side), "bold", plain) for side in self._diff.names)
        half = max(1, (width - marks - 2) // 2)
        table.add_column(left, width=half)
        table.add_column("", width=marks, no_wrap=True)
        table.add_column(right, width=half)
        for entry in _folded(top, self._limit):
            table.add_row(*_cells(entry, plain, half - 1))
        yield table
        for number, note in enumerate(said[:NOTES], 1):
            style = _STYLES[MARKS[note.difference.kind]]
            yield _text(wrapped(f"{number}. {note}", options.max_width, hang=HANG), style, plain)
        if len(said) > NOTES:
            yield _text(f"… and {len(said) - NOTES} more.", "", plain)


def _cells(entry: _Shown, plain: bool, width: int) -> tuple[RenderableType, RenderableType, RenderableType]:
    line = entry.line
    indent = "  " * entry.depth
    if line is None:
        folded = _text(indent + entry.folded, "dim", plain)
        return folded, Text(), folded.copy()
    style = _STYLES[line.mark]
    times = f" {TIMES} {entry.times}" if entry.times > 1 and not entry.depth else ""
    cells = (_text(indent + _event(event, times) if event else "", style, plain) for event in (line.a, line.b))
    first, second = cells
    for cell in (first, second):
        cell.no_wrap, cell.overflow = not line.mark, "fold" if line.mark else "ellipsis"
    if line.mark:  # it is shown whole, in several lines where it must
        return _hanging(first, entry.depth), _text(_mark(line), style, plain), _hanging(second, entry.depth)
    return _short(first, width, plain), _text(_mark(line), style, plain), _short(second, width, plain)


def _short(cell: Text, width: int, plain: bool) -> Text:
    """Cut a cell that is too wide behind a word, where one is left."""
    head = cell.plain[: width - 1].rpartition(" ")[0]
    if cell_len(cell.plain) > width and head.strip():
        cell.plain = f"{head} {'~' if plain else '…'}"
    return cell


def _hanging(cell: Text, depth: int) -> RenderableType:
    """Indent all lines of a cell as its first one."""
    cell.plain = cell.plain.lstrip(" ")
    return Padding(cell, (0, 0, 0, 2 * depth))


def _event(event: Event, times: str) -> str:
    values = shapes(event)
    return f"{name(event.path)} {shown(event.type)}{times} {event.phase}" + (f" {values}" if values else "")


def _mark(line: Line) -> str:
    return line.mark + ",".join(map(str, line.notes))


def _text(content: str, style: str, plain: bool) -> Text:
    return Text(content.translate(_ASCII) if plain else content, style=style)


# -- Folding -----------------------------------------------------------------------------------------------------------


def _folded(top: Group, limit: int) -> list[_Shown]:
    found = list(_once(top))
    for index, entry in enumerate(found):
        if entry.line is not None and entry.line.mark:
            for near in found[max(0, index - CONTEXT) : index + CONTEXT + 1]:
                near.keep = True
        entry.keep |= entry.line is not None and entry.depth == 0
    if len(found) <= limit:
        return found
    stretches = list(_stretches(found))
    keep = 0
    while _length(stretches, keep + 1) <= limit:
        keep += 1
    out: list[_Shown] = []
    for stretch in stretches:
        if stretch[0].keep or len(stretch) <= 2 * keep + 1:
            out += stretch
        else:
            hidden = stretch[keep : len(stretch) - keep]
            count = sum(entry.times for entry in hidden if entry.line is not None)
            depth = min(entry.depth for entry in hidden)
            out += stretch[:keep]
            out.append(_Shown(folded=f"… {count} equal events …", depth=depth))
            out += stretch[len(stretch) - keep :]
    return out


def _length(stretches: list[list[_Shown]], keep: int) -> int:
    """How many lines there will be when each equal stretch keeps ``keep`` lines at both ends."""
    return sum(len(s) if s[0].keep else min(len(s), 2 * keep + 1) for s in stretches)


def _stretches(found: list[_Shown]) -> Iterator[list[_Shown]]:
    """Neighbours that are all to be kept or all equal."""
    for _, stretch in groupby(found, key=attrgetter("keep")):
        yield list(stretch)


def _once(top: Group) -> Iterator[_Shown]:
    """All lines, but of equal calls of the same root in a row only the first one's, with their number."""
    position = 0
    while position < len(top.items):
        item = top.items[position]
        position += 1
        if isinstance(item, Line):
            yield _Shown(item, depth=max(0, item.depth))
            continue
        times = 1
        if not item.differs:
            form = _form(item)
            while position < len(top.items) and _repeats(top.items[position], form):
                times, position = times + 1, position + 1
        for line in lines(item):
            yield _Shown(line, depth=line.depth, times=times)


def _form(group: Group) -> list[tuple[str, str, int]]:
    return [(line.event.path, line.event.phase, line.depth) for line in lines(group)]


def _repeats(item: Line | Group, form: list[tuple[str, str, int]]) -> bool:
    return isinstance(item, Group) and not item.differs and item.events == len(form) and _form(item) == form
