"""The plot of the error along the model: a column for each module in the order of execution, on a log scale."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bridge.compare.report.layout import format_path
from bridge.compare.report.module_tree import Gap, TreeNode
from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import plural

WIDTH: Final = 960
HEIGHT: Final = 260
LEFT: Final = 58
RIGHT: Final = 16
TOP: Final = 30
BOTTOM: Final = 34
#: The largest number of columns. With more modules, a column stands for several and shows the worst of them.
COLUMNS: Final = 240
#: The width of a letter below the plot; names that are too wide are left out.
LETTER: Final = 6.5
#: The largest number of intervals into which the labelled powers of ten divide the axis.
TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Column:
    """A column, which stands for one or several modules."""

    #: The horizontal position of the column's middle.
    x: float
    #: The vertical position of the stem's end, which shows the difference.
    y: float
    #: ``zero`` (no difference), ``within`` (a difference within the tolerance) or ``out`` (a larger one).
    kind: str
    #: The text that describes the column.
    words: str
    #: Whether one of the modules has the first numeric difference.
    first: bool = False
    #: Whether one of the modules differs on equal inputs.
    own: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Adjacent columns for the modules in one child of the root."""

    #: The horizontal positions of the edges.
    left: float
    right: float
    #: The child's name, empty where it does not fit.
    name: str


@dataclass(frozen=True, slots=True)
class Plot:
    """The geometry of the plot in a box of :data:`WIDTH` by :data:`HEIGHT`."""

    columns: tuple[Column, ...]
    #: The labelled horizontal lines.
    ticks: tuple[tuple[float, str], ...]
    #: The line of zero difference.
    base: float
    #: The width of a stem.
    width: float
    #: The largest number of modules that a column stands for.
    per_column: int
    #: Whether at least one module has no difference.
    zeros: bool
    summary: str
    parts: tuple[Part, ...] = ()
    edges: tuple[float, float] = (LEFT, WIDTH - RIGHT)
    size: tuple[int, int] = (WIDTH, HEIGHT)


def plot(compared: Sequence[TreeNode], own: Collection[str] = ()) -> Plot | None:
    """Return the plot of the modules whose ``gap`` is not None, in the given order; None if no module differs.

    ``own`` are the paths of the modules that differ on equal inputs.
    """
    gaps = [(module, module.gap) for module in compared if module.gap is not None]
    finite = [gap.absolute for _, gap in gaps if gap.known and gap.absolute > 0]
    if not any(gap.absolute > 0 for _, gap in gaps):
        return None
    low = math.floor(math.log10(min(finite))) if finite else -1
    high = max(low + 1, math.ceil(math.log10(max(finite)))) if finite else 0
    base, unknown = HEIGHT - BOTTOM, any(not gap.known for _, gap in gaps)
    top = TOP + (18 if unknown else 0)
    zero = base - 14  # the lowest decade begins above the line of zero difference

    def height(gap: Gap) -> float:
        if gap.absolute <= 0:
            return base
        return at(math.log10(gap.absolute)) if gap.known else TOP

    def at(power: float) -> float:
        return zero - (zero - top) * (power - low) / (high - low)

    share = math.ceil(len(gaps) / COLUMNS)
    groups = [gaps[start : start + share] for start in range(0, len(gaps), share)]
    step = (WIDTH - LEFT - RIGHT) / len(groups)
    columns = []
    for index, group in enumerate(groups):
        module, gap = max(group, key=lambda item: item[1].absolute)
        kind = "zero" if gap.absolute <= 0 else "out" if module.out_of_tolerance else "within"
        first = any("numeric" in other.first for other, _ in group)
        differs_alone = any(other.path in own for other, _ in group)
        label = describe(module) + (", also on equal inputs" if module.path in own else "")
        x, y = round(LEFT + step * (index + 0.5), 2), round(height(gap), 2)
        columns.append(Column(x, y, kind, label, first, differs_alone))
    ticks = [(round(at(power), 2), f"1e{power}") for power in _powers(low, high)]
    ticks.append((base, "0"))
    if unknown:
        ticks.append((TOP, "?"))
    worst = max(gaps, key=lambda item: item[1].absolute)[0]
    differing = sum(gap.absolute > 0 for _, gap in gaps)
    differ = "differs" if differing == 1 else "differ"
    summary = (
        f"{differing} of {plural(len(gaps), 'module')} {differ}. The largest difference is that of {describe(worst)}."
    )
    return Plot(
        tuple(columns),
        tuple(ticks),
        base,
        round(min(9.0, max(1.5, step * 0.6)), 2),
        share,
        differing < len(gaps),
        summary,
        tuple(_parts([group[0][0].path for group in groups], step)),
    )


def _parts(paths: Sequence[str], step: float) -> Iterator[Part]:
    start = 0
    names = [path.partition(".")[0] for path in paths]
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            left, right = LEFT + step * start, LEFT + step * end
            fits = len(names[start]) * LETTER <= right - left
            yield Part(round(left, 2), round(right, 2), to_printable(names[start]) if fits else "")
            start = end


def describe(module: TreeNode) -> str:
    """Describe a module and its largest difference."""
    assert module.gap is not None
    return f"{format_path(module.path)}: {format_difference(module.gap.absolute)}"


def format_difference(number: float) -> str:
    """Format a difference of two numbers."""
    return f"{number:.3g}" if math.isfinite(number) else "not finite or not recorded"


def _powers(low: int, high: int) -> range:
    return range(low, high + 1, max(1, math.ceil((high - low) / TICKS)))
