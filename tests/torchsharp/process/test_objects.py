"""Objects of a model's own classes in the process of TorchSharp: made by Python, passed to C#, and returned by C# (OwnClasses.cs).

F-2 for arguments: a value fits the declared type, or the error names the parameter and both types.
"""

from __future__ import annotations

import copy
import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.torchsharp.process import loader

pytestmark = pytest.mark.dotnet
SOURCE = Path(__file__).parents[2] / "facade" / "OwnClasses.cs"


class Own:
    """The assembly of OwnClasses.cs in the process of TorchSharp. ``sent`` are the requests to the process."""

    def __init__(self, path: Path, torchsharp: Path, check: Callable[[str, bytes], None]) -> None:
        self.path, self.runtime = path, f"torchsharp:{torchsharp.parent}"
        self.sent: list[dict[str, Any]] = []
        self.host = loader._exchange(str(loader.find_library(path, torchsharp.parent).path)).host
        self._check = check

    def hear(self, direction: str, line: bytes) -> None:
        self._check(direction, line)
        if direction == ">":
            self.sent.append(json.loads(line)["with"])

    def load(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return bridge.load(self.path, f"Own.{name}", *args, runtime=self.runtime, **kwargs)

    def new(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return bridge.new(self.path, f"Own.{name}", *args, runtime=self.runtime, **kwargs)


@pytest.fixture(scope="session")
def own_classes(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([SOURCE], "OwnClasses", against=[reference])


@pytest.fixture
def own(
    own_classes: Path, torchsharp: Path, checked: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> Own:
    made = Own(own_classes, torchsharp, checked)
    monkeypatch.setattr(made.host, "_on_message", made.hear)
    return made


@torch.no_grad()
def test_a_dict_or_an_object_is_an_argument(own: Own) -> None:
    x, mask = torch.randn(2, 5, 3), torch.tensor([1.0, 0.0, 1.0])
    model = own.load("Encoder", {"dim": 3, "Pooling": "Mean"})
    expected = x @ model.fc.weight.T + model.fc.bias
    output = model({"ids": x})
    assert torch.allclose(output.Hidden, expected.mean(1), atol=1e-6)
    assert torch.allclose(output.Layers[0], expected, atol=1e-6)
    assert output.Steps == 1
    given = own.new("Input", x, Mask=mask)
    assert torch.equal(given.Ids, x)
    assert torch.allclose(model(given).hidden, (expected * mask).mean(1), atol=1e-6)
    assert own.new("Input", ids=x).Mask is None


@torch.no_grad()
def test_a_constructor_takes_objects(own: Own) -> None:
    options, x = own.new("Options", dim=3), torch.randn(2, 5, 3)
    model = own.load("Encoder", options)
    twin = copy.deepcopy(model)
    assert torch.equal(model({"ids": x}).Hidden, twin({"ids": x}).Hidden)
    wrapper, one = own.load("Wrapper", own.new("Overloaded")), torch.ones(1, 2)
    assert torch.equal(wrapper(one), wrapper.inner(one) + 1)


@torch.no_grad()
def test_what_csharp_keeps_in_an_argument_survives_the_call(own: Own) -> None:
    model, cache, x = own.load("Attend"), own.new("Cache"), torch.ones(1, 2)
    for count in (1, 2, 3):
        y = model(x, cache)
        assert cache.Keys.shape == (count, 2)
        assert torch.allclose(y, cache.Keys.sum(0))
    large = torch.randn(600, 1000)
    cache.Keys = large
    gc.collect()
    for _ in range(3):
        model(x, own.new("Cache"))
    assert torch.equal(cache.Keys, large)


@torch.no_grad()
def test_a_plain_module_and_other_methods(own: Own) -> None:
    """The weights that Python has written are sent before."""
    model, x = own.load("Plain"), torch.ones(1, 2)
    model.fc.weight.mul_(2)
    y = model(x)
    assert torch.allclose(y, x @ model.fc.weight.T + model.fc.bias)
    model.fc.weight.mul_(0.5)
    assert torch.allclose(model.dotnet.generate(x, steps=1), x @ model.fc.weight.T + model.fc.bias)
    assert torch.equal(model.dotnet.Generate(x, 3), model.fc(model.fc(model.fc(x))))
    assert model.dotnet == model.dotnet
    with pytest.raises(AttributeError, match="Plain has no 'Nothing'. It has: .*Generate"):
        model.dotnet.Nothing()
    model.fc.register_forward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="'fc' has Python hooks, which cannot run"):
        model.dotnet.Generate(x, 3)


def test_modules_come_back_as_themselves(own: Own) -> None:
    model = own.load("Unusual")
    assert model(model) is model


def test_gradients_are_refused(own: Own) -> None:
    """Also those of tensors that an object holds; a tensor that needs none stays as it is."""
    model, x = own.load("Encoder", {"dim": 3}), torch.randn(2, 5, 3)
    given = own.new("Input", x)
    for tensor in (model(given).Hidden, own.load("Plain").dotnet.Generate(torch.ones(1, 2), 1)):
        with pytest.raises(RuntimeError, match="gradients do not reach the process of TorchSharp"):
            tensor.sum().backward()
    assert not given.Ids.requires_grad


def test_a_trace_is_that_of_bridge_torch(own: Own) -> None:
    """Objects are recorded by their fields, a dict as Python gives it, and added overloads as other calls."""
    x, one = torch.randn(2, 5, 3), torch.ones(1, 2)
    calls: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = [
        ("Whole", (3,), (x,)),
        ("Encoder", ({"dim": 3},), ({"ids": x, "mask": torch.ones(3)},)),
        ("Overloaded", (), (one,)),
        ("Overloaded", (), (one, one)),
        ("Plain", (), (one,)),
        *(("Unusual", (), (value,)) for value in ("map", "enum", "span", "device", {"a": [1, (2.5, None)]})),
    ]
    for name, settings, args in calls:
        traces = []
        weights: dict[str, Any] = {}
        for runtime in (own.runtime, "dotnet"):
            model = bridge.load(own.path, f"Own.{name}", *settings, runtime=runtime)
            weights = weights or model.state_dict()
            model.load_state_dict(weights)
            with torch.no_grad(), bridge.record(model) as recording:
                model(*args)
            traces.append([(e.path, e.type, e.phase, e.call, e.parent, e.values) for e in recording.trace])
        assert traces[0] == traces[1], name


def test_a_freed_object_is_released_with_the_next_request(own: Own) -> None:
    held = own.new("Cache")
    number = held._handle
    del held
    gc.collect()
    other = own.new("Cache")
    assert any(number in sent.get("release", ()) for sent in own.sent)
    with pytest.raises(bridge.DotNetError, match="The .NET object was in a process of TorchSharp that has ended"):
        other._access.text(number)


def test_an_object_ends_with_its_process(own: Own) -> None:
    options = own.new("Options", dim=3)
    model, plain = own.load("Encoder", options), own.load("Plain")
    own.host.kill()
    assert plain(torch.ones(1, 2)).shape == (1, 2)
    for use in (lambda: options.Area, lambda: own.load("Encoder", options)):
        with pytest.raises(bridge.DotNetError, match="was in a process of TorchSharp that has ended: make it again"):
            use()
    with pytest.raises(bridge.HostError, match="with it the .NET objects that the constructor took: make them"):
        model({"ids": torch.ones(2, 5, 3)})


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda own: own.load("Encoder", {"dimm": 3}), ValueError, "Options has no property, field or constructor parameter 'dimm'"),
        (lambda own: own.load("Encoder", {1}), TypeError, "argument 1 has a set: a set cannot be sent to the process of TorchSharp"),
        (lambda own: own.load("Encoder", abs), TypeError, "the Python function abs cannot be called from the process of TorchSharp"),
        (lambda own: own.new("Options", dim=2**63), ValueError, "Dim"),
        (lambda own: own.new("Inputt"), ValueError, "has no type or static method 'Own.Inputt'. Did you mean .*Input"),
        (lambda own: own.new("Shape"), ValueError, "Shape cannot be created: it is abstract"),
        (lambda own: setattr(own.new("Options"), "Activation", abs), TypeError, "the Python function abs cannot be called"),
        (lambda own: setattr(own.new("Options"), "Area", 1), AttributeError, "C# declares 'Area' of Own.Options as read-only"),
        (lambda own: own.new("Options").describe(3), ValueError, r"Describe\(string prefix, int width = 2\). 3 is no string for 'prefix'"),
        (lambda own: own.load("Whole", 3)({"ids": 1}), TypeError, r"\{ids: 1\} is no Tensor for 'x'"),
        (lambda own: own.load("Unusual")(2**63), TypeError, "the integer does not fit into 64 bits"),
        (lambda own: own.load("Unusual")(own.load("Plain").dotnet), TypeError, "is of another process or another model"),
        (lambda own: own.load("Unusual")(bridge.new(own.path, "Own.Cache")), TypeError, "is of another process or another model"),
        (lambda own: own.load("Encoder", bridge.new(own.path, "Own.Options")), TypeError, "is of another process or another model"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(own: Own, make: Callable[[Own], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(own)
