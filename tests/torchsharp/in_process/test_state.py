"""What Python or C# changes in a model on TorchSharp in this process reaches the other side, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.nn.utils import parametrize, prune

import bridge

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]

Load = Callable[..., Any]


@pytest.fixture(scope="module")
def states(torchsharp: Path, build_csharp: Callable[..., Path]) -> Load:
    """Return ``states("Tied")``, which loads a class of States.cs."""
    built = build_csharp([Path(__file__).with_name("States.cs")], "InProcessStates", against=[torchsharp])
    runtime = f"torchsharp-in-process:{torchsharp.parent}"
    return lambda name, *args: bridge.load(built, f"States.{name}", *args, runtime=runtime)


def expected(model: Any, x: torch.Tensor) -> torch.Tensor:
    return F.linear(x, model.fc.weight, model.fc.bias)


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(2, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def model(states: Load) -> Any:
    return states("Changing").eval()


def test_csharp_reads_replaced_parameters(model: Any, x: torch.Tensor) -> None:
    model.fc.weight = nn.Parameter(torch.eye(4))
    model.fc.bias = nn.Parameter(torch.zeros(4))
    y = model(x)
    assert torch.equal(y, x)
    y.sum().backward()
    assert model.fc.weight.grad is not None
    model.load_state_dict({"fc.weight": torch.zeros(4, 4), "fc.bias": torch.ones(4)}, assign=True)
    assert torch.equal(model(x), torch.ones(2, 4))


def test_csharp_reads_what_python_computes(model: Any, x: torch.Tensor) -> None:
    class Shifted(nn.Module):
        def forward(self, weight: torch.Tensor) -> torch.Tensor:
            return weight + 1

    parametrize.register_parametrization(model.fc, "weight", Shifted())
    assert torch.equal(model(x), expected(model, x))
    with torch.no_grad():
        model.fc.parametrizations.weight.original.mul_(2)
    assert torch.equal(model(x), expected(model, x))
    parametrize.remove_parametrizations(model.fc, "weight")
    assert torch.equal(model(x), expected(model, x))


def test_csharp_reads_what_a_pre_hook_sets(model: Any, x: torch.Tensor) -> None:
    """Pruning computes the weight in a pre hook of the layer, which C# calls."""
    prune.random_unstructured(model.fc, "weight", 0.5)
    y = model(x)
    assert float((model.fc.weight == 0).sum()) == 8
    assert torch.equal(y, expected(model, x))


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("Linear", (2, 4)),
        ("Conv2d", (1, 3, 5, 5)),
        ("BatchNorm2d", (2, 3, 4, 4)),
        ("LayerNorm", (2, 4)),
        ("GroupNorm", (2, 3, 4)),
        ("PReLU", (2, 4)),
    ],
)
def test_functional_call_uses_the_given_parameters(states: Load, kind: str, shape: tuple[int, ...]) -> None:
    layer, x = states("Layer", kind).eval(), torch.randn(shape)
    with torch.no_grad():
        before = layer(x)
        given = {name: parameter * 1.5 + 0.1 for name, parameter in layer.named_parameters()}
        found = functional_call(layer, given, (x,))
        assert torch.equal(layer(x), before)
        for name, parameter in layer.named_parameters():
            parameter.copy_(given[name])
        assert torch.equal(layer(x), found)
        assert not torch.equal(before, found)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("Embedding", "weight"), ("LSTM", "weight_ih_l0"), ("GRU", "weight_ih_l0"), ("RNN", "weight_ih_l0")],
)
def test_what_libtorch_keeps_is_refused_by_name(states: Load, kind: str, name: str) -> None:
    layer, x = states("Layer", kind), torch.ones(3, 2, 4)
    given = {f"inner.{name}": getattr(layer.inner, name) * 2}
    with pytest.raises(NotImplementedError, match=f"'{name}' of {kind} was replaced in Python"):
        functional_call(layer, given, (x,))
    before = layer(x)
    with torch.no_grad():
        getattr(layer.inner, name).mul_(2)
    assert not torch.equal(layer(x), before)


def test_a_parameter_whose_operators_are_python_code_is_refused(model: Any, x: torch.Tensor) -> None:
    """An exception of its code would end the process."""

    class Wrapped(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise ValueError("in Python")

    with pytest.raises(RuntimeError, match="on a Wrapped, whose operators are Python code"):
        functional_call(model, {"fc.bias": torch.Tensor._make_wrapper_subclass(Wrapped, (4,))}, (x,))
    assert torch.equal(model(x), expected(model, x))


def test_a_missing_parameter_is_refused_by_name(model: Any, x: torch.Tensor) -> None:
    model.fc.bias = None
    with pytest.raises(RuntimeError, match=r"C# reads 'fc\.bias', which is None in Python"):
        model(x)


def test_a_replaced_child_is_refused_by_name(model: Any, x: torch.Tensor) -> None:
    child, model.fc = model.fc, nn.Linear(4, 4)
    with pytest.raises(
        RuntimeError, match="'fc' was replaced or deleted in Python, but TorchSharp calls the C# module"
    ):
        model(x)
    model.fc = child
    assert torch.equal(model(x), expected(model, x))


def test_tied_parameters_are_one_and_stay_one(states: Load, x: torch.Tensor) -> None:
    tied = states("Tied")
    assert tied.a.weight is tied.b.weight
    tied.a.weight = nn.Parameter(torch.eye(4))
    with pytest.raises(RuntimeError, match=r"'b\.weight' and 'a\.weight' are one tensor in C#"):
        tied(x)
    tied.b.weight = tied.a.weight
    assert torch.equal(tied(x), x)


def test_a_conversion_in_csharp_keeps_pythons_parameters(model: Any, x: torch.Tensor) -> None:
    weight = model.fc.weight
    model.Act = "convert"
    assert model(x).dtype == torch.float64
    assert model.fc.weight is weight
    assert weight.dtype == torch.float64
    model.Act = ""
    model.float()
    assert torch.equal(model(x), expected(model, x))


def test_a_parameter_that_csharp_replaces_is_pythons_too(model: Any, x: torch.Tensor) -> None:
    weight = model.fc.weight
    model.Act = "replace"
    model(x)
    assert model.fc.weight is not weight
    assert isinstance(model.fc.weight, nn.Parameter)
    assert not model.fc.weight.any()


def test_a_module_that_csharp_registers_later_is_refused(model: Any, x: torch.Tensor) -> None:
    model.Act = "register"
    with pytest.raises(
        NotImplementedError, match=r"C# has added, replaced or removed child modules of the root \(Changing\)"
    ):
        model(x)


def test_modes_are_one(states: Load, x: torch.Tensor) -> None:
    model = states("Changing")
    model.Act = "eval"
    model(x)
    assert [module.training for module in model.modules()] == [False, False, False]
    model.Act = ""
    model.drop.train()
    torch.manual_seed(1)
    found = model(x)
    torch.manual_seed(1)
    assert torch.equal(found, F.dropout(expected(model, x), 0.5))


def test_public_members_are_attributes(model: Any, x: torch.Tensor) -> None:
    model.Times = 3
    assert torch.equal(model(x), expected(model, x) * 3)
    assert (model.Times, model.Fixed, model.drop.p) == (3, 3, 0.5)
    with pytest.raises(AttributeError, match="C# declares 'Fixed' of Changing as read-only"):
        model.Fixed = 4
    model.train()
    model.drop.p = 0.0
    assert torch.equal(model(x), expected(model, x) * 3)


def test_a_setting_that_csharp_lacks_cannot_be_set(model: Any) -> None:
    """PyTorch's Linear has the argument ``bias``; a write to ``fc.bias`` of a layer without one would change nothing in C#."""
    settings = {name for name in ("in_features", "bias") if not hasattr(type(model.fc), name)}
    model.fc._parameters.pop("bias")
    for name in settings:
        with pytest.raises(AttributeError, match=f"TorchSharp's Linear has no '{name}' that can be set"):
            setattr(model.fc, name, 1)
    assert settings
    model.fc.note = 1  # an attribute of Python's own


def test_tensors_that_the_model_keeps_outlive_the_call(states: Load) -> None:
    keeping, one = states("Keeping"), torch.ones(2)
    keeping(one)
    assert torch.equal(keeping(one), one * 2 + (one + 2) + (one + 1) + (one + 3))


def test_the_default_dtype_is_pythons_during_a_call(states: Load) -> None:
    model, x = states("Default"), torch.ones(2)
    try:
        torch.set_default_dtype(torch.float64)
        assert model(x).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert model(x).dtype == torch.float32
