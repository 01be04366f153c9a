"""attention.py: nn.MultiheadAttention(batch_first=True) as a class of the project (issue 16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.attention import with_weights, without_weights
from bridge.port.port_errors import Unwritable
from bridge.port.porting import Port

X = torch.rand(2, 3, 8)


class Attending(nn.Module):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.options = options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, _ = self.attention(x, x, x, need_weights=False)
        return x


class Weighing(Attending):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, weights = self.attention(x, x, x)
        return x, weights


class Masked(Attending):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, x, x, attn_mask=torch.zeros(3, 3))[0]


class Crossing(Attending):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, x + 1, x)[0]


@pytest.mark.parametrize("heads", [4, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("training", "gradients"), [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize("forward", [with_weights, without_weights])
def test_it_is_what_pytorch_computes_to_the_bit(
    forward: Callable[..., Any], training: bool, gradients: bool, bias: bool, heads: int
) -> None:
    module = nn.MultiheadAttention(48, heads, dropout=0.25, bias=bias, batch_first=True).train(training)
    asked = forward is with_weights
    for batch, steps in ((1, 1), (3, 5), (2, 64)):
        x = torch.rand(batch, steps, 48, generator=torch.Generator().manual_seed(steps))
        with torch.set_grad_enabled(gradients):
            torch.manual_seed(1)
            expected, weights = module(x, x, x, need_weights=asked)
            torch.manual_seed(1)
            output, own = forward(module, x, x, x, asked)
        assert torch.equal(output, expected)
        assert own is weights is None if not asked else torch.equal(own, weights)


def test_its_class_has_pytorchs_keys_and_calls(ported: Callable[..., Port]) -> None:
    port = ported(Attending, X)
    assert port.left == ()
    text = port.files["MultiheadAttention.cs"]
    assert "class MultiheadAttention : Module<Tensor, Tensor, Tensor, bool, (Tensor, Tensor?)>" in text
    assert "private readonly Linear out_proj;" in text
    assert "in_proj_weight = new Parameter(torch.zeros(24, 8));" in text
    assert "x = F.scaled_dot_product_attention(q, k, v);" in text
    assert "(x, _) = attention.call(x, x, x, false);" in port.files["Attending.cs"]


def test_weights_are_given_where_they_are_asked_for(ported: Callable[..., Port]) -> None:
    port = ported(Weighing, X)
    assert port.left == ()
    assert "bool, (Tensor, Tensor)>" in port.files["MultiheadAttention.cs"]


@pytest.mark.parametrize(("kind", "word"), [(Masked, "attn_mask"), (Crossing, "another query")])
def test_another_use_is_named(ported: Callable[..., Port], kind: type[nn.Module], word: str) -> None:
    with pytest.raises(
        Unwritable, match=rf"attention is MultiheadAttention\(batch_first=True\), and called with {word}"
    ):
        ported(kind, X)


def test_the_model_is_afterwards_as_before(ported: Callable[..., Port]) -> None:
    model = Attending()
    ported(lambda: model, X)
    assert "forward" not in vars(model.attention)
    assert not model.attention._forward_pre_hooks
