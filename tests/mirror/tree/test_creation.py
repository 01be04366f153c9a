"""The mirrored tree has PyTorch's names, in PyTorch's order."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
import torch

import bridge

Load = Callable[..., bridge.Mirror]
Counts = Callable[[], dict[str, int]]


def test_names_and_order(load: Load) -> None:
    model = load("Deep", 3)
    assert [name for name, _ in model.named_modules()] == [
        "",
        "features",
        "features.conv",
        "features.norm",
        "features.act",
        "head",
    ]
    assert list(model.state_dict()) == [
        "features.conv.weight", "features.conv.bias", "features.norm.weight", "features.norm.bias", "features.norm.running_mean",
        "features.norm.running_var", "features.norm.num_batches_tracked", "head.weight", "head.bias",
    ]  # fmt: skip
    assert model.features.norm.num_batches_tracked.dtype == torch.int64
    assert all(isinstance(parameter, torch.nn.Parameter) and parameter.is_leaf for parameter in model.parameters())
    assert type(model).__name__ == "Deep"
    assert "BatchNorm2d" in repr(model)


def test_a_module_under_two_names_is_one_mirror(load: Load) -> None:
    model = load("Tied")
    assert model.one is model.two
    assert [name for name, _ in model.named_modules()] == ["", "one"]
    assert len(list(model.parameters())) == 2
    log: list[int] = []
    model.one.register_forward_hook(lambda *_: log.append(1))
    model(torch.ones(1, 2))
    assert len(log) == 2


def test_a_parameter_of_two_modules_is_one_parameter(load: Load) -> None:
    model = load("SharedParameter")
    assert model.a.weight is model.b.weight
    assert list(model.state_dict()) == ["a.weight", "b.weight"]
    x = torch.ones(2)
    assert torch.equal(model(x), x * 9)
    with torch.no_grad():
        model.a.weight.fill_(2)
    assert torch.equal(model(x), x * 4)


def test_the_mirror_of_a_dropped_model_is_collected(load: Load, live_counts: Counts) -> None:
    import weakref

    before = live_counts()["modules"]
    model = load("Deep", 2)
    head = model.head
    seen = weakref.ref(model)
    assert live_counts()["modules"] == before + 6
    del model
    gc.collect()
    assert seen() is None
    # A child lives on by itself.
    assert head(torch.ones(1, 32)).shape == (1, 2)
    del head
    assert live_counts()["modules"] == before


def test_constructor_arguments_that_cannot_cross(load: Load) -> None:
    with pytest.raises(ValueError, match=r"Tensor\[1\] is no long for 'classes'"):
        load("Deep", torch.ones(1))
    with pytest.raises(TypeError, match="argument 1 has a set: cannot pass a set to .NET"):
        load("Deep", {1})


def test_two_models_share_a_static_module(load: Load) -> None:
    """As two PyTorch models share a module: one mirror, whose weights and hooks are both models'."""
    first, second = load("OneForAll"), load("OneForAll")
    x = torch.ones(1, 2)
    assert second.encoder is first.encoder
    assert second.own is not first.own
    seen: list[str] = []
    handle = first.encoder.register_forward_hook(lambda *_: seen.append("encoder"))
    for model in (first, second):
        assert torch.equal(model(x), model.own(model.encoder(x)))
    assert seen == ["encoder"] * 4
    handle.remove()
    first.encoder.weight = torch.nn.Parameter(torch.eye(2))
    assert torch.equal(second(x), second.own(x + first.encoder.bias))
    expected = second(x)
    del first
    gc.collect()
    assert torch.equal(second(x), expected)
    del second
    gc.collect()
    assert torch.equal(load("OneForAll").encoder.weight, torch.eye(2))


@pytest.mark.parametrize("what", ["parameter", "buffer", "module"])
def test_what_python_would_not_know_is_refused(load: Load, what: str) -> None:
    """Registered by ``forward`` it would be in no state_dict and no optimizer."""
    with pytest.raises(
        RuntimeError, match=f"The {what} 'late' cannot be registered or removed: Late is part of a model"
    ):
        load("Late")(torch.ones(1), what)


@pytest.mark.parametrize(
    ("name", "whole", "outer", "inner"),
    [
        ("Cyclic", "itself", "the root", "body.second.owner"),
        ("AroundCyclic", "a module that contains itself", "the module at 'inside'", "inside.body.second.owner"),
    ],
)
def test_a_module_that_contains_itself_is_refused_in_one_sentence_with_the_path(
    load: Load, name: str, whole: str, outer: str, inner: str, live_counts: Counts
) -> None:
    """PyTorch could not iterate over its mirror: eval, to and state_dict would not end. Nothing of it stays in .NET."""
    from bridge.mirror.loading import dotnet_runtime

    before = live_counts()["modules"]
    with pytest.raises(
        ValueError, match=rf"Models\.{name} contains {whole}: the module at '{inner}' is the same object as {outer}; "
    ) as raised:
        load(name)
    assert "\n" not in str(raised.value)
    assert not isinstance(raised.value, bridge.DotNetError)
    assert dotnet_runtime().exports.live_counts()["modules"] == before
    assert load("Tied")(torch.ones(1, 2)).shape == (1, 2)  # one module at two places is not a cycle
