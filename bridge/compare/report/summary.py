"""The JSON output of the commands, and the figures of the table on two traces."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from bridge.compare.findings import locate_findings
from bridge.compare.result import Comparison
from bridge.compare.tensor_comparison import NamedDifference
from bridge.trace.diff import Diff, Difference

#: The version of ``contract/comparison.schema.json``. Within a version, fields may be added, but not removed or changed.
FORMAT: Final = 1
#: The largest number of items in ``differences``; ``structural`` and ``numeric`` count all.
LISTED: Final = 1000


def diff_to_json(diff: Diff) -> dict[str, Any]:
    """Convert the diff of two traces to JSON values."""
    return {
        "verdict": "same" if diff.same else "different",
        "explanation": diff.explain(),
        "origins": list(diff.origins),
        "runtimes": list(diff.names),
        "events": [len(diff.a), len(diff.b)],
        "calls": [diff.a.calls, diff.b.calls],
        "compared": diff.compared,
        "largest_difference": json_number(diff.largest_difference),
        "first_structural": _difference(diff.first_structural),
        "first_numeric": _difference(diff.first_numeric),
        "structural": len(diff.structural),
        "numeric": len(diff.numeric),
        "differences": [_difference(item) for item in (*diff.structural, *diff.numeric)[:LISTED]],
        "bypassed": list(diff.bypassed),
        "notes": list(diff.notes),
    }


def figures(diff: Diff) -> dict[str, str]:
    """Return the figures of a table on two traces, by label."""
    left, right = diff.names
    return {
        "Module calls": f"{diff.a.calls} in {left}, {diff.b.calls} in {right}",
        "Events": f"{len(diff.a)} in {left}, {len(diff.b)} in {right}",
        "Tensors and numbers compared": f"{diff.compared}",
        "Largest difference": f"{diff.largest_difference:g}",
    }


def comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    """Convert a comparison of two models to the format of ``contract/comparison.schema.json``."""
    found = {"format": FORMAT, **diff_to_json(comparison.diff)}
    tensors, modules = comparison.tensors, comparison.modules
    found.update(
        verdict="same" if comparison.same else "different" if comparison.differs else "nothing to compare",
        summary=comparison.verdict,
        explanation=comparison.explain(),
        largest_difference=json_number(comparison.largest),
        gradients=[_named(tensor) for tensor in tensors.gradients],
        buffers=[_named(tensor) for tensor in tensors.buffers],
        findings=[asdict(finding) for finding in locate_findings(comparison.findings, comparison.diff.pairs)],
        missing=[str(finding) for finding in modules.missing],
        unlisted=list(comparison.uncompared.buffers),
        likely_bypassed=[str(finding) for finding in modules.bypassed],
        raised=comparison.raised or None,
        settings=[{"path": item.path, "name": item.name, "message": item.message} for item in modules.settings],
        tolerance=None if tensors.tolerance is None else asdict(tensors.tolerance),
        nonfinite=list(tensors.nonfinite),
        seconds=[comparison.pytorch.seconds, comparison.dotnet.seconds],
        figures=comparison.figures(),
    )
    return found


def error_to_json(error: Exception) -> dict[str, Any]:
    """Return the error of a command that could not run, as JSON values."""
    return {
        "format": FORMAT,
        "verdict": "could not run",
        "error": {"type": type(error).__name__, "message": str(error)},
    }


def json_number(value: float) -> float | str:
    """Return a number, or a string for infinity and NaN, which JSON lacks."""
    return value if math.isfinite(value) else str(value)


def _difference(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    names = (
        "kind",
        "clause",
        "path",
        "phase",
        "message",
        "fix",
        "positions",
        "absolute",
        "relative",
        "elements",
        "nonfinite",
    )
    return _fields(difference, names)


def _named(tensor: NamedDifference) -> dict[str, Any]:
    return _fields(tensor, ("name", "message", "absolute", "relative"))


def _fields(item: object, names: Iterable[str]) -> dict[str, Any]:
    """Return attributes as JSON values: numbers by :func:`json_number`, tuples as lists."""
    found = {name: getattr(item, name) for name in names}
    return {
        name: json_number(value) if isinstance(value, float) else list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
    }
