"""The demo from its first line to its exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bridge.compare.report import summary
from bridge.compare.report.page import write_report
from bridge.compare.report.terminal import fits, side_by_side
from bridge.compare.run import one_thread
from bridge.demo import by_forward
from bridge.demo.comparison import Comparison, Run, compare
from bridge.demo.parts import CannotRun, Parts, gather
from bridge.demo.picture import drawn

LINES = 40  # of the two traces side by side; the page has them all
SAME, DIFFERENT, CANNOT_RUN = 0, 1, 2
_FACE = ("x1", "y1", "x2", "y2", "probability", "nose")
TITLE = "MTCNN on one picture, in PyTorch and in .NET"


def show(console: Console, html: Path | None, found: dict[str, Any]) -> int:
    """The complete demo, as `bridge.demo.run` describes it."""
    try:
        parts = gather()
    except CannotRun as error:
        console.print(f"[red]The demo cannot run:[/] {escape(str(error))}", soft_wrap=True)
        found.update(summary.of_error(error))
        return CANNOT_RUN
    with one_thread():
        trapped = _show_trap(console, parts)
        comparison = compare(parts)
    _show_comparison(console, comparison)
    verdict = "same" if trapped and comparison.same else "different"
    found.update(
        summary.of_diff(comparison.diff), verdict=verdict, summary=comparison.verdict, figures=comparison.figures()
    )
    if html is not None and not _write(console, html, parts, comparison):
        return CANNOT_RUN
    return SAME if trapped and comparison.same else DIFFERENT


def _show_trap(console: Console, parts: Parts) -> bool:
    """Prints the calls by ``forward`` and by ``call``. True when both runtimes behaved by the contract."""
    attempts, found = by_forward.spring(parts.assembly)
    console.print(by_forward.table(attempts))
    console.print("Comparing the PyTorch model with the C# model that uses forward():")
    console.print(escape(found.explain()), style="italic")
    console.print()
    if not (expected := by_forward.as_expected(attempts)):
        console.print("[red]Different: a call must fire the hook once, forward() never (C-3).[/]")
    return expected


def _show_comparison(console: Console, comparison: Comparison) -> None:
    console.rule(TITLE)
    console.print(side_by_side(comparison.diff, limit=LINES))
    faces = _faces(comparison.pytorch, comparison.dotnet)
    console.print(faces if fits(console, faces) else _faces_below(comparison.pytorch, comparison.dotnet))
    figures = Table("figure", "value", title="Figures")
    for name, figure in comparison.figures().items():
        figures.add_row(name, figure)
    console.print(figures)
    console.print(f"[bold {'green' if comparison.same else 'red'}]{escape(comparison.verdict)}[/]", soft_wrap=True)
    if not comparison.diff.same:
        console.print(escape(comparison.diff.explain()), soft_wrap=True)


def _faces(*runs: Run) -> Table:
    shown = Table("runtime", *_FACE, title="Faces")
    for one in runs:
        found = one.detection
        for box, probability, points in zip(found.boxes, found.probabilities, found.landmarks, strict=True):
            nose = f"{points[2, 0]:.1f}, {points[2, 1]:.1f}"
            shown.add_row(one.runtime, *(f"{corner:.3f}" for corner in box), f"{probability:.6f}", nose)
    return shown


def _faces_below(*runs: Run) -> Table:
    """The faces for a narrow terminal: a line for each number, and a column for each runtime."""
    shown = Table("", *(one.runtime for one in runs), title="Faces")
    columns = [list(zip(*(column.cells for column in _faces(one).columns[1:]), strict=True)) for one in runs]
    for place in range(max(map(len, columns))):
        for number, name in enumerate(_FACE):
            shown.add_row(name, *(str(faces[place][number]) if place < len(faces) else "" for faces in columns))
        shown.add_section()
    return shown


def _write(console: Console, html: Path, parts: Parts, comparison: Comparison) -> bool:
    """Writes the page. False when the place cannot be written to."""
    try:
        write_report(
            html,
            comparison.diff,
            title=TITLE,
            verdict=comparison.verdict,
            figures=comparison.figures(),
            picture_png=drawn(parts.picture, comparison.dotnet.detection),
        )
    except OSError as error:
        reason = error.strerror or str(error)
        words = f"[red]{escape(str(html))} cannot be written:[/] {escape(reason)}. Choose another with --html."
        console.print(words, soft_wrap=True)
        return False
    console.print(f"Report: {escape(str(html))}", soft_wrap=True)
    return True
