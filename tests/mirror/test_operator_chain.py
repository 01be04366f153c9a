"""Modules/Containers/OperatorChain.cs, NN/Calls/ForwardOperator.cs: built-ins that C# runs on handles, as if each were called alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, prune

import bridge
from tests.mirror.chained import Chained

Load = Callable[..., Any]
X = torch.linspace(-2, 2, 8).reshape(2, 4)
LAYERS = 8


@pytest.fixture
def pair(load: Load) -> tuple[Any, Any]:
    """Return the model and its counterpart in PyTorch, with equal weights."""
    mirror, counterpart = load("Chained"), Chained()
    counterpart.load_state_dict(mirror.state_dict())
    return counterpart, mirror


def _graph(result: torch.Tensor) -> list[str]:
    found, left = [], [result.grad_fn]
    while left:
        node = left.pop()
        if node is not None:
            found.append(node.name())
            left += [following for following, _ in node.next_functions]
    return found


def test_result_graph_and_gradients_are_pytorchs(pair: tuple[Any, Any]) -> None:
    """C-5."""
    for _ in range(3):
        expected, found = (model(X) for model in pair)
        assert torch.equal(expected, found)
        assert _graph(expected) == _graph(found)
        for model, result in zip(pair, (expected, found), strict=True):
            model.zero_grad()
            result.square().sum().backward()
        for first, second in zip(*(model.parameters() for model in pair), strict=True):
            assert torch.equal(first.grad, second.grad)


WRITES: dict[str, Callable[[Any], object]] = {
    "bias = None": lambda m: setattr(m.layers[0], "bias", None),
    "bias = None and back": lambda m: (setattr(m.layers[0], "bias", None), m(X), setattr(m.layers[0], "bias", nn.Parameter(torch.ones(4)))),
    "a bias where there was none": lambda m: setattr(m.layers[2], "bias", nn.Parameter(torch.ones(4))),
    "weight": lambda m: setattr(m.layers[4], "weight", nn.Parameter(torch.eye(4))),
    "of another size": lambda m: (
        setattr(m.layers[0], "weight", nn.Parameter(torch.ones(2, 4))), setattr(m.layers[0], "bias", None),
        setattr(m.layers[2], "weight", nn.Parameter(torch.ones(4, 2))),
    ),
    "weight.data": lambda m: setattr(m.layers[4].weight, "data", torch.eye(4)),
    "swapped": lambda m: torch.utils.swap_tensors(m.layers[4].weight, nn.Parameter(torch.eye(4))),
    "tied": lambda m: setattr(m.layers[4], "weight", m.layers[0].weight),
    "inplace": lambda m: setattr(m.layers[1], "inplace", True),
    "inplace and back": lambda m: (setattr(m.layers[1], "inplace", True), m(X), setattr(m.layers[1], "inplace", False)),
    "another layer": lambda m: m.layers.__setitem__(3, nn.Softplus()),
    "another linear layer": lambda m: m.layers.__setitem__(4, _filled(nn.Linear(4, 4))),
    "a layer less": lambda m: m.layers.__delitem__(5),
    "a layer more": lambda m: m.layers.append(nn.Hardtanh()),
    "forward": lambda m: setattr(m.layers[3], "forward", lambda x: x * 2),
    "a class of its own": lambda m: setattr(m.layers[3], "__class__", nn.Sigmoid),
    "a parametrization": lambda m: parametrizations.weight_norm(m.layers[4]),
    "pruned": lambda m: prune.l1_unstructured(m.layers[4], "weight", 0.5),
    "deleted": lambda m: delattr(m.layers[0], "bias"),
    "deleted weight": lambda m: delattr(m.layers[4], "weight"),
    "frozen": lambda m: m.layers[0].requires_grad_(False),
    "double": lambda m: m.layers[4].double(),
}  # fmt: skip


def _filled(layer: nn.Linear) -> nn.Linear:
    for parameter in layer.parameters():
        nn.init.constant_(parameter, 0.25)
    return layer


@pytest.mark.parametrize("name", WRITES)
def test_what_python_writes_holds_for_the_next_call(pair: tuple[Any, Any], name: str) -> None:
    """C-2: and for the ones after it."""
    outcomes: list[list[Any]] = []
    for model in pair:
        model(X)
        WRITES[name](model)
        outcomes.append([_outcome(model) for _ in range(2)])
    for expected, found in zip(*outcomes, strict=True):
        assert type(expected) is type(found) or isinstance(found, type(expected))
        if isinstance(expected, torch.Tensor):
            assert torch.equal(expected, found)
            assert _graph(expected) == _graph(found)


def _outcome(model: Any) -> Any:
    try:
        return model(X)
    except (AttributeError, RuntimeError) as error:
        return error


def test_what_csharp_writes_holds_for_the_same_call(load: Load) -> None:
    """The ReLU overwrites what the first layer made in every other call."""
    model, counterpart = load("Chained", False, -1, -1, True), Chained()
    with torch.no_grad():  # whatever the weights are, the layer's result has numbers that the ReLU changes
        model.layers[0].bias.copy_(torch.tensor([-9.0, 9.0, -9.0, 9.0]))
    counterpart.load_state_dict(model.state_dict())
    seen: list[torch.Tensor] = []
    for inplace in (True, False, True):
        assert torch.equal(model(X), counterpart(X))
        assert model.layers[1].inplace is inplace
        with model.layers[0].register_forward_hook(lambda module, args, result: seen.append(result)):
            model(X)
        model(X)
        assert bool((seen.pop() < 0).any()) is inplace  # turned over once more


@pytest.mark.parametrize("place", range(LAYERS))
@pytest.mark.parametrize("hooked", [False, True], ids=["alone", "beside C#'s"])
def test_a_hook_of_pythons_on_any_layer_runs(load: Load, place: int, hooked: bool) -> None:
    """C-5, C-6: with what the layer got and gave."""
    model, counterpart = load("Chained", hooked), Chained()
    counterpart.load_state_dict(model.state_dict())
    model(X)
    seen: list[list[Any]] = []
    for net in (counterpart, model):
        calls: list[Any] = []
        layer = net.layers[place]
        pre = layer.register_forward_pre_hook(lambda module, args, calls=calls: calls.append(args[0]))
        post = layer.register_forward_hook(lambda module, args, result, calls=calls: calls.extend((*args, result)))
        net(X)
        pre.remove()
        post.remove()
        net(X)
        seen.append(calls)
    assert len(seen[0]) == 3
    assert all(map(torch.equal, *seen))
    assert model.Seen == (3 * LAYERS if hooked else 0)


def test_a_hook_of_csharps_that_gives_a_tensor_replaces_the_result(load: Load) -> None:
    """F-1."""
    for place in range(LAYERS):
        model, counterpart = load("Chained", True, place), Chained()
        counterpart.load_state_dict(model.state_dict())
        counterpart.layers[place].register_forward_hook(lambda *_: torch.full((2, 4), 0.5))
        assert torch.equal(model(X), counterpart(X))
        assert model.Seen == LAYERS
        counterpart.layers[place]._forward_hooks.clear()
        assert torch.equal(model(X), counterpart(X))


@pytest.mark.parametrize("which", range(2 * LAYERS))
def test_of_two_hooks_of_csharps_each_runs_and_may_replace_the_result(load: Load, which: int) -> None:
    """F-1, O-1."""
    model, counterpart = load("Chained", True, which, -1, False, 2), Chained()
    counterpart.load_state_dict(model.state_dict())
    counterpart.layers[which // 2].register_forward_hook(lambda *_: torch.full((2, 4), 0.5))
    assert torch.equal(model(X), counterpart(X))
    assert model.Seen == 2 * LAYERS
    counterpart.layers[which // 2]._forward_hooks.clear()
    assert torch.equal(model(X), counterpart(X))
    assert model.Seen == 4 * LAYERS


@pytest.mark.parametrize("layer", range(LAYERS))
def test_a_hook_that_the_one_before_removes_still_runs_in_that_call(load: Load, layer: int) -> None:
    """D-2: and in no later one."""
    model, counterpart = load("Chained", True, -1, -1, False, 2, 2 * layer), Chained()
    counterpart.load_state_dict(model.state_dict())
    for calls in (1, 2):
        assert torch.equal(model(X), counterpart(X))
        assert model.Seen == 2 * LAYERS * calls - (calls - 1)


def test_a_hook_of_csharps_that_throws_ends_the_call(load: Load, live_counts: Callable[[], dict[str, int]]) -> None:
    """A-1: the hooks that are always called still run, and nothing stays behind."""
    model = load("Chained", True, -1, 3)
    with pytest.raises(bridge.DotNetError, match="on purpose") as caught:
        model(X)
    assert "layers.3" in str(caught.value)
    before = live_counts()["tensors"]
    seen: list[Any] = []
    other = load("Chained", True, -1, 3)
    other.layers[3].register_forward_hook(lambda module, args, result: seen.append(result), always_call=True)
    with pytest.raises(bridge.DotNetError, match="on purpose"):
        other(X)
    assert len(seen) == 1
    seen.clear()
    del other, caught
    assert model(X).shape == (2, 4)
    assert live_counts()["tensors"] == before


def test_a_hook_that_comes_while_an_operator_runs_gets_its_values(load: Load) -> None:
    """C-7: in the midst of the first layer Python sees what the graph saves, and registers them on that one and on a later one."""
    for hooked in (False, True):
        model, counterpart = load("Chained", hooked), Chained()
        counterpart.load_state_dict(model.state_dict())
        if hooked:  # what PyTorch asks once for a call (C-5)
            for layer in counterpart.layers:
                layer.register_forward_hook(lambda *_: None)
        outcomes = []
        for net in (counterpart, model):
            model(X)
            seen: list[Any] = []
            saved: list[Any] = []

            def pack(
                tensor: torch.Tensor, net: Any = net, seen: list[Any] = seen, saved: list[Any] = saved
            ) -> torch.Tensor:
                if not saved:  # in the first layer
                    for place in (0, 4):
                        net.layers[place].register_forward_hook(
                            lambda module, args, result: seen.extend((args[0].clone(), result.clone()))
                        )
                saved.append(tensor)
                return tensor

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                net(X)
            outcomes.append(seen)
        assert len(outcomes[0]) == (4 if hooked else 2)
        assert all(map(torch.equal, *outcomes))


def test_a_layer_that_fails_is_named_and_leaves_nothing_behind(
    load: Load, live_counts: Callable[[], dict[str, int]]
) -> None:
    for hooked in (False, True):
        model = load("Chained", hooked)
        model(X)
        before = live_counts()["tensors"]
        model.layers[4].weight = nn.Parameter(torch.ones(4, 3))
        with pytest.raises(RuntimeError, match="mat1 and mat2") as caught:
            model(X)
        assert "layers.4" in str(caught.value)
        assert live_counts()["tensors"] == before


def test_tensors_in_between_are_counted_as_if_they_were_tensors(load: Load) -> None:
    """DisposeScopeManager.Statistics."""
    model = load("Chained")
    model(X)
    made, disposed = model.Made, model.Disposed
    model(X)
    # The argument, and what each layer gave; the last is the result, which is disposed when Python has it.
    assert (model.Made - made, model.Disposed - disposed) == (LAYERS + 1, LAYERS + 1)
