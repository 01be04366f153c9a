"""bridge.testing: assert_same_hooks on models and traces of both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.testing import assert_same_hooks, assert_same_model

_PORT = """
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace Port;
public class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc1 = Linear(2, 3);
    private readonly Linear fc2 = Linear(3, 2);
    public Net() : base("Net") => RegisterComponents();
    public override Tensor forward(Tensor x) => fc2.call(fc1.call(x).relu());
}
public class Silent : Module<Tensor, Tensor>
{
    private readonly Linear fc1 = Linear(2, 3);
    private readonly Linear fc2 = Linear(3, 2);
    public Silent() : base("Silent") => RegisterComponents();
    public override Tensor forward(Tensor x) => fc2.call(fc1.forward(x).relu());
}
"""


class Net(torch.nn.Module):
    def __init__(self, *, swapped: bool = False, plus: float = 0.0) -> None:
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(2, 3), torch.nn.Linear(3, 2)
        self.drop = torch.nn.Dropout(0.5) if swapped else None
        self.plus = plus

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(torch.relu(self.fc1(x)) + self.plus)


@pytest.fixture
def port(build_csharp: Callable[..., Path]) -> Callable[[str], bridge.Mirror]:
    library = build_csharp({"Port.cs": _PORT}, "Port")
    return lambda name: bridge.load(library, f"Port.{name}")


def test_equal_models_pass_with_weights_that_were_not() -> None:
    a, b = Net(), Net()
    assert not torch.equal(a.fc1.weight, b.fc1.weight)
    assert_same_hooks(a, b, torch.ones(1, 2))
    assert torch.equal(a.fc1.weight, b.fc1.weight)


def test_other_values_are_reported_with_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="see different values") as caught:
        assert_same_hooks(Net(), Net(plus=1.0), torch.ones(1, 2))
    assert re.search(r"fc2", str(caught.value))
    assert "fc1" in str(caught.value), "both traces are shown"
    assert_same_hooks(Net(), Net(plus=1e-9), torch.ones(1, 2), atol=1e-6)


def test_own_weights_stay_when_they_are_not_to_be_shared() -> None:
    a, b = Net(), Net()
    with pytest.raises(AssertionError):
        assert_same_hooks(a, b, torch.ones(1, 2), share_weights=False)
    assert not torch.equal(a.fc1.weight, b.fc1.weight)


def test_traces_are_compared_as_they_are() -> None:
    model = Net()
    traces = []
    for _ in range(2):
        with bridge.record(model, values="full") as recording:
            model(torch.ones(1, 2))
        traces.append(recording.trace)
    assert_same_hooks(*traces)
    with bridge.record(model, values="full") as recording:
        model(torch.ones(1, 2) * 2)
    with pytest.raises(AssertionError):
        assert_same_hooks(traces[0], recording.trace)
    with pytest.raises(TypeError, match="inputs cannot be given"):
        assert_same_hooks(*traces, torch.ones(1, 2))
    with pytest.raises(TypeError, match="not one of each"):
        assert_same_hooks(model, traces[0], torch.ones(1, 2))


@pytest.mark.dotnet
def test_a_port_in_csharp_is_compared_with_its_original(port: Callable[[str], bridge.Mirror]) -> None:
    assert_same_hooks(Net(), port("Net"), torch.ones(1, 2), atol=1e-6)
    with pytest.raises(AssertionError) as caught:
        assert_same_hooks(Net(), port("Silent"), torch.ones(1, 2), atol=1e-6)
    message = str(caught.value)
    assert "fc1" in message
    assert "C-3" in message
    assert "call()" in message


@pytest.mark.dotnet
def test_two_csharp_models_are_compared(port: Callable[[str], bridge.Mirror]) -> None:
    assert_same_hooks(port("Net"), port("Net"), torch.ones(1, 2))


@pytest.mark.dotnet
def test_a_right_port_is_the_same_model(port: Callable[[str], bridge.Mirror]) -> None:
    assert_same_model(Net(), port("Net"), torch.ones(1, 2), train=True, backward=True)


@pytest.mark.dotnet
def test_a_wrong_port_is_told_as_compare_tells_it(port: Callable[[str], bridge.Mirror]) -> None:
    """The verdict, then what was found, the most telling first, with the line to write."""
    with pytest.raises(AssertionError) as caught:
        assert_same_model(Net(), port("Silent"), torch.ones(1, 2))
    verdict, first, *_ = str(caught.value).splitlines()
    assert verdict.startswith("Different: 3 module calls in pytorch, 2 in dotnet; ")
    assert "fc1 was run by forward(), not call(), in dotnet" in first
    assert first.endswith("Write fc1.call(x).")
    with pytest.raises(AssertionError, match="differs by up to"):
        assert_same_model(Net(plus=1.0), port("Net"), torch.ones(1, 2))
    assert_same_model(Net(plus=1e-9), port("Net"), torch.ones(1, 2), atol=1e-6)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="this Net is not a C# model"):
        assert_same_model(Net(), Net(), torch.ones(1, 2))


def test_the_fixture_is_the_assertion(same_model: Callable[..., None]) -> None:
    assert same_model is assert_same_model
