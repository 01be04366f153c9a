"""Overloads of ``call`` that TorchSharp takes past its modules: packed sequences, and masks of a Transformer. Here they fire (C-6)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("one_thread")]
LENGTHS = torch.tensor([2, 5, 3])
KINDS: dict[str, Callable[[], nn.RNNBase]] = {
    "lstm": lambda: nn.LSTM(3, 4, 2, bidirectional=True),
    "gru": lambda: nn.GRU(3, 4),
    "tanh": lambda: nn.RNN(3, 4),
    "relu": lambda: nn.RNN(3, 4, nonlinearity="relu"),
}


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


def causal(size: int) -> torch.Tensor:
    return nn.Transformer.generate_square_subsequent_mask(size)


class Packed(nn.Module):
    """The PyTorch original of Overloads.Packed, Hooked and Alone."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, lengths: torch.Tensor, state: torch.Tensor | None = None) -> Any:
        given: Any = state
        if state is not None and isinstance(self.layer, nn.LSTM):
            given = (state, state)
        packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
        output, hidden = self.layer(packed) if given is None else self.layer(packed, given)
        if isinstance(self.layer, nn.LSTM):
            hidden = hidden[0] + hidden[1]
        return pad_packed_sequence(output)[0], hidden


class Masked(nn.Module):
    """That of Overloads.Masked, HookedMasked and Unmasked."""

    def __init__(self) -> None:
        super().__init__()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "enable_nested_tensor is True")
            self.layer = nn.Transformer(8, 2, 1, 1, 16, 0.1)

    def forward(
        self,
        src: torch.Tensor,
        tgt: torch.Tensor,
        mask: torch.Tensor | None = None,
        padding: torch.Tensor | None = None,
    ) -> Any:
        return self.layer(src, tgt, mask, mask, src_key_padding_mask=padding)


@pytest.fixture(scope="module")
def overloads(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([Path(__file__).parent / "Overloads.cs"], "Overloads", against=[reference])


def same(value: Any, other: Any) -> bool:
    """Return whether both have equal container types and equal tensors."""
    if isinstance(value, torch.Tensor) or isinstance(other, torch.Tensor):
        return isinstance(value, torch.Tensor) and isinstance(other, torch.Tensor) and torch.equal(value, other)
    if isinstance(value, tuple):
        return type(value) is type(other) and len(value) == len(other) and all(map(same, value, other))
    return bool(value == other)


@pytest.fixture(params=[(kind, state) for kind in KINDS for state in (False, True)], ids=str)
def packed(request: pytest.FixtureRequest, overloads: Path) -> tuple[bridge.Mirror, nn.Module, tuple[Any, ...]]:
    """Return a C# model, its original with equal weights, and inputs."""
    kind, state = request.param
    original = Packed(KINDS[kind]())
    ours = bridge.load(overloads, "Overloads.Packed", kind)
    ours.load_state_dict(original.state_dict())
    inputs = (drawn(5, 3, 3), LENGTHS, *([drawn(4 if kind == "lstm" else 1, 3, 4)] if state else []))
    return ours, original, inputs


def test_hooks_of_a_packed_call_see_what_pytorchs_see(packed: Any) -> None:
    ours, original, inputs = packed
    seen: list[list[Any]] = []
    for model in (ours, original):
        log: list[Any] = []
        model.layer.register_forward_pre_hook(lambda _, args, log=log: log.append(args))
        model.layer.register_forward_hook(lambda _, args, result, log=log: log.append((args, result)))
        log.append(model(*inputs))
        seen.append(log)
    assert len(seen[1]) == 3
    assert isinstance(seen[0][0][0], PackedSequence)
    assert all(map(same, seen[0], seen[1])), seen


def test_a_packed_call_is_in_the_trace(packed: Any) -> None:
    """Also its gradients are PyTorch's, in both modes."""
    ours, original, inputs = packed
    for train in (False, True):
        found = compare(original, ours, Inputs(inputs), train=train, backward=train)
        assert found.same, found.explain()
        assert found.largest == 0
        assert [event.path for event in found.dotnet.trace] == [event.path for event in found.pytorch.trace]
        assert "layer" in [event.path for event in found.dotnet.trace]


def test_hooks_replace_the_sequences(packed: Any) -> None:
    ours, original, inputs = packed
    results = []
    for model in (ours, original):
        model.layer.register_forward_pre_hook(
            lambda _, args: (PackedSequence(args[0].data * 2, *args[0][1:]), *args[1:])
        )
        model.layer.register_forward_hook(
            lambda _, args, result: (PackedSequence(result[0].data + args[0].data.sum(), *result[0][1:]), result[1])
        )
        x = inputs[0].clone().requires_grad_()
        output, hidden = model(x, *inputs[1:])
        (output.sum() + hidden.sum()).backward()
        results.append((output, hidden, x.grad))
    assert same(*results)


def test_always_called_hooks_run_when_a_packed_call_fails(packed: Any) -> None:
    """A-1."""
    ours, original, inputs = packed
    for model in (ours, original):
        log: list[Any] = []
        model.layer.register_forward_hook(lambda _, args, result, log=log: log.append(result), always_call=True)
        with pytest.raises(Exception, match="size|shapes|must"):
            model(inputs[0][..., :2], *inputs[1:])
        assert log == [None]


@pytest.mark.parametrize("change", [False, True])
def test_hooks_of_csharp_see_the_steps(change: bool, overloads: Path) -> None:
    original = Packed(nn.GRU(3, 4))
    ours = bridge.load(overloads, "Overloads.Hooked", change)
    ours.load_state_dict(original.state_dict())
    expected = _changed(original)(drawn(5, 3, 3), LENGTHS) if change else original(drawn(5, 3, 3), LENGTHS)
    assert same(ours(drawn(5, 3, 3), LENGTHS), expected)


def test_they_do_where_csharp_is_alone(overloads: Path) -> None:
    """The dispatcher of C#, since the layer has no mirror; a global hook of Python is one of the model's."""
    original = Packed(nn.GRU(3, 4))
    ours = bridge.load(overloads, "Overloads.Alone")
    weights = [parameter.detach() for parameter in original.parameters()]
    assert same(ours(drawn(5, 3, 3), LENGTHS, *weights), _changed(original)(drawn(5, 3, 3), LENGTHS))


def _changed(original: nn.Module) -> nn.Module:
    layer: Any = original.layer
    layer.register_forward_pre_hook(lambda _, args: (PackedSequence(args[0].data * 2, *args[0][1:]),))
    layer.register_forward_hook(
        lambda _, args, result: (PackedSequence(result[0].data + args[0].data.sum(), *result[0][1:]), result[1] * 3)
    )
    return original


def test_packed_sequences_cross(overloads: Path) -> None:
    """As arguments and results of a user's module, with what they were sorted by."""
    ours: Any = bridge.load(overloads, "Overloads.Through")
    lstm = nn.LSTM(3, 4)
    lstm.load_state_dict(ours.layer.state_dict())
    for sort in (False, True):
        x = pack_padded_sequence(
            drawn(5, 3, 3), LENGTHS.sort(descending=True)[0] if sort else LENGTHS, enforce_sorted=sort
        )
        expected = lstm(x)[0]
        assert same(ours(x), expected)
        assert same(ours.layer(x), lstm(x))
        assert (ours(x).sorted_indices is None) == sort
    with pytest.raises(TypeError, match="tuple of 3"):
        ours(tuple(x)[:3])


def test_masks_reach_a_transformers_hooks(overloads: Path) -> None:
    ours, original = bridge.load(overloads, "Overloads.Masked"), Masked()
    ours.load_state_dict(original.state_dict())
    padding = torch.tensor([[0.0, 0.0, 0.0, -torch.inf], [0.0] * 4])
    inputs = (drawn(4, 2, 8), drawn(4, 2, 8), causal(4), padding)
    seen = []
    for model in (ours, original):
        log: list[Any] = []
        model.layer.register_forward_pre_hook(lambda _, args, log=log: log.append(args[:4]))
        model.layer.register_forward_hook(lambda _, args, result, log=log: log.append(result))
        model.eval()
        log.append(model(*inputs))
        seen.append(log)
    assert len(seen[1]) == 3
    assert all(map(same, *seen))
    assert same(
        ours.layer(*inputs[:2], src_mask=inputs[2], src_key_padding_mask=padding),
        original.layer(*inputs[:3], src_key_padding_mask=padding),
    )


def test_a_masked_transformer_is_in_the_trace(overloads: Path) -> None:
    ours, original = bridge.load(overloads, "Overloads.Masked"), Masked()
    ours.load_state_dict(original.state_dict())
    padding = torch.tensor([[0.0, 0.0, 0.0, -torch.inf], [0.0] * 4])
    found = compare(
        original, ours, Inputs((drawn(4, 2, 8), drawn(4, 2, 8), causal(4), padding)), train=True, backward=True
    )
    assert found.same, found.explain()
    assert found.largest == 0
    assert [event.path for event in found.dotnet.trace] == [event.path for event in found.pytorch.trace]
    assert "layer" in [event.path for event in found.dotnet.trace]


def test_forward_fires_reaches_a_transformer(overloads: Path) -> None:
    for fires in (False, True):
        ours: Any = bridge.load(overloads, "Overloads.Unmasked", forward_fires=fires)
        fired: list[str] = []
        ours.layer.register_forward_hook(lambda *_, fired=fired: fired.append("layer"))
        ours(drawn(4, 2, 8), drawn(4, 2, 8))
        assert fired == ["layer"] * fires


def test_hooks_of_csharp_see_a_transformers_two_sequences(overloads: Path) -> None:
    ours, original = bridge.load(overloads, "Overloads.HookedMasked").eval(), Masked().eval()
    ours.load_state_dict(original.state_dict())
    original.layer.register_forward_pre_hook(lambda _, args: (args[0] * 2, *args[1:]))
    original.layer.register_forward_hook(lambda _, args, result: result + args[0].sum())
    inputs = (drawn(4, 2, 8), drawn(4, 2, 8), causal(4))
    assert same(ours(*inputs), original(*inputs))
