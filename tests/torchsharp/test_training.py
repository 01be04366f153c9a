"""Loops in C# as in Python: torch.amp, clipped gradients, schedulers and checkpoint, step for step and bit for bit on the CPU."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import bridge

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("one_thread")]
HERE = Path(__file__).parent
STEPS = 200
MODES = ("plain", "bfloat16", "scaler", "checkpoint")
OPTIMIZERS = ("sgd", "adam", "adamw")


class Net(nn.Module):
    """The network of MixedPrecision.cs."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.norm, self.drop = nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.2)
        self.fc2, self.fc3 = nn.Linear(16, 16), nn.Linear(16, 3)

    def block(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.drop(hidden)).tanh()  # type: ignore[no-any-return]

    def loss(self, x: torch.Tensor, y: torch.Tensor, mode: str) -> torch.Tensor:
        hidden = self.norm(self.fc1(x)).relu()
        hidden = checkpoint(self.block, hidden, use_reentrant=False) if mode == "checkpoint" else self.block(hidden)
        return nn.functional.mse_loss(self.fc3(hidden), y)


def _train(net: Net, optimizer: str, mode: str, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, list[float]]:
    """Run the loop of MixedPrecision.cs; return the losses, and the rates and scales."""
    optims: dict[str, Callable[[], torch.optim.Optimizer]] = {
        "sgd": lambda: torch.optim.SGD(net.parameters(), 0.05, momentum=0.9),
        "adam": lambda: torch.optim.Adam(net.parameters(), 0.01, amsgrad=True),
        "adamw": lambda: torch.optim.AdamW(net.parameters(), 0.01, weight_decay=0.05),
    }
    optim = optims[optimizer]()
    schedulers: dict[str, Callable[[], Any]] = {
        "sgd": lambda: torch.optim.lr_scheduler.StepLR(optim, 30, 0.7),
        "adam": lambda: torch.optim.lr_scheduler.CosineAnnealingLR(optim, 50, 1e-4),
        "adamw": lambda: torch.optim.lr_scheduler.OneCycleLR(optim, 0.03, STEPS),
    }
    scheduler = schedulers[optimizer]()
    scaler = torch.amp.GradScaler("cpu", growth_interval=20, enabled=mode == "scaler")
    losses, seen = [], []
    for step in range(STEPS):
        batch, target = x.narrow(0, step % 4 * 8, 8), y.narrow(0, step % 4 * 8, 8)
        optim.zero_grad(set_to_none=False)  # as TorchSharp does
        with torch.autocast("cpu", torch.bfloat16, enabled=mode in ("bfloat16", "scaler")):
            loss = net.loss(batch, target, mode)
        if mode == "scaler" and step % 37 == 5:
            loss = loss * 1e36
        scaler.scale(loss).backward()  # type: ignore[no-untyped-call]  # torch's is untyped
        scaler.unscale_(optim)
        if optimizer == "sgd":
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        if optimizer == "adam":
            nn.utils.clip_grad_value_(net.parameters(), 0.05)
        scaler.step(optim)
        scaler.update()
        scheduler.step()
        losses.append(loss.detach())
        seen += [*scheduler.get_last_lr(), scaler.get_scale()]
    return torch.stack(losses), seen


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp([HERE / "MixedPrecision.cs"], "MixedPrecision")


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")  # the scaler left out the first step
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_loop_is_pytorchs(assembly: Path, bits_equal: Any, optimizer: str, mode: str) -> None:
    """200 steps: losses, rates, scales, parameters and their gradients; with a scaler, some steps are left out."""
    torch.manual_seed(5)
    net = Net()
    x, y = torch.randn(32, 6), torch.randn(32, 3)
    ours: Any = bridge.load(assembly, "MixedPrecision.Loop", optimizer, mode, STEPS)
    ours.load_state_dict(net.state_dict())
    before = {name: value.clone() for name, value in net.named_parameters()}
    torch.manual_seed(6)
    expected, rates = _train(net, optimizer, mode, x, y)
    after = torch.rand(())
    torch.manual_seed(6)
    losses = ours(x, y)
    assert torch.equal(torch.rand(()), after), "as many random numbers"
    assert bits_equal(losses, expected), int((losses != expected).nonzero()[0])
    assert list(ours.dotnet.Seen) == rates
    for (name, mine), theirs in zip(ours.named_parameters(), net.parameters(), strict=True):
        assert bits_equal(mine, theirs), name
        assert bits_equal(mine.grad, theirs.grad), name
        if name != "fc1.bias":  # BatchNorm subtracts it again
            assert not torch.equal(mine, before[name]), name
    assert not torch.is_autocast_enabled("cpu")
    scales = rates[1::2]
    assert (len(set(scales)) > 1) == (mode == "scaler"), "steps were left out, and the scale has grown again"


def test_a_checkpoint_runs_again_and_lets_go(
    assembly: Path, live_counts: Callable[[], dict[str, int]], bits_equal: Any
) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Two")
    a, b = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    counts = live_counts()
    result = model(a, b, False)
    assert model.Runs == 1
    result.sum().backward()
    assert model.Runs == 2
    found = a.grad, b.grad, model.fc.weight.grad
    a.grad = b.grad = model.fc.weight.grad = None

    def run(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(a, model.fc.weight, model.fc.bias).sigmoid() * b + b.exp()

    expected = checkpoint(run, a, b, use_reentrant=False)
    assert bits_equal(result, expected)
    expected.sum().backward()
    for mine, theirs in zip(found, (a.grad, b.grad, model.fc.weight.grad), strict=True):
        assert torch.equal(mine, theirs)
    with torch.no_grad():
        assert torch.equal(model(a, b, False), result)
    assert model.Runs == 3
    del result, expected
    gc.collect()
    assert live_counts() == counts


def test_an_error_when_a_checkpoint_runs_again_is_the_users(assembly: Path) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Two")
    result = model(torch.randn(3, 4, requires_grad=True), torch.randn(3, 4), True)
    with pytest.raises(bridge.DotNetError, match="the second run"):
        result.sum().backward()


def test_autocast_is_shared_with_python_and_restored(assembly: Path) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Told")
    off, on = "False BFloat16", "True Float16"
    assert model.dotnet.Modes() == "\n".join((off, on, "False Float16", on, off))
    with torch.autocast("cpu", torch.float16):
        assert model.dotnet.Modes().splitlines()[0] == "True Float16"
        assert torch.get_autocast_dtype("cpu") == torch.float16
    assert not torch.is_autocast_enabled("cpu")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("no scale", "Attempted step but _scale is None"),
        ("twice", r"unscale_\(\) has already been called"),
        ("after a step", r"unscale_\(\) is being called after step\(\)"),
        ("two steps", r"step\(\) has already been called"),
        ("no gradient", "No inf checks were recorded for this optimizer"),
        ("no step", "No inf checks were recorded prior to update"),
        ("half", "Attempting to unscale FP16 gradients"),
        ("growth", "growth factor must be > 1"),
        ("backoff", "backoff factor must be < 1"),
        ("empty", "source state dict is empty"),
        ("a shape", "one element"),
    ],
)
def test_a_scaler_refuses_what_pytorchs_refuses(assembly: Path, what: str, words: str) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Told")
    with pytest.raises(bridge.DotNetError, match=words):
        model.dotnet.Refused(what)


def test_a_scalers_state_is_pytorchs(assembly: Path) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Told")
    scaler = torch.amp.GradScaler("cpu", init_scale=8, growth_interval=3)
    optim = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(4):
        scaler.scale(model(torch.ones(1, 4)).sum()).backward()
        scaler.step(optim)
        scaler.update()
    assert dict(model.dotnet.Kept()) == scaler.state_dict()


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_a_scaler_for_cuda_is_disabled_without_it_and_says_so(assembly: Path) -> None:
    model: Any = bridge.load(assembly, "MixedPrecision.Told")
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert model.dotnet.WithoutCuda() is False
