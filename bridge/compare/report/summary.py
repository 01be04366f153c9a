"""What the commands print as JSON: plain data, the same words as on the screen."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from bridge.compare.findings import located
from bridge.compare.result import Comparison
from bridge.compare.tensor_comparison import NamedDifference
from bridge.trace.diff import Diff, Difference

#: The version of ``contract/comparison.schema.json``: fields may be added to one, and are never removed or changed in it.
FORMAT: Final = 1
#: Differences of one sort that are written out; the count is always there.
LISTED = 1000


def of_diff(diff: Diff) -> dict[str, Any]:
    """Two traces' differences."""
    return {
        "verdict": "same" if diff.same else "different",
        "explanation": diff.explain(),
        "origins": list(diff.origins),
        "runtimes": list(diff.names),
        "events": [len(diff.a), len(diff.b)],
        "calls": [diff.a.calls, diff.b.calls],
        "compared": diff.compared,
        "largest_difference": number(diff.largest_difference),
        "first_structural": _difference(diff.first_structural),
        "first_numeric": _difference(diff.first_numeric),
        "structural": len(diff.structural),
        "numeric": len(diff.numeric),
        "differences": [_difference(one) for one in (*diff.structural, *diff.numeric)[:LISTED]],
        "bypassed": list(diff.bypassed),
        "notes": list(diff.notes),
    }


def figures(diff: Diff) -> dict[str, str]:
    """Figures of two traces in words, for a table."""
    left, right = diff.names
    return {
        "Module calls": f"{diff.a.calls} in {left}, {diff.b.calls} in {right}",
        "Events": f"{len(diff.a)} in {left}, {len(diff.b)} in {right}",
        "Tensors and numbers compared": f"{diff.compared}",
        "Largest difference": f"{diff.largest_difference:g}",
    }


def of_comparison(comparison: Comparison) -> dict[str, Any]:
    """A comparison of two models, as ``contract/comparison.schema.json`` has it."""
    found = {"format": FORMAT, **of_diff(comparison.diff)}
    tolerance = comparison.tolerance
    found.update(
        verdict="same" if comparison.same else "different" if comparison.differs else "nothing to compare",
        summary=comparison.verdict,
        explanation=comparison.explain(),
        largest_difference=number(comparison.largest),
        gradients=[_named(one) for one in comparison.gradients],
        buffers=[_named(one) for one in comparison.buffers],
        findings=[asdict(one) for one in located(comparison.findings, comparison.diff.pairs)],
        missing=[str(one) for one in comparison.missing],
        unlisted=list(comparison.unlisted),
        likely_bypassed=[str(one) for one in comparison.bypassed],
        raised=comparison.raised or None,
        settings=[{"path": one.path, "name": one.name, "message": one.message} for one in comparison.settings],
        tolerance=None if tolerance is None else {"atol": tolerance.atol, "rtol": tolerance.rtol},
        nonfinite=list(comparison.nonfinite),
        seconds=[comparison.pytorch.seconds, comparison.dotnet.seconds],
        figures=comparison.figures(),
    )
    return found


def of_error(error: Exception) -> dict[str, Any]:
    """A command that could not run."""
    return {
        "format": FORMAT,
        "verdict": "could not run",
        "error": {"type": type(error).__name__, "message": str(error)},
    }


def text(found: Mapping[str, Any]) -> str:
    """As JSON text."""
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def number(value: float) -> float | str:
    """JSON has no infinity and no NaN: they are written as words."""
    return value if math.isfinite(value) else str(value)


def _difference(one: Difference | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "kind": one.kind,
        "clause": one.clause,
        "path": one.path,
        "phase": one.phase,
        "message": one.message,
        "fix": one.fix,
        "positions": list(one.positions),
        "absolute": number(one.absolute),
        "relative": number(one.relative),
        "elements": one.elements,
        "nonfinite": one.nonfinite,
    }


def _named(one: NamedDifference) -> dict[str, Any]:
    return {
        "name": one.name,
        "message": one.message,
        "absolute": number(one.absolute),
        "relative": number(one.relative),
    }
