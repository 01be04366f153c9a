"""substitutes.py: PyTorch's own functions that TorchSharp lacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import transformer

from bridge.port.observe.substitutes import causal_mask, gaussian_nll_loss, is_causal_mask, steps_of, substitute
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


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("full", [False, True])
def test_the_likelihood_is_pytorchs(reduction: str, full: bool) -> None:
    x, y, var = torch.rand(3, 2, 4), torch.rand(3, 2, 4), torch.rand(3, 2, 4).round()
    for given in (var, var[..., 0], var[..., :1]):
        found = gaussian_nll_loss(x, y, given, full, 1e-3, reduction)
        assert torch.equal(found, F.gaussian_nll_loss(x, y, given, full, 1e-3, reduction))


@pytest.mark.parametrize("value", [torch.relu, 3, [1], nn.Linear])
def test_what_is_none_of_them_stays(value: object) -> None:
    assert substitute(value) is value


def test_they_are_functions_of_the_project(ported: Callable[..., Port]) -> None:
    text = ported(attending.Causal, torch.rand(2, 5, 8)).files["Functions.cs"]
    assert "internal static Tensor causal_mask(long size" in text
