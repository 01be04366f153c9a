"""compare on several inputs: found or given sizes, the worst and how to run it again, batches of a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Compare = Callable[..., Result]


def test_cases_of_an_equal_port_agree(compare: Compare) -> None:
    done = compare("Net", "Net", "--cases", "6", "--train")
    assert done.exit_code == 0, done.output
    assert (
        "All 6 cases agree. This report is of case 0, --shape 2,3,8,8; run it again with --cases 0..0." in done.stdout
    )


def test_the_worst_case_is_reported_and_can_be_run_again(compare: Compare) -> None:
    done = compare("Block", 'Block("scaled")', "--cases", "5", shape="2,4,8,8")
    assert done.exit_code == 1
    line = next(line for line in done.stdout.splitlines() if "cases differ" in line)
    assert line.startswith("5 of 5 cases differ. The worst is case ")
    again = line.rpartition("again with --cases ")[2].rstrip(".")
    once = compare("Block", 'Block("scaled")', "--cases", again, shape="2,4,8,8")
    first = next(line for line in done.stdout.splitlines() if line.startswith("First difference"))
    assert first in once.stdout
    assert f"The only case differs: case {again.partition('.')[0]}, --shape" in once.stdout


def test_shapes_that_neither_takes_are_said(compare: Compare) -> None:
    """A range that reaches below what a convolution takes."""
    done = compare("Net", "Net", "--cases", "12", shape="1,3,1..9,8")
    assert done.exit_code == 0, done.output
    assert "of the cases could not be compared" in done.stdout


def test_inputs_of_a_function_and_its_batches(compare: Compare, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import torch\ndef batches():\n    for size in (2, 1, 3):\n        yield {'x': torch.ones(size, 3, 8, 8)}\n"
    )
    done = compare("Net", "Net", "--input", f"{file}:batches")
    assert done.exit_code == 0, done.output
    done = compare("Net", "Net", "--input", f"{file}:batches", "--cases", "9")
    assert done.exit_code == 0, done.output
    assert "All 3 cases agree." in done.stdout


def test_inputs_by_name(compare: Compare) -> None:
    assert compare("Net", "Net", "--shape", "x=1,3,8,8").exit_code == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--cases", "0"), "--cases: '0' selects no case"),
        (("--cases", "2", "--input", "a.npy"), "--cases needs --shape"),
        (("--input", "a.py:f", "--input", "b.npy"), "the function of --input returns all inputs"),
        (("--shape", "y=1,3,8,8"), "missing a required argument: 'x'. Given: y=float32"),
    ],
)
def test_invalid_combinations(
    compare: Compare, refused: Callable[..., None], args: tuple[str, ...], words: str
) -> None:
    refused(compare("Net", "Net", *args), words)
