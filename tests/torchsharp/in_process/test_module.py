"""A C# module on TorchSharp as a torch.nn.Module: calls, tensors, what both libraries share, and what is refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

import bridge

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]

Load = Callable[..., Any]
Pair = Callable[..., tuple[Any, Any]]


def data(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("name", "shape"), [("Net", (3, 4)), ("Outer", (3, 4)), ("Recurrent", (2, 5, 4))])
def test_a_call_and_its_gradients_are_pytorchs_bit_for_bit(pair: Pair, name: str, shape: tuple[int, ...]) -> None:
    models = pair(name)
    inputs = [data(*shape).requires_grad_() for _ in models]
    ours, theirs = (model(x) for model, x in zip(models, inputs, strict=True))
    assert torch.equal(ours, theirs)
    assert type(ours.grad_fn) is type(theirs.grad_fn)
    for y in (ours, theirs):
        y.square().sum().backward()
    assert torch.equal(inputs[0].grad, inputs[1].grad)
    for (key, mine), other in zip(models[0].named_parameters(), models[1].parameters(), strict=True):
        assert torch.equal(mine.grad, other.grad), key


def test_training_by_pythons_optimizer_is_pytorchs(pair: Pair) -> None:
    """TorchSharp's parameters are the memory that the optimizer writes."""
    models = pair("Net")
    for model in models:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        for step in range(5):
            optimizer.zero_grad()
            F.mse_loss(model(data(6, 4, seed=step)), data(6, 4, seed=step + 10)).backward()
            optimizer.step()
    for (key, mine), other in zip(models[0].state_dict().items(), models[1].state_dict().values(), strict=True):
        assert torch.equal(mine, other), key


def test_an_argument_that_csharp_returns_is_the_same_object(load: Load) -> None:
    x = data(2)
    assert load("Shared", "itself")(x) is x


def test_tuples_lists_and_numbers_cross(load: Load) -> None:
    model = load("Mixed")
    a, b = data(2), data(3)
    doubled, (second, first) = model((a, b))
    assert torch.equal(doubled, a * 2)
    assert first is a
    assert second is b
    assert torch.equal(model((a, b), factor=5)[0], a * 5)


def test_arguments_by_name_and_defaults(load: Load) -> None:
    gate = load("Gate")
    x, mask = data(2, 4), data(2, 4, seed=1)
    plain = F.linear(x, gate.fc.weight, gate.fc.bias)
    assert torch.equal(gate(x), plain)
    assert torch.equal(gate(x=x), plain)
    assert torch.equal(gate(x, None), plain)
    for result in (gate(x, mask), gate(x, mask=mask), gate(mask=mask, x=x)):
        assert torch.equal(result, plain * mask)


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        (
            (),
            {},
            bridge.DotNetError,
            r"Gate\.forward\(Tensor x, Tensor\? mask = null\) was given \(\): 'x' is missing \(F-2",
        ),
        ((1, 2, 3), {}, bridge.DotNetError, r"was given \(int, int, int\): it takes 2 arguments, not 3 \(F-2"),
        (("text",), {}, bridge.DotNetError, r"was given \(str\): 'x': string"),
        (
            (data(2, 4),),
            {"other": 1},
            TypeError,
            r"mask = null\) was given \(Tensor\[2, 4\], other=int\): no parameter.*other",
        ),
        ((data(2, 4),), {"x": data(2, 4)}, TypeError, "x"),
    ],
)
def test_arguments_that_do_not_fit_are_named(
    load: Load, args: Any, kwargs: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load("Gate")(*args, **kwargs)


def test_an_exception_of_csharp_has_its_type_its_text_and_its_place(load: Load) -> None:
    model = load("Failing")
    with pytest.raises(
        bridge.DotNetError,
        match=r"System\.InvalidOperationException in the root module: on purpose\n.*Models\.Failing\.forward",
    ):
        model(data(1, 4))
    with pytest.raises(bridge.DotNetError, match="mat1 and mat2 shapes cannot be multiplied"):
        model(data(1, 5))


def test_registrations_are_those_of_csharp(load: Load) -> None:
    """A child under two names is one module, and a list of modules is a module without ``forward``."""
    model = load("Registered")
    assert [name for name, _ in model.named_modules()] == ["", "first", "layers", "layers.0", "layers.1"]
    assert model.first is model.again
    assert [name for name, _ in model.named_parameters()] == ["first.weight", "first.bias", "layers.1.weight"]
    assert [name for name, _ in model.named_buffers()] == ["seen"]  # TorchSharp lists no others
    keys = ["seen", "first.weight", "first.bias", "again.weight", "again.bias", "layers.1.weight"]
    assert list(model.state_dict()) == keys
    assert {type(parameter) for parameter in model.parameters()} == {nn.Parameter}
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in model.parameters())
    assert not any(type(buffer) is nn.Parameter for buffer in model.buffers())
    assert [type(module).__name__ for module in model.modules()] == [
        "Registered",
        "Linear",
        "ModuleList",
        "ReLU",
        "Linear",
    ]
    with pytest.raises(NotImplementedError, match="forward"):
        model.layers(data(1, 4))


def test_what_either_side_writes_the_other_reads(load: Load) -> None:
    model = load("Registered")
    x = data(2, 4)
    model(x)
    model(x)
    assert model.seen.item() == 2  # C# added to it
    model.seen.zero_()
    with torch.no_grad():
        model.first.weight.zero_()
        model.first.bias.fill_(3)
    model.layers.get_submodule("1").load_state_dict({"weight": torch.eye(4)})
    assert torch.equal(model(x), torch.full((2, 4), 3.0))
    assert model.seen.item() == 1
    state = {key: torch.ones_like(value) for key, value in model.state_dict().items()}
    model.load_state_dict(state)
    assert model.seen.item() == 1
    assert torch.equal(model.first(x), F.linear(x, torch.ones(4, 4), torch.ones(4)))


def test_forward_runs_no_hooks_of_the_module_itself(load: Load) -> None:
    """As in PyTorch."""
    model = load("Net")
    seen = []
    model.register_forward_hook(lambda *_: seen.append("root"))
    model.fc1.register_forward_hook(lambda *_: seen.append("child"))
    assert torch.equal(model.forward(data(1, 4)), model(data(1, 4)))
    assert seen == ["child", "child", "root"]


def test_grad_modes_are_shared(load: Load) -> None:
    model = load("Net")
    with torch.no_grad():
        assert not model(data(1, 4)).requires_grad
    with torch.inference_mode():
        assert model(data(1, 4)).is_inference()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert model(data(1, 4)).dtype == torch.bfloat16
    assert model(data(1, 4)).requires_grad


def test_the_generator_and_the_number_of_threads_are_shared(load: Load) -> None:
    model, x = load("Shared", "dropout"), torch.ones(50)
    torch.manual_seed(3)
    ours, after = model(x), torch.get_rng_state()
    torch.manual_seed(3)
    assert torch.equal(ours, F.dropout(x, 0.5, training=True))
    assert torch.equal(after, torch.get_rng_state())
    assert load("Shared", "threads")(x).item() == torch.get_num_threads() == 1


def test_a_backward_that_csharp_begins_reaches_both(pair: Pair) -> None:
    models = pair("Trains")
    inputs = [data(2, 4).requires_grad_() for _ in models]
    assert torch.equal(*(model(x) for model, x in zip(models, inputs, strict=True)))
    assert torch.equal(inputs[0].grad, inputs[1].grad)
    for (key, mine), other in zip(models[0].named_parameters(), models[1].parameters(), strict=True):
        assert torch.equal(mine.grad, other.grad), key


class _Watching(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("an operator ran")


@pytest.mark.parametrize("child", [False, True])
def test_a_mode_that_is_refused_is_refused_before_csharp_runs(load: Load, child: bool) -> None:
    model, x = load("Registered"), torch.ones(1, 4)
    with _Watching(), pytest.raises(RuntimeError, match="cannot run under the dispatch mode _Watching"):
        (model.first if child else model)(x)
    assert model.seen.item() == 0
    model(x)
    assert model.seen.item() == 1


@pytest.mark.parametrize("copying", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_are_refused_with_what_to_do(load: Load, copying: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"cannot be copied or pickled: save its state_dict\(\)"):
        copying(load("Net"))


def test_the_entries_of_a_collection_are_reached_as_in_pytorch(pair: Pair) -> None:
    ours, theirs = pair("Chain")
    assert len(ours.layers) == len(theirs.layers)
    assert [type(layer).__name__ for layer in ours.layers] == [type(layer).__name__ for layer in theirs.layers]
    assert ours.layers[1][-1] is ours.layers.get_submodule("1.1")
    with pytest.raises(TypeError, match="an index must be an integer or a name, not a slice"):
        ours.layers[:1]
