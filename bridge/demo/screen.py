"""The run of the demo, and its output on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bridge.compare.report import summary
from bridge.compare.report.page import write_report
from bridge.compare.report.terminal import fits, render_traces
from bridge.compare.run import one_thread
from bridge.demo import forward_trap
from bridge.demo.comparison import CascadeComparison, CascadeRun, compare_cascades
from bridge.demo.errors import DemoError
from bridge.demo.picture import draw_faces
from bridge.demo.resources import Resources, load_resources

LINES = 40  # longer traces are printed with equal events folded
SAME, DIFFERENT, CANNOT_RUN = 0, 1, 2  # exit codes
_COLUMNS = ("x1", "y1", "x2", "y2", "probability", "nose")
TITLE = "MTCNN on one picture, in PyTorch and in .NET"


def show(console: Console, html: Path | None, found: dict[str, Any], device: str = "cpu") -> int:
    """Run the demo (see :func:`bridge.demo.run`)."""
    try:
        resources = load_resources(device)
    except DemoError as error:
        console.print(f"[red]The demo cannot run:[/] {escape(str(error))}", soft_wrap=True)
        found.update(summary.error_to_json(error))
        return CANNOT_RUN
    with one_thread():
        expected = _show_trap(console, resources)
        comparison = compare_cascades(resources)
    _show_comparison(console, comparison)
    same = expected and comparison.same
    verdict = "same" if same else "different"
    found.update(
        summary.diff_to_json(comparison.diff), verdict=verdict, summary=comparison.verdict, figures=comparison.figures()
    )
    if html is not None and not _write(console, html, resources, comparison):
        return CANNOT_RUN
    return SAME if same else DIFFERENT


def _show_trap(console: Console, resources: Resources) -> bool:
    """Run a module that has a hook, by ``call`` and by ``forward``; print how often the hook fired. Returns whether that is as expected."""
    attempts, found = forward_trap.run_attempts(resources.assembly)
    console.print(forward_trap.table(attempts))
    console.print("Comparing the PyTorch model with the C# model that uses forward():")
    console.print(escape(found.explain()), style="italic")
    console.print()
    if not (expected := forward_trap.as_expected(attempts)):
        console.print(
            "[red]Different: a call should have fired the hook once, and forward() should not have fired it (C-3).[/]"
        )
    return expected


def _show_comparison(console: Console, comparison: CascadeComparison) -> None:
    console.rule(TITLE)
    console.print(render_traces(comparison.diff, limit=LINES))
    faces = _faces(comparison.pytorch, comparison.dotnet)
    console.print(faces if fits(console, faces) else _faces_below(comparison.pytorch, comparison.dotnet))
    figures = Table("figure", "value", title="Figures")
    for name, figure in comparison.figures().items():
        figures.add_row(name, figure)
    console.print(figures)
    console.print(f"[bold {'green' if comparison.same else 'red'}]{escape(comparison.verdict)}[/]", soft_wrap=True)
    if not comparison.diff.same:
        console.print(escape(comparison.diff.explain()), soft_wrap=True)


def _faces(*runs: CascadeRun) -> Table:
    rows = Table("runtime", *_COLUMNS, title="Faces")
    for run in runs:
        found = run.detection
        for box, probability, points in zip(found.boxes, found.probabilities, found.landmarks, strict=True):
            nose = f"{points[2, 0]:.1f}, {points[2, 1]:.1f}"
            rows.add_row(run.runtime, *(f"{corner:.3f}" for corner in box), f"{probability:.6f}", nose)
    return rows


def _faces_below(*runs: CascadeRun) -> Table:
    """Return a table of the faces for a narrow terminal, with a column for each runtime and a row for each value of a face."""
    rows = Table("", *(run.runtime for run in runs), title="Faces")
    columns = [list(zip(*(column.cells for column in _faces(run).columns[1:]), strict=True)) for run in runs]
    for index in range(max(map(len, columns))):
        for number, name in enumerate(_COLUMNS):
            rows.add_row(name, *(str(faces[index][number]) if index < len(faces) else "" for faces in columns))
        rows.add_section()
    return rows


def _write(console: Console, html: Path, resources: Resources, comparison: CascadeComparison) -> bool:
    """Write the HTML page. If the file cannot be written, prints the reason and returns False."""
    try:
        write_report(
            html,
            comparison.diff,
            title=TITLE,
            verdict=comparison.verdict,
            figures=comparison.figures(),
            picture_png=draw_faces(resources.picture, comparison.dotnet.detection),
        )
    except OSError as error:
        reason = error.strerror or str(error)
        words = f"[red]{escape(str(html))} cannot be written:[/] {escape(reason)}. Choose another path with --html."
        console.print(words, soft_wrap=True)
        return False
    console.print(f"Report: {escape(str(html))}", soft_wrap=True)
    return True
