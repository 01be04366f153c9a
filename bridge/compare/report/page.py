"""One HTML page on two traces: verdict, figures, differences, the error along the depth of the model, modules, traces that fold, a search.

The page is self-contained: it loads nothing, and nothing in a trace becomes markup (:mod:`bridge.output.html`).
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from bridge.compare.findings import Finding, located, spelled_out
from bridge.compare.report.layout import layout, name, notes
from bridge.compare.report.module_tree import Module, modules, row_gaps, walk
from bridge.compare.report.page_data import Strings, trace_columns, tree_columns
from bridge.compare.report.plot import plot, size
from bridge.output.files import write_at_once
from bridge.output.html import render, to_json
from bridge.output.plain import shown
from bridge.trace.diff import Diff

#: Differences that the page spells out at once, and those behind a fold; the rest is counted.
FIRST: Final = 8
NOTES: Final = 200
#: Kinds of findings that say that a module differs by itself, whatever comes before it.
OWN: Final = frozenset({"operator", "setting", "in place", "between children", "alone"})
#: Modules that the table below the plot lists.
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
    """Writes the page to ``path``, at once or not at all: a reader never sees half a page.

    It opens with the ``findings`` of a comparison, each linked to its row, or without them with what the diff says;
    ``good`` says whether all is well, else the diff does.
    ``figures`` are shown as a table, names left. ``picture_png`` is put into the page itself; ValueError if it is not a
    PNG. An existing file is replaced. Raises OSError when the folder of ``path`` cannot be written to.
    """
    if picture_png is not None and not picture_png.startswith(_PNG):
        raise ValueError("picture_png is not a PNG file: pass the bytes of a PNG file.")
    picture = "" if picture_png is None else "data:image/png;base64," + base64.b64encode(picture_png).decode("ascii")
    said, gaps = notes(diff), row_gaps(diff)
    tree = modules(diff, gaps)
    strings = Strings()
    events, nodes = trace_columns(layout(diff), gaps, strings, listed=NOTES)
    firsts = (("structure", diff.first_structural), ("values", diff.first_numeric))
    data = {
        "names": [shown(side) for side in diff.names],
        "events": events,
        "modules": tree_columns(tree, nodes, strings),
        "first": [[kind, nodes[found.row]] for kind, found in firsts if found is not None and found.row in nodes],
        "strings": strings.all,
    }
    ran = sorted((module for module in walk(tree) if module.gap is not None), key=lambda module: module.result)
    drawn = plot(ran, {one.path for one in findings or () if one.kind in OWN})
    page = render(
        "bridge.compare.report",
        "report",
        data=Markup(to_json(data)),
        title=shown(title, 200),
        verdict=_plain(verdict),
        good=diff.same if good is None else good,
        explanation="" if diff.same or findings is not None else _plain(diff.explain()),
        findings=[
            {"words": _plain(str(one)), "node": nodes.get(one.row, -1)}
            for one in located(spelled_out(findings or ()), diff.pairs)
        ],
        figures={shown(key): shown(figure, 500) for key, figure in figures.items()},
        picture=picture,
        names=data["names"],
        counts=[_counts(trace.calls, len(trace)) for trace in (diff.a, diff.b)],
        notes=[{"words": str(note), "node": nodes.get(note.difference.row, -1)} for note in said[:NOTES]],
        first=FIRST,
        more=max(0, len(said) - NOTES),
        remarks=[shown(remark, 500) for remark in diff.notes[:NOTES]],
        plot=drawn,
        worst=_worst(ran, nodes),
        no_plot=_no_plot(len(ran), same=not diff.numeric),
        held=f"{len(nodes):,}",
        left_out=f"{len(diff.pairs) - len(nodes):,}" if len(diff.pairs) > len(nodes) else "",
    )
    write_at_once(path, page)


def _plain(text: str) -> str:
    return "\n".join(shown(line, 2000) for line in text.splitlines())


def _counts(calls: int, events: int) -> str:
    return f"{events:,} event{'' if events == 1 else 's'}, {calls:,} call{'' if calls == 1 else 's'}"


def _no_plot(compared: int, *, same: bool) -> str:
    if not compared:
        return "No result was recorded with its values on both sides, so there is nothing to draw."
    if not same:
        return (
            f"Nothing to draw: of {compared:,} module{'' if compared == 1 else 's'} results of one shape were recorded on both sides, "
            "and these are equal."
        )
    return (
        f"All {compared:,} modules with recorded results agree exactly."
        if compared > 1
        else ("The one module with recorded results agrees exactly.")
    )


@dataclass(frozen=True, slots=True)
class _Worst:
    """One line of the table below the plot."""

    name: str
    type: str
    node: int
    absolute: str
    relative: str
    out: bool


def _worst(ran: Sequence[Module], nodes: Mapping[int, int]) -> list[_Worst]:
    found = []
    differing = [module for module in ran if module.gap is not None and module.gap.absolute > 0]
    for module in sorted(differing, key=lambda module: -(module.gap.absolute if module.gap else 0.0))[:WORST]:
        assert module.gap is not None
        relative = size(module.gap.relative) if math.isfinite(module.gap.relative) else ""
        row = nodes.get(module.row, -1)
        found.append(
            _Worst(
                name(module.path), shown(module.type), row, size(module.gap.absolute), relative, module.out_of_tolerance
            )
        )
    return found
