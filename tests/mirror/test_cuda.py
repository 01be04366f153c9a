"""Mirrors on CUDA: device-generic code, shown on the device. Skipped with its reason where there is none."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import bridge
from bridge.clr.assemblies import sample
from bridge.samples.mtcnn import ONet, PNet, RNet

pytestmark = pytest.mark.cuda
SIZES = {"PNet": (2, 3, 24, 20), "RNet": (4, 3, 24, 24), "ONet": (3, 3, 48, 48)}


@pytest.fixture(autouse=True)
def deterministic(dotnet: object) -> Iterator[None]:
    """cuDNN may choose another algorithm in each call otherwise."""
    before = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    yield
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = before


def _pair(name: str) -> tuple[torch.nn.Module, bridge.Mirror]:
    original = {"PNet": PNet, "RNet": RNet, "ONet": ONet}[name]()
    model = bridge.load(sample("Mtcnn.dll"), f"Mtcnn.{name}")
    model.load_state_dict(original.state_dict())
    return original, model


@pytest.mark.parametrize("name", SIZES)
def test_results_and_gradients_equal_pytorchs(name: str) -> None:
    """`cuda()` after a call on the CPU; one autograd graph over the device."""
    original, model = _pair(name)
    x = torch.rand(SIZES[name])
    model(x)
    results = []
    for module in (original.cuda(), model.cuda()):
        given = x.cuda().requires_grad_()
        outputs = module(given)
        sum(output.square().sum() for output in outputs).backward()
        results.append([*outputs, given.grad, *(parameter.grad for parameter in module.parameters())])
    assert all(output.device.type == "cuda" for output in results[1])
    for expected, result in zip(*results, strict=True):
        assert torch.equal(expected, result)


def test_hooks_see_the_device_and_replace_results() -> None:
    original, model = _pair("PNet")
    devices: list[str] = []
    results = []
    for module in (original.cuda(), model.cuda()):

        def hook(module: torch.nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
            devices.append(str(output.device))
            return output * 2

        module.conv2.register_forward_hook(hook)
        results.append(module(torch.ones(1, 3, 12, 12, device="cuda")))
    assert devices == ["cuda:0", "cuda:0"]
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def test_there_and_back_copies_and_other_types() -> None:
    original, model = _pair("PNet")
    x = torch.rand(1, 3, 16, 16)
    expected = model(x)
    model.cuda()
    counterpart = copy.deepcopy(model)
    assert torch.equal(counterpart(x.cuda())[0], model(x.cuda())[0])
    assert all(torch.equal(a, b) for a, b in zip(expected, model.cpu()(x), strict=True))
    half, wanted = model.cuda().half(), original.cuda().half()
    assert torch.equal(half(x.cuda().half())[0], wanted(x.cuda().half())[0])


def test_training_steps_give_the_counterparts_weights() -> None:
    original, model = _pair("RNet")
    x = torch.rand(SIZES["RNet"]).cuda()
    for module in (original.cuda(), model.cuda()):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            sum(output.square().mean() for output in module(x)).backward()
            optimizer.step()
    for expected, result in zip(original.parameters(), model.parameters(), strict=True):
        assert torch.equal(expected, result)


def test_a_tensor_of_another_device_is_an_error_and_the_process_lives() -> None:
    _, model = _pair("PNet")
    model.cuda()
    with pytest.raises(bridge.DotNetError, match="conv1"):
        model(torch.rand(1, 3, 12, 12))
    assert model(torch.rand(1, 3, 12, 12, device="cuda"))[0].is_cuda


def test_streams_of_the_caller_are_used() -> None:
    """Work enqueued by C# on the caller's stream is ordered with the caller's own."""
    _, model = _pair("PNet")
    model.cuda()
    x = torch.rand(8, 3, 64, 64, device="cuda")
    expected = model(x)[0]
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        y = torch.zeros_like(x)
        for _ in range(50):
            y = y + x / 50
        result = model(y)[0]
    stream.synchronize()
    assert torch.allclose(result, expected, atol=1e-5)
