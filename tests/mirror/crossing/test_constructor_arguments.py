"""Arities 1 to 6, tuples, lists, numbers, texts, defaults and names: as C# declares them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.runtimes import dotnet

Load = Callable[..., bridge.Mirror]
X = torch.ones(1, 2)


@pytest.mark.parametrize("hooked", [False, True])
def test_three_arguments(load: Load, hooked: bool) -> None:
    model = load("Three")
    if hooked:
        model.register_forward_pre_hook(lambda module, args: None)
        model.child.register_forward_hook(lambda *_: None)
    a, b, c = torch.randn(3, 1, 2).unbind()
    assert torch.equal(model(a, b, c), model.child(a) + b * 2 + c * 3)
    assert torch.equal(model(a, c=c, b=b), model(a, b, c))


@pytest.mark.parametrize("hooked", [False, True])
def test_numbers_texts_and_defaults(load: Load, hooked: bool) -> None:
    """What is left out at the end, or between names, has C#'s default."""
    model = load("Six")
    if hooked:
        model.child.register_forward_hook(lambda *_: None)
    assert torch.equal(model(X), X * 2 + 0.5 + 100 + 3000)
    assert torch.equal(model(X, 3, 1.5, False, ""), X * 3 + 1.5)
    assert torch.equal(model(X, text="ab", extra=X), X * 2 + 0.5 + 100 + 2000 + X)
    assert torch.equal(model(X, real=2), X * 2 + 2 + 100 + 3000)
    with pytest.raises(bridge.DotNetError, match="double was given where C# declares long"):
        model(X, 1.5)
    with pytest.raises(bridge.DotNetError, match="bool was given where C# declares long"):
        model(X, True)
    with pytest.raises(bridge.DotNetError, match="None was given where C# declares double"):
        model(X, 1, None)
    with pytest.raises(
        bridge.DotNetError,
        match=r"long integer = 2, double real = 0.5, .*\) was given .*: it takes 6 arguments, not 7",
    ):
        model(X, 1, 1.0, True, "a", X, X)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("hooked", [False, True])
def test_over_object(load: Load, nested: bool, hooked: bool) -> None:
    """Whatever can cross passes through a module over ``object``, and tensors stay the objects that they are."""
    model = load("Anything", nested)
    for module in model.modules() if hooked else ():
        module.register_forward_hook(lambda *_: None)
    for value in (3, 1.5, True, None, "text", (), (X,), (X, (1, None)), [X, [2]], {"a": X, "b": {"c": (1, [X])}}, {}):
        assert model(value) == value
    assert model(X) is X
    many = tuple(range(20))
    assert model(many) == many
    assert model({"a": (X,)})["a"][0] is X


def test_what_object_is(models: Path) -> None:
    namer = bridge.load(models, "Models.Anything.Names")
    assert [namer(value) for value in ((1, 2), [1], {"a": 1}, X)] == [
        "ValueTuple`2",
        "List`1",
        "Dictionary`2",
        "Tensor",
    ]


def test_dictionaries(load: Load) -> None:
    result = load("Mapped")({"b": X, "a": X + 1})
    assert list(result) == ["b!", "a!"]
    assert torch.equal(result["a!"], X * 2 + 2)
    with pytest.raises(TypeError, match=r"cannot pass a dict to .NET; .* dicts with string keys"):
        load("Mapped")({1: X})
    with pytest.raises(TypeError, match="long was given where C# declares Tensor.*F-2"):
        load("Mapped")({"a": 1})


def test_what_is_left_out_stays_left_out(load: Load) -> None:
    """C# states every argument of a call; a hook sees those that are not the defaults at the end."""
    model = load("Outer")
    seen: list[Any] = []
    model.child.register_forward_pre_hook(lambda module, args: seen.append(args))
    model(X)
    assert len(seen[0]) == 1


def test_a_hook_sees_and_changes_every_kind(load: Load) -> None:
    model = load("Six")
    seen: list[Any] = []

    def hook(module: torch.nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
        seen.append(args)
        return (args[0], 7, *args[2:4], "é€")

    model.child.register_forward_pre_hook(hook)
    assert torch.equal(model(X), X * 7 + 0.5 + 100 + 2000)
    assert seen[0][1:] == (2, 0.5, True, "abc")


@pytest.mark.parametrize("hooked", [False, True])
def test_tuples_and_lists_in_and_out(load: Load, hooked: bool) -> None:
    """A list comes back as a list, a tuple as a tuple; each tensor is the caller's own."""
    four = load("Four")
    result = four(X, X * 2, X * 3, X)
    assert result[0] is X
    assert isinstance(result[1], tuple)
    model = load("Lists")
    if hooked:
        model.child.register_forward_hook(lambda module, args, output: [output[1], output[0]])
    tensors = [torch.full((1,), float(i)) for i in range(6)]
    result = model(tensors[:2], (tensors[2], tensors[3]), tensors[4:])
    assert isinstance(result, list)
    assert [tensor.item() for tensor in result] == ([0, 1, 2, 3, 4, 5] if hooked else [0, 1, 2, 3, 5, 4])
    assert result[0] is tensors[0]
    with pytest.raises(bridge.DotNetError, match=r"a tuple of 3 was given where C# declares \(Tensor, Tensor\)"):
        model([], (X, X, X), [])


def test_texts_of_any_length(load: Load) -> None:
    model = load("Text")
    for text in ("", "a", "häß €" * 1000):
        assert model(text) == text + "é" + str(len(text))
    model.register_forward_hook(lambda module, args, output: output.upper())
    assert model("a") == "AÉ1"


def test_every_kind_is_recorded(load: Load) -> None:
    model = load("Six")
    with dotnet.record(model, values="full") as recording:
        model(X)
    child = recording.trace[1]
    assert (child.path, [value.kind for value in child.values]) == ("child", ["tensor", "int", "float", "bool", "str"])
    assert [value.literal for value in child.values[1:4]] == [2, 0.5, True]
