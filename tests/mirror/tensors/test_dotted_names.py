"""A parameter or buffer whose name in C# has a dot has that name in Python too (TS-37).

The models are compiled against TorchSharp's signatures.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils import parametrizations

import bridge

pytestmark = pytest.mark.dotnet

NAMES = ["bias", "weight.original0", "weight.original1"]


@pytest.fixture(scope="module")
def dotted(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return Dotted.cs, compiled against TorchSharp's signatures."""
    return build_csharp([Path(__file__).parent / "Dotted.cs"], "Dotted", against=[reference])


def weight(state: Any) -> torch.Tensor:
    """Return what C# computes from its two parameters."""
    length, direction = state["weight.original0"], state["weight.original1"]
    computed: torch.Tensor = length * direction / direction.norm(dim=1, keepdim=True)
    return computed


def check(model: nn.Module) -> None:
    """Compare a call and its gradients with PyTorch's, from the model's own state."""
    x = torch.randn(4, 3)
    state = {name: tensor.detach().clone().requires_grad_() for name, tensor in model.named_parameters()}
    result, expected = model(x), nn.functional.linear(x, weight(state), state["bias"])
    assert torch.equal(result, expected)
    model.zero_grad()
    result.sum().backward()
    expected.sum().backward()
    assert all(torch.equal(value.grad, state[name].grad) for name, value in model.named_parameters())  # type: ignore[arg-type]  # None would fail


def test_names_and_values(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Normed")
    assert [name for name, _ in model.named_parameters()] == NAMES
    assert [name for name, _ in model.named_buffers()] == ["state.calls"]
    assert set(model.state_dict()) == {*NAMES, "state.calls"}
    assert model.get_parameter("weight.original0") is model.weight.original0
    check(model)
    assert model.get_buffer("state.calls").item() == 1


def test_a_state_dict_goes_both_ways(dotted: Path) -> None:
    """Strict, also by assignment; PyTorch's own weight norm has the same names below ``parametrizations``."""
    model, original = bridge.load(dotted, "Dotted.Normed"), parametrizations.weight_norm(nn.Linear(3, 2))
    theirs = {name.removeprefix("parametrizations."): value for name, value in original.state_dict().items()}
    for assign in (False, True):
        loaded = bridge.load(dotted, "Dotted.Normed")
        loaded.load_state_dict(theirs | {"state.calls": torch.ones(1)}, assign=assign)
        x = torch.randn(4, 3)
        torch.testing.assert_close(loaded(x), original(x))
        model.load_state_dict(loaded.state_dict(), assign=assign)
        assert torch.equal(model(x), loaded(x))
    state = {f"parametrizations.{name}" if "." in name else name: model.state_dict()[name] for name in NAMES}
    original.load_state_dict(state)
    with pytest.raises(RuntimeError, match=r'Missing key.*"weight\.original1"'):
        model.load_state_dict({name: tensor for name, tensor in theirs.items() if name != "weight.original1"})


def test_csharp_reads_and_writes_what_python_has(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Pair")
    assert "first.weight.original0" in model.Names.split() or "shared.length" in model.Names.split()
    model.Written = 3.0
    assert model.first.weight.original0.tolist() == [[3.0], [3.0]]
    with torch.no_grad():
        model.first.weight.original0.fill_(0.5)
    assert model.Written == 1.0


def test_a_replaced_parameter_is_read(dotted: Path) -> None:
    """An assignment, and an attribute in a parameter's place, count at the next call."""
    model = bridge.load(dotted, "Dotted.Normed")
    check(model)
    model.weight.original1 = nn.Parameter(torch.randn(2, 3))
    check(model)
    del model.weight.original0
    x = torch.randn(4, 3)
    for value in (1.0, 2.0):
        model.weight.original0 = torch.full((2, 1), value)
        state = {"weight.original0": model.weight.original0, "weight.original1": model.weight.original1}
        assert torch.equal(model(x), nn.functional.linear(x, weight(state), model.bias))
    del model.weight.original0
    with pytest.raises(AttributeError, match=r"weight\.original0"):
        model(x)


def test_a_tied_parameter_is_one(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Pair")
    assert model.shared.length is model.first.weight.original0
    assert sum(parameter.shape == (2, 1) for parameter in model.parameters()) == 1
    model.first.weight.original0 = nn.Parameter(torch.full((2, 1), 7.0))
    model(torch.randn(4, 3))  # C# sees that they are no longer tied
    assert model.Written == 14.0
    assert model.shared.length.tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model,
        copy.deepcopy,
        copy.copy,
        lambda model: copy.deepcopy(copy.deepcopy(model)),
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: model.double().float(),
        lambda model: model.to("cpu"),
    ],
    ids=["as it is", "deepcopy", "copy", "deepcopy twice", "pickle", "conversion", "to"],
)
def test_a_copy_or_conversion_keeps_them(dotted: Path, change: Callable[[Any], Any]) -> None:
    original = bridge.load(dotted, "Dotted.Normed")  # a shallow copy shares its fields
    model = change(original)
    assert [name for name, _ in model.named_parameters()] == NAMES
    check(model)
    model.weight.original1 = nn.Parameter(torch.randn(2, 3))
    check(model)


def test_a_copy_is_independent(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Normed")
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.weight.original0.fill_(9.0)
    assert model.weight.original0.max() == 1.0
    check(model)
    check(other)


def test_an_optimizer_and_functional_call(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Normed")
    x = torch.randn(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.original1.detach().clone()
    model(x).square().sum().backward()
    optimizer.step()
    assert not torch.equal(model.weight.original1, before)
    given = {"weight.original0": torch.full((2, 1), 5.0), "weight.original1": torch.randn(2, 3), "bias": torch.ones(2)}
    assert torch.equal(functional_call(model, given, (x,)), nn.functional.linear(x, weight(given), given["bias"]))
    check(model)


def test_hooks_on_all_modules(dotted: Path) -> None:
    """The module that holds them is never called."""
    model = bridge.load(dotted, "Dotted.Pair", forward_fires=True)
    fired: list[str] = []
    for path, module in model.named_modules():
        module.register_forward_hook(lambda *_, path=path: fired.append(path))
    model(torch.randn(4, 3))
    assert fired == ["first", "last", ""]
    with pytest.raises(NotImplementedError):
        model.first.weight(torch.randn(1))


def test_it_shows_them(dotted: Path) -> None:
    assert "(weight): DottedNames(\n    (original0): (2, 1)\n    (original1): (2, 3)\n  )" in repr(
        bridge.load(dotted, "Dotted.Normed")
    )


def test_a_layer_of_torchsharp_has_one(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Layered")
    assert {name for name, _ in model.named_parameters()} == {"fc.weight", "fc.bias", "fc.weight.scale"}
    x = torch.randn(3, 2)
    assert torch.equal(model(x), nn.functional.linear(x, model.fc.weight, model.fc.bias))
    bridge.load(dotted, "Dotted.Layered").load_state_dict(model.state_dict())


def test_a_name_that_a_child_has_is_refused(dotted: Path) -> None:
    with pytest.raises(ValueError, match=r"Dotted\.Taken registers 'fc\.scale' and a child 'fc': rename one of them"):
        bridge.load(dotted, "Dotted.Taken")


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a..b"])
def test_an_empty_name_is_refused(dotted: Path, name: str) -> None:
    with pytest.raises(bridge.DotNetError, match=r"is not a valid name of a parameter: it or a part of it is empty"):
        bridge.load(dotted, "Dotted.Named", name)


def test_any_number_of_dots(dotted: Path) -> None:
    model = bridge.load(dotted, "Dotted.Named", "a.b.c.d")
    assert list(model.state_dict()) == ["a.b.c.d"]
    model.load_state_dict({"a.b.c.d": torch.zeros(1)})
