"""Two aligned traces in columns, for a terminal.

Equal events are folded to fit; differing events are never folded.
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

from bridge.compare.report.layout import MARKS, TIMES, Group, Line, format_path, format_values, layout, lines, notes
from bridge.trace import Event
from bridge.trace.diff import Diff
from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import HANG, plural, wrap_lines

#: The number of lines before and after a difference that are never folded.
CONTEXT: Final = 2
#: The largest number of sentences below the columns; the rest is counted.
NOTES: Final = 20

_STYLES: Final = {"<": "red", ">": "green", "~": "yellow", "≠": "magenta", "": ""}
_ASCII: Final = str.maketrans({"…": "~", TIMES: "x", "≠": "!"})


@dataclass(slots=True)
class _OutputLine:
    """A line of output."""

    #: The row of the diff; None for a line that stands for folded events.
    line: Line | None = None
    #: The text of a line that stands for folded events; else empty.
    folded: str = ""
    depth: int = 0
    #: The number of calls that the line stands for.
    times: int = 1
    #: Whether the line must not be folded.
    keep: bool = False


def render_traces(diff: Diff, *, width: int | None = None, limit: int = 60) -> RenderableType:
    """Return the traces of ``diff`` as two columns under the runtimes' names, followed by sentences on the differences.

    Each line has the module path, type, phase and shapes of an event, indented by nesting. Consecutive outermost calls without a
    difference that run the same modules in the same order are shown once: the first call, and the number of calls. Beyond ``limit`` lines,
    equal events are folded (``… 96 equal events …``).

    The marks between the columns are ``<`` left only, ``>`` right only, ``~`` moved, ``≠`` another phase, other arguments or values. The
    numbers after a mark are those of the sentences on the row. ``width`` is the console's by default. A larger ``width`` is reduced to the
    console's; a result below 20 is raised to 20.
    """
    return _SideBySide(diff, width, limit)


def first_lines(words: str, width: int, height: int) -> str:
    """Return the first lines of a text that fit in ``height`` rows (at least 3), and a line that counts the others if there are any."""
    lines, used = words.splitlines(), 0
    for number, line in enumerate(lines):
        rows = wrap_lines(line, width, hang=HANG).split("\n")
        used += sum(max(1, -(-cell_len(row) // max(1, width))) for row in rows)
        if used > max(3, height) and number:
            rest = plural(len(lines) - number, "more line")
            return "\n".join([*lines[:number], f"… and {rest}: --all shows them."])
    return words


def fits(console: Console, item: RenderableType) -> bool:
    """Return whether an item, such as a table, fits the console without line breaks."""
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
        top, sentences = layout(self._diff), notes(self._diff)
        marks = max((len(_mark(line)) for line in lines(top)), default=1) or 1
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, width=width, show_edge=False)
        left, right = (_text(to_printable(side), "bold", plain) for side in self._diff.names)
        half = max(1, (width - marks - 2) // 2)
        table.add_column(left, width=half)
        table.add_column("", width=marks, no_wrap=True)
        table.add_column(right, width=half)
        for entry in _fold(top, self._limit):
            table.add_row(*_cells(entry, plain, half - 1))
        yield table
        for number, note in enumerate(sentences[:NOTES], 1):
            style = _STYLES[MARKS[note.difference.kind]]
            yield _text(wrap_lines(f"{number}. {note}", options.max_width, hang=HANG), style, plain)
        if len(sentences) > NOTES:
            yield _text(f"… and {len(sentences) - NOTES} more.", "", plain)


def _cells(entry: _OutputLine, plain: bool, width: int) -> tuple[RenderableType, RenderableType, RenderableType]:
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
    if line.mark:  # shown whole, in several lines if necessary
        return (
            _indent_all_lines(first, entry.depth),
            _text(_mark(line), style, plain),
            _indent_all_lines(second, entry.depth),
        )
    return _shorten_cell(first, width, plain), _text(_mark(line), style, plain), _shorten_cell(second, width, plain)


def _shorten_cell(cell: Text, width: int, plain: bool) -> Text:
    """Shorten a cell that is too wide, at the end of a word."""
    head = cell.plain[: width - 1].rpartition(" ")[0]
    if cell_len(cell.plain) > width and head.strip():
        cell.plain = f"{head} {'~' if plain else '…'}"
    return cell


def _indent_all_lines(cell: Text, depth: int) -> RenderableType:
    """Indent all lines of a cell like the first."""
    cell.plain = cell.plain.lstrip(" ")
    return Padding(cell, (0, 0, 0, 2 * depth))


def _event(event: Event, times: str) -> str:
    values = format_values(event)
    return f"{format_path(event.path)} {to_printable(event.type)}{times} {event.phase}" + (
        f" {values}" if values else ""
    )


def _mark(line: Line) -> str:
    return line.mark + ",".join(map(str, line.notes))


def _text(content: str, style: str, plain: bool) -> Text:
    return Text(content.translate(_ASCII) if plain else content, style=style)


def _fold(top: Group, limit: int) -> list[_OutputLine]:
    found = list(_merge_repeats(top))
    for index, entry in enumerate(found):
        if entry.line is not None and entry.line.mark:
            for near in found[max(0, index - CONTEXT) : index + CONTEXT + 1]:
                near.keep = True
        entry.keep |= entry.line is not None and entry.depth == 0
    if len(found) <= limit:
        return found
    stretches = list(_stretches(found))
    keep = 0
    while _line_count(stretches, keep + 1) <= limit:
        keep += 1
    out: list[_OutputLine] = []
    for stretch in stretches:
        if stretch[0].keep or len(stretch) <= 2 * keep + 1:
            out += stretch
        else:
            hidden = stretch[keep : len(stretch) - keep]
            count = sum(entry.times for entry in hidden if entry.line is not None)
            depth = min(entry.depth for entry in hidden)
            out += stretch[:keep]
            out.append(_OutputLine(folded=f"… {count} equal events …", depth=depth))
            out += stretch[len(stretch) - keep :]
    return out


def _line_count(stretches: list[list[_OutputLine]], keep: int) -> int:
    """Count the lines when a stretch that may be folded keeps ``keep`` lines at each end, and one line stands for the others."""
    return sum(len(s) if s[0].keep else min(len(s), 2 * keep + 1) for s in stretches)


def _stretches(found: list[_OutputLine]) -> Iterator[list[_OutputLine]]:
    """Yield runs of adjacent lines that are all kept, or that may all be folded."""
    for _, stretch in groupby(found, key=attrgetter("keep")):
        yield list(stretch)


def _merge_repeats(top: Group) -> Iterator[_OutputLine]:
    """Yield all lines, except those of an outermost call that repeats the call before it.

    A call repeats another if both have no difference and equal results of :func:`_outline`.
    """
    position = 0
    while position < len(top.items):
        item = top.items[position]
        position += 1
        if isinstance(item, Line):
            yield _OutputLine(item, depth=max(0, item.depth))
            continue
        times = 1
        if not item.differs:
            outline = _outline(item)
            while position < len(top.items) and _repeats(top.items[position], outline):
                times, position = times + 1, position + 1
        for line in lines(item):
            yield _OutputLine(line, depth=line.depth, times=times)


def _outline(group: Group) -> list[tuple[str, str, int]]:
    """Return the path, phase and depth of each line."""
    return [(line.event.path, line.event.phase, line.depth) for line in lines(group)]


def _repeats(item: Line | Group, outline: list[tuple[str, str, int]]) -> bool:
    return isinstance(item, Group) and not item.differs and item.events == len(outline) and _outline(item) == outline
