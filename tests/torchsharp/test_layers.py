"""The modules of Bridge.Torch beside the common ones against their torch.nn counterparts: initial values, state, outputs, gradients.

Each is the child of a C# module and is called from Python, so that it may have any number of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from operator_rows.layers import ONE
from operator_rows.layers_called import MANY, causal
from torch import nn

import bridge
from bridge.mirror import link_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

_HOLDER = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Layers;

/// <summary>One module of each case.</summary>
public sealed class Holder : Module<Tensor, Tensor>
{{
    private readonly Module layer;

    public Holder(string kind) : base(nameof(Holder))
    {{
        layer = kind switch
        {{
{arms}
            _ => throw new System.ArgumentException(kind),
        }};
        RegisterComponents();
    }}

    public override Tensor forward(Tensor input) => input;
}}
"""

CASES = {**ONE, **MANY}


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    arms = "\n".join(f'            "{kind}" => {case.code},' for kind, case in CASES.items())
    return build_csharp({"Layers.cs": _HOLDER.format(arms=arms)}, "Layers")


@pytest.fixture
def pair(assembly: Path) -> Callable[[str], tuple[nn.Module, nn.Module]]:
    """Return ``pair(name)``: the C# module and PyTorch's, made from one seed."""

    def make(name: str) -> tuple[nn.Module, nn.Module]:
        torch.default_generator.manual_seed(11)
        holder = bridge.load(assembly, "Layers.Holder", name)
        drawn = torch.get_rng_state()
        torch.default_generator.manual_seed(11)
        counterpart = CASES[name].counterpart()
        assert torch.equal(drawn, torch.get_rng_state()), "what is made next would begin otherwise"
        ours: Any = holder.layer
        ours.holder = [holder]  # alive as long
        return ours, counterpart

    return make


@pytest.mark.parametrize("name", CASES)
def test_initial_values_and_state_equal_those_of_the_counterpart(name: str, pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair(name)
    mine, other = ours.state_dict(), counterpart.state_dict()
    assert list(mine) == list(other)
    for key in other:
        assert bits_equal(mine[key], other[key]), key
    assert [key for key, _ in ours.named_modules()] == [key for key, _ in counterpart.named_modules()]
    assert [type(m).__name__ for m in ours.modules()] == [type(m).__name__ for m in counterpart.modules()]
    assert [p.requires_grad for p in ours.parameters()] == [p.requires_grad for p in counterpart.parameters()]


@pytest.mark.parametrize("name", CASES)
def test_outputs_and_gradients_equal_those_of_the_counterpart(
    name: str, pair: Any, draw: Any, same_weights: Any, bits_equal: Any
) -> None:
    case = CASES[name]
    for dtype in (torch.float32, torch.float64, torch.bfloat16) if case.half else (torch.float32, torch.float64):
        ours, counterpart = pair(name)
        same_weights(ours, counterpart, draw(3, dtype))
        ours.to(dtype)
        counterpart.to(dtype)
        for training in (True, False):
            ours.train(training)
            counterpart.train(training)
            calls = range(6) if case.arguments else range(len(case.shapes))
            for n in calls:
                drawn = draw(2 * n, dtype)
                arguments = case.arguments(drawn, n) if case.arguments else (drawn.tensor(*case.shapes[n]),)
                _step(ours, counterpart, arguments, f"{name} {dtype} {n} training={training}", bits_equal)


@pytest.mark.parametrize("name", ["encoder layer", "decoder layer", "attention"])
def test_arguments_that_only_pytorchs_layer_has_can_be_given(name: str, pair: Any, draw: Any, bits_equal: Any) -> None:
    """TorchSharp's types lack them, but the layers around hand them over, and traces and hooks have them as PyTorch's do."""
    ours, counterpart = pair(name)
    drawn = draw(1, torch.float32)
    x, mask = drawn.tensor(5, 2, 8), causal(drawn)
    arguments: tuple[torch.Tensor, ...]
    given: dict[str, Any]
    arguments, given = {
        "encoder layer": ((x,), {"src_mask": mask, "is_causal": True}),
        "decoder layer": ((x, x), {"tgt_mask": mask, "tgt_is_causal": True, "memory_mask": mask, "memory_is_causal": True}),
        "attention": ((x, x, x), {"attn_mask": mask, "average_attn_weights": False}),
    }[name]  # fmt: skip
    results, recorded = [], []
    for module in (ours.eval(), counterpart.eval()):
        with bridge.record(module, values="digest") as recording:
            found = [*_tensors(module(*arguments, **given))]
        recorded.append(recording.trace[0].values)
        handle = module.register_forward_pre_hook(lambda *_, **__: None, with_kwargs=True)
        found += _tensors(module(*arguments, **given))
        handle.remove()
        found += _tensors(module(*arguments))  # nothing of an earlier call is left
        results.append(found)
    assert all(map(bits_equal, *results))
    assert recorded[0] == recorded[1]


def test_an_lstm_gives_python_and_takes_from_hooks_what_pytorchs_does(pair: Any, draw: Any, bits_equal: Any) -> None:
    """The states are a pair, in a result and for a hook; in C# there are three results."""
    ours, counterpart = pair("lstm")
    x = draw(1, torch.float32).tensor(5, 2, 3)

    def doubled(_: Any, given: Any, result: Any) -> Any:
        output, (hidden, cell) = result
        return output, (hidden * 2, cell)

    results = []
    for module in (ours, counterpart):
        module.register_forward_hook(doubled)
        output, (hidden, cell) = module(x)
        results.append([output, hidden, cell])
    assert all(map(bits_equal, *results))


def _called(module: nn.Module, arguments: tuple[Any, ...]) -> Any:
    """Return the result of C#'s ``forward`` for a mirror, whose own is PyTorch's."""
    link = link_of(module)
    if link is None:
        return module(*arguments)
    return link.runtime.exports.forward(link.id, *arguments)


def _step(ours: nn.Module, counterpart: nn.Module, arguments: tuple[Any, ...], where: str, bits_equal: Any) -> None:
    """Run a call and a backward of each from one seed, and compare bit for bit."""
    sides = []
    for module in (ours, counterpart):
        leaves: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        given = _leaves(arguments, leaves)
        module.zero_grad()
        torch.default_generator.manual_seed(5)
        results = list(_tensors(_called(module, given)))
        state = torch.get_rng_state()
        flowing = [result for result in results if result.requires_grad]
        if flowing:
            generator = torch.Generator().manual_seed(3)
            flows = [torch.randn(result.shape, generator=generator).to(result.dtype) for result in flowing]
            torch.autograd.backward(flowing, flows)
        gradients = [leaf.grad for leaf, _ in leaves.values()] + [parameter.grad for parameter in module.parameters()]
        sides.append((results, state, gradients))
    (mine, mine_state, mine_gradients), (other, other_state, other_gradients) = sides
    assert len(mine) == len(other), where
    for at, (a, b) in enumerate(zip(mine, other, strict=True)):
        assert bits_equal(a, b), (where, at)
        assert a.requires_grad == b.requires_grad, where
    assert torch.equal(mine_state, other_state), where
    for at, (a, b) in enumerate(zip(mine_gradients, other_gradients, strict=True)):
        assert bits_equal(a, b), (where, "gradient", at)


def _leaves(value: Any, leaves: dict[int, tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """Copy leaves, which a module may change in place; a tensor that is passed twice is copied once."""
    if isinstance(value, tuple):
        return tuple(_leaves(item, leaves) for item in value)
    if not isinstance(value, torch.Tensor):
        return value
    if id(value) not in leaves:
        leaf = value.clone().requires_grad_(value.is_floating_point())
        leaves[id(value)] = (leaf, leaf.clone())
    return leaves[id(value)][1]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """Return the tensors of a result: C#'s LSTM returns (output, h, c), PyTorch's (output, (h, c))."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
