"""attention.py: nn.MultiheadAttention as a class of the project."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.forwards import attention as attention_module
from bridge.port.forwards.attention import attention, is_masked, without_fused
from bridge.port.porting import Port
from tests.port import attending

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


@pytest.mark.parametrize("heads", [4, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("training", "gradients"), [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize("asked", [True, False])
def test_it_is_what_pytorch_computes_to_the_bit(
    asked: bool, training: bool, gradients: bool, bias: bool, heads: int
) -> None:
    module = nn.MultiheadAttention(48, heads, dropout=0.25, bias=bias, batch_first=True).train(training)
    for batch, steps in ((1, 1), (3, 5), (2, 64)):
        x = torch.rand(batch, steps, 48, generator=torch.Generator().manual_seed(steps))
        with torch.set_grad_enabled(gradients):
            torch.manual_seed(1)
            expected, weights = module(x, x, x, need_weights=asked)
            torch.manual_seed(1)
            output, own = attention(module, x, x, x, need_weights=asked)
        assert torch.equal(output, expected)
        assert own is weights is None if not asked else torch.equal(own, weights)


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("words", [{"attn_mask"}, {"key_padding_mask"}, {"attn_mask", "key_padding_mask"}])
@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("others", [0, 1, 2])
def test_masks_and_other_keys_are_what_pytorchs_operators_compute_to_the_bit(
    others: int, asked: bool, words: set[str], floating: bool, batch_first: bool
) -> None:
    module = nn.MultiheadAttention(16, 2, batch_first=batch_first).eval()
    x = torch.rand(3, 5, 16) if batch_first else torch.rand(5, 3, 16)
    key = x if not others else x + 1
    value = key if others < 2 else x * 2
    masks: dict[str, torch.Tensor] = {
        "attn_mask": torch.triu(torch.ones(5, 5, dtype=torch.bool), 1),
        "key_padding_mask": torch.arange(5).expand(3, 5) > torch.tensor([[4], [3], [2]]),
    }
    given: dict[str, Any] = {word: masks[word].float() * -3 if floating else masks[word] for word in words}
    for average in (True, False):
        with torch.no_grad(), without_fused():
            expected, weights = module(x, key, value, need_weights=asked, average_attn_weights=average, **given)
        with torch.no_grad():
            own = FunctionType(
                attention.__code__, {**vars(attention_module), "FUSED": False}, "own", attention.__defaults__
            )
            output, own_weights = own(module, x, key, value, need_weights=asked, average_attn_weights=average, **given)
        assert torch.equal(output, expected)
        assert own_weights is weights is None if not asked else torch.equal(own_weights, weights)


def test_its_class_has_pytorchs_keys_and_calls(ported: Callable[..., Port]) -> None:
    port = ported(Attending, X)
    assert port.left == ()
    text = port.files["MultiheadAttention.cs"]
    assert (
        "class MultiheadAttention : Module<Tensor, Tensor, Tensor, Tensor?, bool, Tensor?, (Tensor, Tensor?)>" in text
    )
    assert "private readonly Linear out_proj;" in text
    assert "in_proj_weight = new Parameter(torch.empty(3 * embed_dim, embed_dim));" in text
    assert "x = F.scaled_dot_product_attention(q, k, v, p: training ? dropout : 0.0);" in text
    assert "(x, _) = attention.call(x, x, x, null, false, null);" in port.files["Attending.cs"]


def test_weights_are_given_where_they_are_asked_for(ported: Callable[..., Port]) -> None:
    port = ported(Weighing, X)
    assert port.left == ()
    assert "(x, var weights) = attention.call(x, x, x, null, true, null);" in port.files["Weighing.cs"]


def test_masks_are_written_without_the_fused_kernel(ported: Callable[..., Port]) -> None:
    port = ported(attending.Causal, X)
    assert port.left == ()
    text = port.files["MultiheadAttention.cs"]
    assert "fused" not in "".join(port.files.values())
    assert "if (ReferenceEquals(query, key) && ReferenceEquals(key, value))" in text
    assert is_masked(attending.Causal(), {"x": X})
    assert not is_masked(Attending(), {"x": X})


class Biased(Attending):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, add_bias_kv=True)


def test_what_is_not_written_is_a_place_left(ported: Callable[..., Port]) -> None:
    (left,) = ported(Biased, X).left
    assert left.where == "MultiheadAttention.forward"
    assert left.place.startswith("activation.py:")


def test_fused_kernels_are_off_within_alone() -> None:
    assert torch.backends.mha.get_fastpath_enabled()
    with without_fused(False):
        assert torch.backends.mha.get_fastpath_enabled()
    with without_fused():
        assert not torch.backends.mha.get_fastpath_enabled()
    assert torch.backends.mha.get_fastpath_enabled()


def test_the_model_is_afterwards_as_before(ported: Callable[..., Port]) -> None:
    model = Attending()
    ported(lambda: model, X)
    assert "forward" not in vars(model.attention)
    assert not model.attention._forward_pre_hooks
