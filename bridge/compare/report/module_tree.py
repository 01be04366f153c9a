"""The module tree of a diff, with the number of calls and the differences of each module."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bridge.trace import Value
from bridge.trace.diff import Diff
from bridge.trace.diff.gaps import gaps

#: A module whose path has more parts is shown as a child of the module at the first DEEPEST parts of the path.
DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class Gap:
    """The difference of two values. Of two tensors, each attribute is the largest of all pairs of elements.

    ``relative`` is relative to the larger magnitude of a pair. Both attributes are ``inf`` if the difference is not finite. They are also
    ``inf`` if two tensors differ in digest or dtype and the elements of at least one of the two are unknown.
    """

    absolute: float = 0.0
    relative: float = 0.0

    @property
    def known(self) -> bool:
        """Return whether the difference is known and finite."""
        return math.isfinite(self.absolute)


@dataclass(slots=True, eq=False)
class TreeNode:
    """A module of either trace. A row is an index of ``diff.pairs``, or -1 if there is no such row."""

    path: str
    #: The last part of ``path``; for a module nested deeper than DEEPEST, all parts after the first DEEPEST.
    name: str
    depth: int
    #: The class; empty for a module without calls, such as a ModuleList.
    type: str = ""
    #: The row of the first compared result.
    result: int = -1
    #: The number of calls in each trace.
    calls: list[int] = field(default_factory=lambda: [0, 0])
    #: The row of the module's first structural difference, or else of its first numeric difference, or else of its first event.
    #: Differences without a row do not count.
    row: int = -1
    #: The largest difference of the results; None if no result was compared.
    gap: Gap | None = None
    #: The number of the module's differences in the diff.
    differences: int = 0
    #: Whether a result of the module is out of tolerance.
    out_of_tolerance: bool = False
    #: The kinds (``structural``, ``numeric``) whose first difference in the diff is in this module.
    first: list[str] = field(default_factory=list)
    children: list[TreeNode] = field(default_factory=list)


def modules(diff: Diff, gaps: Mapping[int, Gap]) -> list[TreeNode]:
    """Return the outermost modules with their children, in the order of their first calls.

    If a trace has an event of the root (the path ""), the root is the only outermost module. Otherwise each first part of a path, such as
    the name of a model, is an outermost module. ``gaps`` is the result of :func:`row_gaps`.
    """
    forest = _Forest(has_root=any(event.path == "" for trace in (diff.a, diff.b) for event in trace))
    for row, (a, b) in enumerate(diff.pairs):
        for side, event in enumerate((a, b)):
            if event is None:
                continue
            found = forest.module(event.path)
            found.type = found.type or event.type
            found.calls[side] += event.phase == "pre"
            if found.row < 0:
                found.row = row
        if row in gaps and a is not None and a.phase != "pre":
            found = forest.module(a.path)
            found.gap = _larger(found.gap, gaps[row])
            found.result = row if found.result < 0 else found.result
    seen: set[str] = set()
    for difference in (*diff.structural, *diff.numeric):
        found = forest.module(difference.path)
        if found.path not in seen and difference.row >= 0:
            seen.add(found.path)
            found.row = difference.row
        found.differences += 1
        found.out_of_tolerance |= difference.kind == "values" and difference.phase != "pre"
    for kind, first in (("structural", diff.first_structural), ("numeric", diff.first_numeric)):
        if first is not None:
            forest.module(first.path).first.append(kind)
    return forest.top


def walk(top: list[TreeNode]) -> Iterator[TreeNode]:
    """Yield all modules, each before its children."""
    stack = list(reversed(top))
    while stack:
        module = stack.pop()
        yield module
        stack.extend(reversed(module.children))


class _Forest:
    def __init__(self, *, has_root: bool) -> None:
        self.top: list[TreeNode] = []
        self._known: dict[str, TreeNode] = {}
        if has_root:
            self._known[""] = TreeNode("", "", 0)
            self.top.append(self._known[""])

    def module(self, path: str) -> TreeNode:
        """Return the module at ``path``; create this module and the modules around it if they are new."""
        known = self._known.get(path)
        if known is not None:
            return known
        parts = path.split(".", DEEPEST)
        outer = self._known.get("")
        for length in range(1, len(parts) + 1):
            prefix = ".".join(parts[:length])
            found = self._known.get(prefix)
            if found is None:
                found = self._known[prefix] = TreeNode(
                    prefix, parts[length - 1], 0 if outer is None else outer.depth + 1
                )
                (self.top if outer is None else outer.children).append(found)
            outer = found
        assert outer is not None
        return outer


def row_gaps(diff: Diff) -> dict[int, Gap]:
    """Return the largest difference of the values in each row of ``diff.pairs``, by row, even if it is within tolerance.

    Rows without a pair of comparable values are left out.
    """
    found: dict[int, Gap] = {}
    for row, (a, b) in enumerate(diff.pairs):
        if a is None or b is None:
            continue
        largest: Gap | None = None
        for x, y in zip(a.values, b.values, strict=False):
            gap = _gap(x, y)
            largest = largest if gap is None else _larger(largest, gap)
        if largest is not None:
            found[row] = largest
    return found


def _larger(known: Gap | None, gap: Gap) -> Gap:
    if known is None:
        return gap
    return Gap(max(known.absolute, gap.absolute), max(known.relative, gap.relative))


def _gap(x: Value, y: Value) -> Gap | None:
    if x.kind != y.kind:
        return None
    if x.kind != "tensor":
        if isinstance(x.literal, int | float) and isinstance(y.literal, int | float):
            return _array_gap(np.asarray(_number(x.literal)), np.asarray(_number(y.literal)))
        return None
    if x.shape != y.shape:
        return None
    if x.digest is not None and y.digest is not None and (x.digest, x.dtype) == (y.digest, y.dtype):
        return Gap()
    if x.data is not None and y.data is not None:
        return _array_gap(x.data, y.data)
    return None if x.digest is None or y.digest is None else Gap(math.inf, math.inf)


def _number(literal: int | float) -> float:
    try:
        return float(literal)
    except OverflowError:
        return math.inf if literal > 0 else -math.inf


def _array_gap(x: np.ndarray, y: np.ndarray) -> Gap:
    found = gaps(x, y)
    absolute = found.absolute
    return Gap(absolute, found.relative if absolute else 0.0)
