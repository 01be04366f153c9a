"""How dynamic dimensions are named, and which other inputs are drawn."""

from __future__ import annotations

from itertools import islice

import pytest
import torch

from bridge.exporting.dimensions import Dimension, candidates, draw, parse
from bridge.exporting.errors import ExportError

ARGUMENTS = {
    "tokens": torch.zeros(2, 5, dtype=torch.int64),
    "scale": torch.zeros(2, 5, 1),
    "pair": [torch.zeros(2), torch.zeros(2)],
}


def test_dimension_0_of_all_tensors_is_the_default() -> None:
    assert parse(["batch"], ARGUMENTS) == [Dimension("batch", 2, ((0, 0), (1, 0), (2, 0), (3, 0)))]


def test_a_dimension_of_all_tensors_that_have_it_or_of_one_input() -> None:
    assert parse(["length=1"], ARGUMENTS) == [Dimension("length", 5, ((0, 1), (1, 1)))]
    assert parse(["length=scale:1", "length=tokens:1"], ARGUMENTS) == [Dimension("length", 5, ((1, 1), (0, 1)))]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["2x"], "a dynamic dimension is NAME, NAME=DIM or NAME=INPUT:DIM, not '2x'"),
        (["n=other:1"], "no input is named other. Inputs: tokens, scale, pair"),
        (["n=7"], "no input has a dimension 7"),
        (["a", "b=tokens:0"], "a and b are the same dimension of an input"),
        (["a=scale:2", "a=tokens:1"], "a has several sizes in the inputs: 1, 5"),
    ],
)
def test_what_is_wrong_is_said(texts: list[str], words: str) -> None:
    with pytest.raises(ExportError, match=words):
        parse(texts, ARGUMENTS)


def test_an_empty_dimension_is_refused() -> None:
    with pytest.raises(ExportError, match="has size 0"):
        parse(["batch"], {"x": torch.zeros(0, 3)})


def test_drawn_inputs_stay_in_the_range_of_the_given_ones() -> None:
    """Also in size: only the dynamic dimensions change."""
    values = {"ids": torch.tensor([[3, 7, 9]]), "x": torch.tensor([[-2.0, -4.0]]), "flag": True}
    dimensions = parse(["batch"], values)
    drawn = draw(values, dimensions, {"batch": 50}, seed=0)
    assert drawn["flag"] is True
    assert (drawn["ids"].shape, drawn["x"].shape) == ((50, 3), (50, 2))
    assert {*drawn["ids"].flatten().tolist()} == {3, 7, 9}
    assert bool(((drawn["x"] <= -1) & (drawn["x"] >= -4)).all())
    assert drawn["x"].unique().numel() > 10
    assert not torch.equal(drawn["x"], draw(values, dimensions, {"batch": 50}, seed=1)["x"])


def test_sizes_to_try_begin_with_1_and_leave_out_the_given_one() -> None:
    assert [*islice(candidates(3), 3)] == [1, 4, 6]
    assert 1 not in candidates(1)
    assert len([*candidates(4)]) == len({*candidates(4)})
