"""substitutes.py: PyTorch's own functions that TorchSharp lacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import _reduction
from torch.nn.modules import transformer

from bridge.port.observe.substitutes import (
    causal_mask,
    embedding_bag,
    gaussian_nll_loss,
    grouped_mm,
    is_causal_mask,
    reduction_number,
    rms_norm,
    steps_of,
    substitute,
)
from bridge.port.porting import Port
from tests.port import attending


def test_they_are_what_pytorchs_are() -> None:
    assert torch.equal(causal_mask(4), nn.Transformer.generate_square_subsequent_mask(4))
    x = torch.rand(2, 3, 4)
    assert [steps_of(x, first) for first in (True, False)] == [3, 2]
    mask = causal_mask(3)
    for given in (
        (None, None, 3),
        (mask, None, 3),
        (mask, None, None),
        (mask * 0, None, 3),
        (mask, False, 3),
        (mask[:2], None, 3),
    ):
        assert is_causal_mask(*given) is transformer._detect_is_causal_mask(*given)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_norm_is_pytorchs(dtype: torch.dtype) -> None:
    x = torch.rand(2, 3, 4).to(dtype)
    weight = torch.rand(3, 4).to(dtype)
    for given in ([4],), ([3, 4],), ([3, 4], weight), ([3, 4], weight, 1e-2):
        assert torch.allclose(rms_norm(x, *given), F.rms_norm(x, *given), 1e-5, 0.0)


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (3, 1, 2, 0), (0, 1, 3, 2)])
def test_a_norm_has_the_layout_that_pytorch_gives_it(axes: tuple[int, ...]) -> None:
    x = torch.rand(2, 3, 4, 5).permute(axes)
    for one in (x, x[0]):
        assert rms_norm(one, [x.shape[-1]]).stride() == F.rms_norm(one, [x.shape[-1]]).stride()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("full", [False, True])
def test_the_likelihood_is_pytorchs(reduction: str, full: bool) -> None:
    x, y, var = torch.rand(3, 2, 4), torch.rand(3, 2, 4), torch.rand(3, 2, 4).round()
    for given in (var, var[..., 0], var[..., :1]):
        found = gaussian_nll_loss(x, y, given, full, 1e-3, reduction)
        assert torch.equal(found, F.gaussian_nll_loss(x, y, given, full, 1e-3, reduction))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_rows_are_pytorchs(mode: str) -> None:
    weight, matrix, vector = torch.rand(6, 3), torch.randint(0, 6, (4, 5)), torch.randint(0, 6, (7,))
    assert torch.allclose(embedding_bag(matrix, weight, mode=mode), F.embedding_bag(matrix, weight, mode=mode))
    if mode == "max":
        return
    for offsets in (torch.tensor([0, 2, 2, 5]), torch.tensor([0, 7]), torch.tensor([0])):
        found = embedding_bag(vector, weight, offsets, mode=mode)
        assert torch.allclose(found, F.embedding_bag(vector, weight, offsets, mode=mode))
    if mode == "sum":
        given = torch.rand(4, 5)
        found = embedding_bag(matrix, weight, mode="sum", per_sample_weights=given)
        assert torch.allclose(found, F.embedding_bag(matrix, weight, mode="sum", per_sample_weights=given))


@pytest.mark.parametrize("bags", [embedding_bag, F.embedding_bag])
def test_bags_without_indices_are_refused(bags: Callable[..., torch.Tensor]) -> None:
    with pytest.raises((ValueError, RuntimeError)):
        bags(torch.zeros(2, 0, dtype=torch.long), torch.rand(4, 3))


@pytest.mark.parametrize("offsets", [[2, 2, 7], [0, 7, 7], [7, 7, 7]])
def test_groups_of_rows_are_multiplied_as_pytorch_does(offsets: list[int]) -> None:
    rows, matrices, ends = torch.rand(7, 8), torch.rand(3, 12, 8), torch.tensor(offsets, dtype=torch.int32)
    found = grouped_mm(rows, matrices.transpose(-2, -1), offs=ends)
    assert torch.equal(found, F.grouped_mm(rows, matrices.transpose(-2, -1), offs=ends))
    assert grouped_mm(rows, matrices.mT, offs=ends.clamp(max=2)).shape == (7, 12)
    with pytest.raises(ValueError, match="other things than the rows"):
        grouped_mm(rows, matrices.mT)


def test_ways_to_reduce_a_loss_have_pytorchs_numbers() -> None:
    assert [reduction_number(one) for one in ("none", "mean", "sum")] == [
        _reduction.get_enum(one) for one in ("none", "mean", "sum")
    ]
    with pytest.raises(ValueError, match="median is not a valid"):
        reduction_number("median")


@pytest.mark.parametrize("value", [torch.relu, 3, [1], nn.Linear])
def test_what_is_none_of_them_stays(value: object) -> None:
    assert substitute(value) is value


def test_they_are_functions_of_the_project(ported: Callable[..., Port]) -> None:
    text = ported(attending.Causal, torch.rand(2, 5, 8)).files["Functions.cs"]
    assert "internal static Tensor causal_mask(long size" in text
