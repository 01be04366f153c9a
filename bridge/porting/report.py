"""One HTML page on two traces: the verdict, the figures, the picture, and the aligned traces folded by call tree.

The page stands alone: it asks for nothing from outside, runs no script, and takes nothing in a trace for markup.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from bridge.diff import Diff
from bridge.porting.layout import Group, Line, layout, name, notes, shapes, shown
from bridge.trace import Event

#: Calls deeper than this are shown without a fold of their own: browsers stop nesting at some depth.
DEEPEST: Final = 100
#: Differences that the page spells out at once, and those behind a fold; the rest is counted.
FIRST: Final = 8
NOTES: Final = 200

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_WORDS: Final = {"<": "lost", ">": "added", "~": "moved", "≠": "differs", "": "equal"}


def write_report(
    path: Path,
    diff: Diff,
    *,
    title: str,
    verdict: str,
    figures: Mapping[str, str],
    picture_png: bytes | None = None,
) -> None:
    """Writes the page to ``path``, at once or not at all: a reader never sees half a page.

    ``figures`` are shown as a table, names left. ``picture_png`` is put into the page itself; ValueError if it is no
    PNG. An existing file is replaced. Raises OSError when the folder of ``path`` cannot be written to.
    """
    if picture_png is not None and not picture_png.startswith(_PNG):
        raise ValueError("picture_png is no PNG file: hand over the bytes of a file that was saved as PNG.")
    picture = "" if picture_png is None else "data:image/png;base64," + base64.b64encode(picture_png).decode("ascii")
    environment = Environment(
        loader=PackageLoader("bridge.porting"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    said = notes(diff)
    page = environment.get_template("report.html").render(
        title=shown(title, 200),
        verdict=_plain(verdict),
        good=diff.same,
        explanation="" if diff.same else _plain(diff.explain()),
        figures={shown(key): shown(figure, 500) for key, figure in figures.items()},
        picture=picture,
        names=[shown(side) for side in diff.names],
        counts=[(len(trace), trace.calls) for trace in (diff.a, diff.b)],
        notes=[str(note) for note in said[:NOTES]],
        first=FIRST,
        more=max(0, len(said) - NOTES),
        remarks=[shown(remark, 500) for remark in diff.notes],
        parts=_parts(layout(diff)),
    )
    _write_at_once(path, page)


def _plain(text: str) -> str:
    return "\n".join(shown(line, 2000) for line in text.splitlines())


@dataclass(frozen=True, slots=True)
class _Part:
    """One step of the page's stream: ``open`` or ``close`` a fold, or a ``row``. A stream needs no recursion."""

    kind: str
    depth: int = 0
    word: str = "equal"
    heading: str = ""
    detail: str = ""
    unfolded: bool = False
    cells: tuple[dict[str, str] | None, ...] = ()
    mark: str = ""
    numbers: tuple[int, ...] = ()


def _parts(top: Group) -> Iterator[_Part]:
    seen: set[str] = set()
    stack: list[tuple[Iterator[Line | Group], bool]] = [(iter(top.items), False)]
    while stack:
        items, folds = stack[-1]
        for item in items:
            if isinstance(item, Line):
                yield _row(item)
                continue
            folded = item.depth < DEEPEST and (item.depth == 0 or any(isinstance(inner, Group) for inner in item.items))
            if folded:
                yield _fold(item, unfolded=item.differs or item.depth > 0 or item.path not in seen)
                seen.add(item.path)
            stack.append((iter(item.items), folded))
            break
        else:
            stack.pop()
            if folds:
                yield _Part("close")


def _fold(group: Group, *, unfolded: bool) -> _Part:
    word = "differs" if group.differs else "equal"
    calls = f"{group.events} event" + ("" if group.events == 1 else "s")
    first = next((item.event for item in group.items if isinstance(item, Line)), None)
    detail = f"{shapes(first)} · {calls}" if first is not None and first.values else calls
    heading = f"{name(group.path)} {shown(group.type)}"
    return _Part("open", group.depth, word, heading, shown(detail, 200), unfolded)


def _row(line: Line) -> _Part:
    cells = tuple(_cell(event) for event in (line.a, line.b))
    return _Part(
        "row", min(line.depth, DEEPEST), _WORDS[line.mark], cells=cells, mark=line.mark, numbers=tuple(line.notes)
    )


def _cell(event: Event | None) -> dict[str, str] | None:
    if event is None:
        return None
    hook = "" if (event.scope, event.hook) == ("global", 0) else f"{shown(event.scope)} hook {event.hook}"
    return {
        "name": name(event.path),
        "type": shown(event.type),
        "phase": shown(event.phase),
        "hook": hook,
        "shapes": shown(shapes(event), 200),
    }


def _write_at_once(path: Path, text: str) -> None:
    target = Path(path).resolve()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The permissions that the page shall have: those of the file it replaces, else what a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
