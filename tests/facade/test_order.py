"""In C#, what enumerates a model does it in TorchSharp's order; Python's view of the same model is PyTorch's.

The lists are what TorchSharp 0.107 (commit c20b6a1c) gave for ``Order.cs`` when it was run by hand, but for the names of classes: its
GetName() gives those of C++ for Sequential and what is native (TS-42).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.clr import DotNetError

pytestmark = pytest.mark.dotnet

#: Fields of the class, then inherited ones that are not private, then private ones of the base; what was registered by hand is first.
CHILDREN = ["list", "head", "chain", "renamed", "tail", "hidden"]
PARAMETERS = [
    "scale", "list.0.weight", "list.0.bias", "list.1.weight", "list.1.bias", "head.weight", "head.bias",
    "chain.lin.weight", "chain.lin.bias", "chain.lin.weight", "chain.lin.bias", "renamed.weight", "renamed.bias", "tail.bias",
]  # fmt: skip
BUFFERS = ["table", "renamed.running_mean", "renamed.running_var", "renamed.num_batches_tracked"]
IN_CSHARP = {
    "named_children": CHILDREN,
    "named_modules": [*CHILDREN, "list.0", "list.1", "chain.lin", "chain.act", "chain.lin"],
    "children": ["ModuleList", "Linear", "Sequential", "BatchNorm1d", "Linear", "Dropout"],
    "modules": [
        "ModuleList", "Linear", "Sequential", "BatchNorm1d", "Linear", "Dropout", "Linear", "Linear", "Linear", "ReLU", "Linear",
    ],
    "named_parameters": PARAMETERS,
    "own_parameters": ["scale"],
    "named_buffers": BUFFERS,
    "every_buffer": BUFFERS,
    "apply": [
        "Linear", "Linear", "ModuleList", "Linear", "Linear", "ReLU", "Linear", "Sequential", "BatchNorm1d", "Linear", "Dropout", "Whole",
    ],
    "state_dict": [*dict.fromkeys(PARAMETERS), *BUFFERS, "tail.weight"],
    "saved": [*dict.fromkeys(PARAMETERS), *BUFFERS, "tail.weight"],
}  # fmt: skip
IN_CHAIN = {
    "named_children": ["a", "b"],
    "named_modules": ["a", "b"],
    "named_parameters": ["a.weight", "a.bias"],
    "own_parameters": [],
    "state_dict": ["a.weight", "a.bias", "extra.weight", "extra.bias"],
}


@pytest.fixture(scope="module")
def order(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return Order.cs, compiled against TorchSharp's signatures."""
    return build_csharp([Path(__file__).parent / "Order.cs"], "Order", against=[reference])


def walked(assembly: Path, model: str) -> Callable[[str], list[str]]:
    """Return the names that C# enumerates for a model of Order.cs."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*has several children named 'lin'")
        walks = bridge.load(assembly, "Order.Walks", model)
    return lambda walk: walks(walk).split("\n") if walks(walk) else []


def test_csharp_enumerates_in_torchsharps_order(order: Path) -> None:
    whole = walked(order, "Whole")
    assert {walk: whole(walk) for walk in IN_CSHARP} == IN_CSHARP


def test_a_sequential_lists_its_children_alone(order: Path) -> None:
    chain = walked(order, "Chain")
    assert {walk: chain(walk) for walk in IN_CHAIN} == IN_CHAIN


def test_what_is_native_in_torchsharp_lists_parameters_and_no_modules(order: Path) -> None:
    encoder = walked(order, "Encoder")
    assert encoder("named_modules") == encoder("named_children") == []
    assert encoder("apply") == ["TransformerEncoder"]
    original = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1, enable_nested_tensor=False)
    assert encoder("named_parameters") == [name for name, _ in original.named_parameters()]
    mirror: Any = bridge.load(order, "Order.Walks", "Encoder")
    inner = {name: type(module).__name__ for name, module in mirror.inner.named_modules()}
    assert list(inner)[1:] == [name for name, _ in original.named_modules()][1:]
    mirror.double()
    assert {value.dtype for value in mirror.parameters()} == {torch.float64}


class Whole(nn.Module):
    """The model as PyTorch has it, with its children in the order of C#'s registration."""

    def __init__(self) -> None:
        super().__init__()
        self.list = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.register_buffer("scratch", torch.ones(1), persistent=False)
        self.register_buffer("table", torch.ones(2))
        self.head = nn.Linear(3, 3)
        self.chain = nn.Sequential()
        for name, layer in (("lin", nn.Linear(2, 3)), ("act", nn.ReLU()), ("lin_2", nn.Linear(3, 3))):
            self.chain.add_module(name, layer)
        self.scale = nn.Parameter(torch.ones(3))
        self.renamed = nn.BatchNorm1d(3)
        self.tail = nn.Linear(3, 3)
        self.hidden = nn.Dropout(0.5)
        self.tail.weight = self.head.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.renamed(self.chain(x)) * self.scale
        for layer in self.list:
            x = layer(x)
        result: torch.Tensor = self.tail(self.head(x)) + self.table.sum()
        return result


@pytest.mark.usefixtures("unwarned")
def test_python_has_pytorchs_view_of_the_same_model(order: Path) -> None:
    with pytest.warns(
        UserWarning,
        match=r"'chain' \(.*Sequential\) has several children named 'lin': Python names one of them 'lin_2'",
    ):
        model = bridge.load(order, "Order.Whole")
    original = Whole()
    original.load_state_dict(model.state_dict())
    for walk in ("named_modules", "named_children", "named_parameters", "named_buffers"):
        assert [name for name, _ in getattr(model, walk)()] == [name for name, _ in getattr(original, walk)()], walk
    assert list(model.state_dict()) == list(original.state_dict())
    x = torch.randn(4, 2)
    with bridge.record(model) as ours, bridge.record(original) as theirs:
        mine, other = model(x), original(x)
    assert torch.equal(mine, other)
    assert [(event.phase, event.path) for event in ours.trace] == [(event.phase, event.path) for event in theirs.trace]
    copied = copy.deepcopy(model)
    assert list(copied.state_dict()) == list(original.state_dict())


@pytest.mark.usefixtures("unwarned")
def test_a_class_that_leaves_registration_to_its_parent_loads_with_a_warning(order: Path) -> None:
    with pytest.warns(UserWarning, match="Order.Unregistered holds 'layer' but its constructor registers nothing"):
        model = bridge.load(order, "Order.Unregistered")
    assert list(model.state_dict()) == ["layer.weight", "layer.bias"]
    x = torch.randn(3, 2)
    assert torch.equal(model(x), nn.functional.linear(x, model.layer.weight, model.layer.bias))


def test_a_class_that_leaves_registration_to_its_parent_has_weights_in_a_sequential_too(order: Path) -> None:
    """In TorchSharp it has none there (TS-28): Sequential does not do what register_module does."""
    keys = [f"{name}.layer.{kind}" for name in ("first", "second") for kind in ("weight", "bias")]
    assert walked(order, "Forgetful")("state_dict") == keys
    assert list(bridge.load(order, "Order.Walks", "Forgetful").state_dict()) == [f"inner.{key}" for key in keys]


def test_a_forward_of_its_own_is_called_as_root_and_as_child(order: Path) -> None:
    """Classes that derive from Module itself: C# declares no forward for them, so it is found by reflection."""
    model: Any = bridge.load(order, "Order.Plain")
    encode = nn.Linear(2, 2)
    encode.load_state_dict(model.encoder.layer.state_dict())
    decode = nn.Linear(2, 2)
    decode.load_state_dict(model.decoder.layer.state_dict())
    x = torch.randn(3, 2)
    assert torch.equal(model(x), decode(encode(x)))
    assert torch.equal(model(x, times=2), decode(encode(encode(x))))
    assert torch.equal(model.decoder(x), decode(x))
    first, second = model.encoder(x)
    assert torch.equal(first, encode(x))
    assert second is x
    assert torch.equal(model.encoder(x, x), encode(x) + x)
    assert torch.equal(model.encoder(x, "mul"), encode(x) * 2)
    assert torch.equal(model.encoder(x, "mul", 3), encode(x) * 3)
    fired: list[str] = []
    for name, module in model.named_modules():
        module.register_forward_hook(lambda *_, name=name: fired.append(name))
    model(x).sum().backward()
    assert fired == ["encoder.layer", "decoder.layer", ""]  # C# runs the children's own forward: a plain method
    assert model.encoder.layer.weight.grad is not None
    with pytest.raises(
        TypeError,
        match=r"The arguments \(Tensor\[.*\) match no overload of Encoder\.forward. It has: forward\(Tensor x\); ",
    ):
        model.encoder(x, x, x, x)
    with pytest.raises(TypeError, match=r"\(Tensor\[3, 2\], 3\) match no overload of Encoder\.forward"):
        model.encoder(x, 3)
    with pytest.raises(DotNetError, match="unknown: add"):
        model.encoder(x, "add")
    with pytest.raises(TypeError, match="no parameter is named 'z'"):
        model(x, z=1)


def test_internal_classes_constructors_and_forwards_are_the_users_own(order: Path) -> None:
    """A program keeps its models internal to its own assembly."""
    x = torch.ones(2, 2)
    assert torch.equal(bridge.load(order, "Order.Internal", 3)(x), x * 300)  # a public constructor comes first
    assert torch.equal(bridge.load(order, "Order.Internal", 3, 2)(x), x * 6)
    assert torch.equal(bridge.load(order, "Order.Internal.Make", 3)(x), x * 30)
    own: Any = bridge.load(order, "Order.Own")
    assert torch.equal(own(x), torch.nn.functional.linear(x, own.layer.weight, own.layer.bias) + 1)
    assert torch.equal(own.inner(x, x), x + x)
    inner: Any = bridge.load(order, "Order.Own+Inner")
    assert torch.equal(inner(x), x + 1)


def test_what_is_private_is_named(order: Path) -> None:
    with pytest.raises(
        DotNetError,
        match=r"Closed has no public or internal constructor. "
        r"It has: private Closed\(long size\); protected Closed\(string name\)\.",
    ):
        bridge.load(order, "Order.Closed", 3)
    with pytest.raises(DotNetError, match=r"Order\.Closed\.Make is private: make it public or internal\."):
        bridge.load(order, "Order.Closed.Make")
    hidden = bridge.load(order, "Order.Hidden")
    with pytest.raises(NotImplementedError, match=r"Order\.Hidden cannot be called: its forward is private"):
        hidden(torch.ones(1))


def test_a_weight_that_was_set_is_tied_in_python_too(order: Path) -> None:
    model: Any = bridge.load(order, "Order.Tied")
    assert model.lm_head.weight is model.wte.weight
    assert list(model.state_dict()) == ["wte.weight", "lm_head.weight"]
    assert model.state_dict()["wte.weight"].data_ptr() == model.state_dict()["lm_head.weight"].data_ptr()
    assert [name for name, _ in model.named_parameters()] == ["wte.weight"]
    copied: Any = copy.deepcopy(model)
    assert copied.lm_head.weight is copied.wte.weight is not model.wte.weight


def test_a_weight_that_is_shared_with_an_embedding_is_listed_once(order: Path) -> None:
    """In TorchSharp named_parameters() has lm_head.weight too, and an optimizer changes it twice (TS-39); files have both names in both."""
    tied = walked(order, "Tied")
    assert tied("named_parameters") == ["wte.weight"]
    assert tied("state_dict") == tied("saved") == ["wte.weight", "lm_head.weight"]


def test_what_the_base_class_keeps_is_an_ordered_dictionary(order: Path) -> None:
    model = bridge.load(order, "Order.Inside")
    assert model(torch.ones(1)) == "b a c t w z4 x3"
    assert [name for name, _ in model.named_children()] == ["b", "a", "c"]
    assert list(model.state_dict())[:2] == ["w", "t"]
