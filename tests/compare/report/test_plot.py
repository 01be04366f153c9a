"""bridge.compare.report.plot: where each module's column ends, on a scale that holds everything from 0 to what is not finite."""

from __future__ import annotations

import math

import pytest

from bridge.compare.report.module_tree import Gap, TreeNode
from bridge.compare.report.plot import COLUMNS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Plot, plot


def drawn(*gaps: float, out: float = math.inf) -> Plot:
    made = plot(
        [TreeNode(f"m{i}", f"m{i}", 0, gap=Gap(gap, gap), out_of_tolerance=gap > out) for i, gap in enumerate(gaps)]
    )
    assert made is not None
    return made


@pytest.mark.parametrize("gaps", [[], [0.0], [0.0, 0.0]])
def test_without_differences_there_is_no_plot(gaps: list[float]) -> None:
    assert plot([TreeNode("m", "m", 0, gap=Gap(gap, gap)) for gap in gaps]) is None
    assert plot([TreeNode("m", "m", 0)]) is None


def test_heights_are_logarithmic_and_in_order() -> None:
    made = drawn(0.0, 1e-6, 1e-5, 1e-4, out=2e-5)
    heights = [column.y for column in made.columns]
    assert heights == sorted(heights, reverse=True)
    assert heights[1] - heights[2] == pytest.approx(heights[2] - heights[3], abs=0.02)
    assert [column.kind for column in made.columns] == ["zero", "within", "within", "out"]
    assert [label for _, label in made.ticks] == ["1e-6", "1e-5", "1e-4", "0"]
    assert made.summary == "3 of 4 modules differ. The largest difference is that of m3: 0.0001."


@pytest.mark.parametrize(
    "gaps",
    [[5e-324], [1.7e308], [5e-324, 1.7e308], [math.inf], [math.inf, 0.0], [1.0], [0.5, math.inf], [1e-3] * 5_000],
)
def test_everything_stays_in_the_box(gaps: list[float]) -> None:
    made = drawn(*gaps)
    assert len(made.columns) <= COLUMNS
    for column in made.columns:
        assert LEFT < column.x < WIDTH - RIGHT
        assert TOP <= column.y <= made.base < HEIGHT
    assert all(TOP <= y <= made.base for y, _ in made.ticks)
    assert len(made.ticks) <= 10


def test_columns_that_share_show_the_worst_and_the_first() -> None:
    many = [TreeNode(f"m{i}", f"m{i}", 0, gap=Gap(1e-6, 1e-6)) for i in range(COLUMNS * 2)]
    many[301].gap, many[301].out_of_tolerance, many[300].first = Gap(1.0, 1.0), True, ["numeric"]
    made = plot(many)
    assert made is not None
    assert made.per_column == 2
    (worst,) = [column for column in made.columns if column.kind == "out"]
    assert (worst.words, worst.first) == ("m301: 1", True)


def test_modules_that_differ_by_themselves_are_marked() -> None:
    some = [TreeNode(path, path, 0, gap=Gap(1e-3, 1e-3)) for path in ("a", "b", "c")]
    made = plot(some, {"b"})
    assert made is not None
    assert [column.own for column in made.columns] == [False, True, False]
    assert made.columns[1].words == "b: 0.001, also on equal inputs"


def test_the_parts_of_the_model_are_named_below_where_there_is_room() -> None:
    """Along the depth: each outermost module has the columns of what is below it."""
    paths = [*(f"encoder.{i}" for i in range(200)), "a_rather_long_name", *(f"decoder.{i}" for i in range(39))]
    made = plot([TreeNode(path, path, 0, gap=Gap(1e-3, 1e-3)) for path in paths])
    assert made is not None
    assert [part.name for part in made.parts] == ["encoder", "", "decoder"]
    assert (made.parts[0].left, made.parts[-1].right) == (LEFT, WIDTH - RIGHT)
    assert all(part.right == other.left for part, other in zip(made.parts, made.parts[1:], strict=False))
