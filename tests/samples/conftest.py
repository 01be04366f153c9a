"""What the tests of ported samples share: a PyTorch original beside its C# port, judged by trace, values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch import nn

import bridge
from bridge.clr.find.assemblies import sample
from bridge.runtimes import dotnet as dotnet_runtime
from bridge.runtimes import pytorch
from bridge.trace.diff import diff


@dataclass(frozen=True)
class Port:
    """A PyTorch original and its C# port, made from the same seed."""

    original: nn.Module
    port: bridge.Mirror

    def check_structure(self) -> None:
        """Check that paths, types, names, shapes and initial values are equal, in the same order."""
        a, b = self.original, self.port
        assert [(name, type(m).__name__) for name, m in a.named_modules()] == [
            (name, type(m).__name__) for name, m in b.named_modules()
        ]
        mine, theirs = b.state_dict(), a.state_dict()
        assert list(mine) == list(theirs)
        assert all(torch.equal(mine[key], value) and mine[key].dtype == value.dtype for key, value in theirs.items())

    def check_calls(self, x: torch.Tensor, training: bool, calls: int) -> None:
        """Check that traces, gradients of the input and of all parameters, and running statistics are bit-equal."""
        inputs = []
        traces = []
        for model, record in ((self.original, pytorch.record), (self.port, dotnet_runtime.record)):
            model.train(training).zero_grad()
            inputs.append(x.clone().requires_grad_())
            with record(model, values="full") as recording:
                result = model(inputs[-1])
            traces.append(recording.trace)
            result.square().mean().backward()
        found = diff(*traces)
        assert found.same, found.explain()
        assert found.largest_difference == 0
        assert found.a.calls == found.b.calls == calls
        assert inputs[0].grad is not None
        assert torch.equal(inputs[0].grad, inputs[1].grad)
        for (name, a), (_, b) in zip(self.original.named_parameters(), self.port.named_parameters(), strict=True):
            assert a.grad is not None, name
            assert torch.equal(a.grad, b.grad), name
        for (name, a), (_, b) in zip(self.original.named_buffers(), self.port.named_buffers(), strict=True):
            assert torch.equal(a, b), name


@pytest.fixture
def port(dotnet: object, one_thread: None) -> Callable[..., Port]:
    """Return ``port(LeNet, classes)``, which makes the original and ``Vision.LeNet`` from the same seed."""

    def make(original: type[nn.Module], *arguments: int) -> Port:
        torch.manual_seed(21)
        theirs = original(*arguments)
        after = torch.get_rng_state()
        torch.manual_seed(21)
        ours = bridge.load(sample("Vision.dll"), f"Vision.{original.__name__}", *arguments)
        assert torch.equal(torch.get_rng_state(), after)
        return Port(theirs, ours)

    return make
