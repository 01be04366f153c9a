"""The HTML page on two traces: verdict, table of figures, differences, plot of the error along the model, module tree and both traces.

The page is self-contained: it loads nothing, and nothing in a trace becomes markup (:mod:`hook_contract.output.html`).
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from bridge.compare.findings import Finding, locate_findings, shorten_findings
from bridge.compare.report.layout import format_path, layout, notes
from bridge.compare.report.module_tree import TreeNode, modules, row_gaps, walk
from bridge.compare.report.page_data import Strings, trace_columns, tree_columns
from bridge.compare.report.plot import format_difference, plot
from bridge.trace.diff import Diff
from hook_contract.output.files import write_atomically
from hook_contract.output.html import render, to_json
from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import plural

#: The number of sentences on differences that are shown before the list is unfolded.
FIRST: Final = 8
#: The largest number of sentences on differences that the page contains; the rest is counted.
NOTES: Final = 200
#: The kinds of findings on a module that differs on equal inputs.
OWN: Final = frozenset({"operator", "setting", "in place", "between children", "alone"})
#: The largest number of modules in the table below the plot.
WORST: Final = 10

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def write_report(
    path: Path,
    diff: Diff,
    *,
    title: str,
    verdict: str,
    figures: Mapping[str, str],
    picture_png: bytes | None = None,
    findings: Sequence[Finding] | None = None,
    good: bool | None = None,
) -> None:
    """Write the page to ``path`` atomically, replacing an existing file.

    - ``findings`` are listed first, each linked to its event if the page has that event. If ``findings`` is None, the page explains the
      diff, unless the traces are the same.
    - ``good`` chooses the colour of the verdict; by default ``diff.same`` does.
    - ``figures`` become a table.
    - ``picture_png`` is embedded.

    Raises ValueError if ``picture_png`` is not a PNG, and OSError if the file cannot be written.
    """
    if picture_png is not None and not picture_png.startswith(_PNG):
        raise ValueError("picture_png is not a PNG file: pass the bytes of a PNG file.")
    picture = "" if picture_png is None else "data:image/png;base64," + base64.b64encode(picture_png).decode("ascii")
    sentences, gaps = notes(diff), row_gaps(diff)
    tree = modules(diff, gaps)
    strings = Strings()
    events, nodes = trace_columns(layout(diff), gaps, strings, listed=NOTES)
    firsts = (("structure", diff.first_structural), ("values", diff.first_numeric))
    data = {
        "names": [to_printable(side) for side in diff.names],
        "events": events,
        "modules": tree_columns(tree, nodes, strings),
        "first": [[kind, nodes[found.row]] for kind, found in firsts if found is not None and found.row in nodes],
        "strings": strings.all,
    }
    executed = sorted((module for module in walk(tree) if module.gap is not None), key=lambda module: module.result)
    drawn = plot(executed, {finding.path for finding in findings or () if finding.kind in OWN})
    page = render(
        "bridge.compare.report",
        "report",
        data=Markup(to_json(data)),
        title=to_printable(title, 200),
        verdict=_plain(verdict),
        good=diff.same if good is None else good,
        explanation="" if diff.same or findings is not None else _plain(diff.explain()),
        findings=[
            {"words": _plain(str(finding)), "node": nodes.get(finding.row, -1)}
            for finding in locate_findings(shorten_findings(findings or ()), diff.pairs)
        ],
        figures={to_printable(key): to_printable(figure, 500) for key, figure in figures.items()},
        picture=picture,
        names=data["names"],
        counts=[_counts(trace.calls, len(trace)) for trace in (diff.a, diff.b)],
        notes=[{"words": str(note), "node": nodes.get(note.difference.row, -1)} for note in sentences[:NOTES]],
        first=FIRST,
        more=max(0, len(sentences) - NOTES),
        remarks=[to_printable(remark, 500) for remark in diff.notes[:NOTES]],
        plot=drawn,
        worst=_worst_modules(executed, nodes),
        no_plot=_describe_missing_plot(len(executed), same=not diff.numeric),
        held=f"{len(nodes):,}",
        left_out=f"{len(diff.pairs) - len(nodes):,}" if len(diff.pairs) > len(nodes) else "",
    )
    write_atomically(path, page)


def _plain(text: str) -> str:
    return "\n".join(to_printable(line, 2000) for line in text.splitlines())


def _counts(calls: int, events: int) -> str:
    return f"{events:,} event{'' if events == 1 else 's'}, {calls:,} call{'' if calls == 1 else 's'}"


def _describe_missing_plot(compared: int, *, same: bool) -> str:
    if not compared:
        return "No result has comparable values on both sides, so there is nothing to draw."
    if not same:
        return f"Nothing to draw: where both sides have results of the same shape ({plural(compared, 'module')}), they are equal."
    if compared == 1:
        return "The only module whose results are comparable on both sides agrees exactly."
    return f"All {compared:,} modules whose results are comparable on both sides agree exactly."


@dataclass(frozen=True, slots=True)
class _TableRow:
    name: str
    type: str
    node: int
    absolute: str
    relative: str
    out: bool


def _worst_modules(executed: Sequence[TreeNode], nodes: Mapping[int, int]) -> list[_TableRow]:
    gaps = [(module, module.gap) for module in executed if module.gap is not None and module.gap.absolute > 0]
    return [
        _TableRow(
            format_path(module.path),
            to_printable(module.type),
            nodes.get(module.row, -1),
            format_difference(gap.absolute),
            format_difference(gap.relative) if math.isfinite(gap.relative) else "",
            module.out_of_tolerance,
        )
        for module, gap in sorted(gaps, key=lambda pair: -pair[1].absolute)[:WORST]
    ]
