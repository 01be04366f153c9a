"""Several inputs: which sizes vary, what is drawn, and which case is the worst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.errors import InputsError
from bridge.compare.findings import Finding
from bridge.compare.io.cases import (
    Case,
    accepts_inputs,
    compare_cases,
    draw_cases,
    find_varying,
    group_dimensions,
    parse_cases,
    select_batches,
)
from bridge.compare.io.inputs import Inputs, RandomInput, from_shapes, parse_shape
from bridge.compare.result import Comparison
from bridge.compare.run import run
from bridge.compare.run_comparison import compare_runs
from bridge.trace.diff.allowed import Allowed


def _parsed(*texts: str) -> list[RandomInput]:
    return [parse_shape(text) for text in texts]


@pytest.mark.parametrize(("text", "found"), [("3", [0, 1, 2]), ("7..7", [7]), ("2..4", [2, 3, 4])])
def test_numbers(text: str, found: list[int]) -> None:
    assert list(parse_cases(text)) == found


@pytest.mark.parametrize("text", ["", "0", "x", "3..", "..3", "4..2", "-1"])
def test_invalid_cases(text: str) -> None:
    with pytest.raises(InputsError, match="--cases: "):
        parse_cases(text)


def test_sizes_vary_together() -> None:
    """Equal ranges are one size; without ranges, equal sizes are tried as one."""
    assert group_dimensions(_parsed("1..4,3,8..9", "1..4,8")) == [[(0, 0), (1, 0)], [(0, 2)]]
    assert group_dimensions(_parsed("2,7", "2,7")) == [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]


class Masked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x: Any, mask: Any) -> Any:
        return self.layer(x) * mask[..., None]


def test_varying_dimensions_are_found_by_running_the_original() -> None:
    """The width of the layer is fixed; the batch and the length vary in both inputs together."""
    given = _parsed("2,5,3", "2,5:bool")
    model = Masked().train()
    assert find_varying(given, lambda some: accepts_inputs(model, from_shapes(some, 0))) == [
        [(0, 0), (1, 0)],
        [(0, 1), (1, 1)],
    ]
    assert model.training


def test_sizes_that_are_equal_by_chance_vary_each_by_itself() -> None:
    model = nn.Linear(3, 2)
    given = _parsed("3,3")
    assert find_varying(given, lambda some: accepts_inputs(model, from_shapes(some, 0))) == [[(0, 0)]]


def test_a_case_depends_on_its_number_and_the_seed_alone() -> None:
    given = _parsed("2,5,3", "mask=2,5:bool")
    vary = [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]
    all_of_them = list(draw_cases(given, vary, range(20), 4))
    assert str(all_of_them[0].inputs) == "float32[2, 5, 3], mask=bool[2, 5]"
    for case in all_of_them:
        x, mask = case.inputs.positional[0], case.inputs.named["mask"]
        assert x.shape == (*mask.shape, 3)
        assert 1 <= x.shape[0] <= 4
        assert 1 <= x.shape[1] <= 10
    assert len({case.inputs.positional[0].shape for case in all_of_them}) > 10
    (again,) = draw_cases(given, vary, range(7, 8), 4)
    assert (again.number, again.seed, again.description) == (7, 11, all_of_them[7].description)
    assert torch.equal(again.inputs.positional[0], all_of_them[7].inputs.positional[0])


def test_ranges_are_kept() -> None:
    given = _parsed("1..3,3,8..9")
    sizes = {
        case.inputs.positional[0].shape
        for case in draw_cases(given, find_varying(given, lambda _: False), range(40), 0)
    }
    assert {size[0] for size in sizes} == {1, 2, 3}
    assert {size[1] for size in sizes} == {3}
    assert {size[2] for size in sizes} == {8, 9}


Runs = Callable[..., tuple[Comparison, list[tuple[float, bool | None]]]]


@pytest.fixture
def runs() -> Runs:
    """Return a function that compares cases by a stand-in of ``compare``, and also returns its calls (value of the input, lockstep)."""
    model = nn.Identity()
    made = [run(model, {"input": torch.ones(1)}) for _ in range(2)]

    def runs(values: list[float], differs: Callable[[float, bool | None], bool], **options: Any) -> Any:
        calls = []

        def compare(inputs: Inputs, *, lockstep: bool | None, **_: Any) -> Comparison:
            value = float(inputs.positional[0])
            calls.append((value, lockstep))
            found = compare_runs(model, model, made[0], made[1], Allowed(), backward=False)
            structure = (Finding("structure", "inner", "Another."),) if differs(value, lockstep) else ()
            return replace(found, structure=structure)

        cases = [Case(number, Inputs((torch.tensor(value),)), "it", number) for number, value in enumerate(values)]
        return compare_cases(cases, (), compare, **options), calls

    return runs


def _words(found: Comparison) -> str:
    return next(finding.message for finding in found.findings if finding.kind == "case")


def test_a_difference_that_only_an_isolated_run_finds(runs: Runs) -> None:
    for lockstep in (True, None):
        found, calls = runs([1, 2], lambda _, lockstep: lockstep is not False, lockstep=lockstep)
        assert calls == [(1, False), (2, False), (1, lockstep)]
        assert found.differs
        assert _words(found).startswith("1 of 2 cases differ. The worst is case 0, it;")
    found, calls = runs([1, 2], lambda _, lockstep: lockstep is not False, lockstep=False)
    assert calls == [(1, False), (2, False)]
    assert _words(found).startswith("All 2 cases agree. This report is of case 0, it;")


def test_a_difference_that_an_isolated_run_does_not_confirm(runs: Runs) -> None:
    found, calls = runs([1, 2, 3], lambda value, lockstep: value == 2 or lockstep is False)
    assert calls[3:] == [(1, None), (2, None)]
    assert found.differs
    found, calls = runs([1, 2], lambda _, lockstep: lockstep is False)
    assert calls[2:] == [(1, None), (2, None)]
    assert not found.differs
    assert _words(found).startswith("All 2 cases agree.")


def test_one_case(runs: Runs) -> None:
    assert _words(runs([1], lambda *_: True)[0]) == "The only case differs: case 0, it; run it again with --cases 0..0."
    assert _words(runs([1], lambda *_: False)[0]).startswith("The only case agrees: case 0, it;")


def test_batches_by_their_numbers() -> None:
    def given() -> Any:
        for number in range(5):
            assert number < 4, "no more is read than is asked for"
            yield Inputs((torch.full((1,), number),))

    found = list(select_batches(given(), "a.py:f", range(2, 4), 0))
    assert [case.number for case in found] == [2, 3]
    assert found[0].description == "int64[1] of a.py:f"
