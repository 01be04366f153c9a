"""torch.optim in C#: each optimizer's bits and each scheduler's rates are PyTorch's; states are kept, written and read."""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

import bridge

Make = Callable[[Any], optim.Optimizer]

#: What C# and Python make of a network's parameters ``net.Some`` and ``p``.
OPTIMIZERS: dict[str, tuple[str, Make]] = {
    "adam": ("Adam(net.Some)", lambda p: optim.Adam(p)),
    "adam rate": ("Adam(net.Some, 0.05, 0.8, 0.95, 1e-6)", lambda p: optim.Adam(p, 0.05, (0.8, 0.95), 1e-6)),
    "adam decay": ("Adam(net.Some, weight_decay: 0.1)", lambda p: optim.Adam(p, weight_decay=0.1)),
    "adam amsgrad": (
        "Adam(net.Some, 0.1, amsgrad: true, weight_decay: 0.02)",
        lambda p: optim.Adam(p, 0.1, amsgrad=True, weight_decay=0.02),
    ),
    "adam maximize": (
        "Adam(net.Some, weight_decay: 0.1, maximize: true)",
        lambda p: optim.Adam(p, weight_decay=0.1, maximize=True),
    ),
    "adamw": ("AdamW(net.Some)", lambda p: optim.AdamW(p, weight_decay=0)),
    "adamw decay": (
        "AdamW(net.Some, 0.03, 0.85, 0.99, weight_decay: 0.1)",
        lambda p: optim.AdamW(p, 0.03, (0.85, 0.99), weight_decay=0.1),
    ),
    "adamw amsgrad": (
        "AdamW(net.Some, amsgrad: true, maximize: true)",
        lambda p: optim.AdamW(p, amsgrad=True, maximize=True, weight_decay=0),
    ),
    "sgd": ("SGD(net.Some, 0.05)", lambda p: optim.SGD(p, 0.05)),
    "sgd momentum": (
        "SGD(net.Some, 0.05, momentum: 0.9, dampening: 0.1)",
        lambda p: optim.SGD(p, 0.05, 0.9, 0.1),
    ),
    "sgd nesterov": (
        "SGD(net.Some, 0.02, 0.8, weight_decay: 0.1, nesterov: true)",
        lambda p: optim.SGD(p, 0.02, 0.8, weight_decay=0.1, nesterov=True),
    ),
    "sgd maximize": (
        "SGD(net.Some, 0.005, 0.5, weight_decay: 0.1, maximize: true)",
        lambda p: optim.SGD(p, 0.005, 0.5, weight_decay=0.1, maximize=True),
    ),
    "rmsprop": ("RMSProp(net.Some)", lambda p: optim.RMSprop(p)),
    "rmsprop centered": (
        "RMSProp(net.Some, 0.003, 0.9, 1e-6, 0.1, 0, true)",
        lambda p: optim.RMSprop(p, 0.003, 0.9, 1e-6, 0.1, 0, True),
    ),
    "rmsprop momentum": (
        "RMSProp(net.Some, momentum: 0.7, centered: true, maximize: true)",
        lambda p: optim.RMSprop(p, momentum=0.7, centered=True, maximize=True),
    ),
    "adagrad": ("Adagrad(net.Some)", lambda p: optim.Adagrad(p)),
    "adagrad decay": (
        "Adagrad(net.Some, 0.1, 0.05, 0.1, 0.3, 1e-5)",
        lambda p: optim.Adagrad(p, 0.1, 0.05, 0.1, 0.3, 1e-5),
    ),
    "adadelta": ("Adadelta(net.Some)", lambda p: optim.Adadelta(p)),
    "adadelta decay": (
        "Adadelta(net.Some, 0.5, 0.8, 1e-5, 0.1, true)",
        lambda p: optim.Adadelta(p, 0.5, 0.8, 1e-5, 0.1, maximize=True),
    ),
    "adamax": ("Adamax(net.Some)", lambda p: optim.Adamax(p)),
    "adamax decay": (
        "Adamax(net.Some, 0.01, 0.8, 0.95, 1e-6, 0.1)",
        lambda p: optim.Adamax(p, 0.01, (0.8, 0.95), 1e-6, 0.1),
    ),
    "nadam": ("NAdam(net.Some)", lambda p: optim.NAdam(p)),
    "nadam decay": (
        "NAdam(net.Some, 0.01, 0.8, 0.95, 1e-6, 0.1, 0.01)",
        lambda p: optim.NAdam(p, 0.01, (0.8, 0.95), 1e-6, 0.1, 0.01),
    ),
    "radam": ("RAdam(net.Some)", lambda p: optim.RAdam(p, 0.002)),
    "radam decay": (
        "RAdam(net.Some, 0.05, 0.8, 0.95, 1e-6, 0.1)",
        lambda p: optim.RAdam(p, 0.05, (0.8, 0.95), 1e-6, 0.1),
    ),
    "asgd": ("ASGD(net.Some)", lambda p: optim.ASGD(p, 0.001)),
    "asgd early": (
        "ASGD(net.Some, 0.02, 0.01, 0.6, 5, 0.1, true)",
        lambda p: optim.ASGD(p, 0.02, 0.01, 0.6, 5, 0.1, maximize=True),
    ),
    "rprop": ("Rprop(net.Some)", lambda p: optim.Rprop(p)),
    "rprop steps": (
        "Rprop(net.Some, 0.05, 0.3, 1.4, 1e-3, 0.2, true)",
        lambda p: optim.Rprop(p, 0.05, (0.3, 1.4), (1e-3, 0.2), maximize=True),
    ),
    "named": (
        "Adam(net.named_parameters().Where(named => named.name.StartsWith(\"fc\")), 0.01)",
        lambda p: optim.Adam(p, 0.01),
    ),
    "groups": (
        "SGD([new SGD.ParamGroup(net.Some.Take(2), 0.1, momentum: 0.9), new SGD.ParamGroup { Parameters = net.Some.Skip(2) }], 0.03)",
        lambda p: optim.SGD([{"params": p[:2], "lr": 0.1, "momentum": 0.9}, {"params": p[2:]}], 0.03),
    ),
    "scheduled": (
        "Rows.Warm(ASGD(net.Some, 0.02, t0: 3))",
        lambda p: _warm(optim.ASGD(p, 0.02, t0=3)),
    ),
    "scheduled rprop": ("Rows.Warm(Rprop(net.Some, 0.02))", lambda p: _warm(optim.Rprop(p, 0.02))),
    "lbfgs": (
        "LBFGS(net.Some, 0.5, tolerange_grad: 1e-7)",
        lambda p: optim.LBFGS(p, 0.5),
    ),
    "lbfgs scheduled": (
        "Rows.Warm(LBFGS(net.Some, 0.5, tolerange_grad: 1e-7))",
        lambda p: _warm(optim.LBFGS(p, 0.5)),
    ),
    "lbfgs named": (
        "LBFGS(net.named_parameters().Where(named => named.name.StartsWith(\"fc\")), 0.5, max_eval: null, tolerange_grad: 1e-7)",
        lambda p: optim.LBFGS(p, 0.5),
    ),
    "lbfgs history": (
        "LBFGS(net.named_parameters().Where(named => named.name.StartsWith(\"fc\")), 1, 7, 6, 1e-3, 1e-6, 3)",
        lambda p: optim.LBFGS(p, 1, 7, 6, 1e-3, 1e-6, 3),
    ),
}  # fmt: skip

Schedule = Callable[[optim.Optimizer], Any]

#: C#'s scheduler of ``o``, and Python's.
SCHEDULERS: dict[str, tuple[str, Schedule]] = {
    "step": ("StepLR(o, 7, 0.3)", lambda o: lr_scheduler.StepLR(o, 7, 0.3)),
    "step defaults": ("StepLR(o, 7)", lambda o: lr_scheduler.StepLR(o, 7)),
    "multistep": (
        "MultiStepLR(o, new[] { 30, 5, 12, 12 }, 0.3)",
        lambda o: lr_scheduler.MultiStepLR(o, [30, 5, 12, 12], 0.3),
    ),
    "lambda": (
        "LambdaLR(o, epoch => System.Math.Pow(0.95, epoch))",
        lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 0.95**epoch),
    ),
    "lambdas": (
        "new impl.LambdaLR(o, new System.Func<int, double>[] { e => 1.0 / (e + 1), e => 0.5 * e })",
        lambda o: lr_scheduler.LambdaLR(o, [lambda e: 1.0 / (e + 1), lambda e: 0.5 * e]),
    ),
    "multiplicative": (
        "MultiplicativeLR(o, epoch => 1 - 0.01 * epoch)",
        lambda o: lr_scheduler.MultiplicativeLR(o, lambda epoch: 1 - 0.01 * epoch),
    ),
    "exponential": ("ExponentialLR(o, 0.9)", lambda o: lr_scheduler.ExponentialLR(o, 0.9)),
    "polynomial": ("PolynomialLR(o, 30, 0.9)", lambda o: lr_scheduler.PolynomialLR(o, 30, 0.9)),
    "polynomial defaults": ("PolynomialLR(o)", lambda o: lr_scheduler.PolynomialLR(o)),
    "constant": ("ConstantLR(o, 0.3, 9)", lambda o: lr_scheduler.ConstantLR(o, 0.3, 9)),
    "constant defaults": ("ConstantLR(o)", lambda o: lr_scheduler.ConstantLR(o)),
    "linear": ("LinearLR(o, 0.2, 0.7, 20)", lambda o: lr_scheduler.LinearLR(o, 0.2, 0.7, 20)),
    "linear defaults": ("LinearLR(o)", lambda o: lr_scheduler.LinearLR(o)),
    "cosine": ("CosineAnnealingLR(o, 12, 0.01)", lambda o: lr_scheduler.CosineAnnealingLR(o, 12, 0.01)),
    "sequential": (
        "SequentialLR(o, new[] { ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9), CosineAnnealingLR(o, 10) }, new[] { 5, 20 })",
        lambda o: lr_scheduler.SequentialLR(
            o,
            [lr_scheduler.ConstantLR(o, 0.1, 4), lr_scheduler.ExponentialLR(o, 0.9), lr_scheduler.CosineAnnealingLR(o, 10)],
            [5, 20],
        ),
    ),
    "nested": (
        "SequentialLR(o, new[] { SequentialLR(o, new[] { StepLR(o, 3), ExponentialLR(o, 0.5) }, new[] { 9 }), LinearLR(o) }, new[] { 25 })",
        lambda o: lr_scheduler.SequentialLR(
            o,
            [
                lr_scheduler.SequentialLR(o, [lr_scheduler.StepLR(o, 3), lr_scheduler.ExponentialLR(o, 0.5)], [9]),
                lr_scheduler.LinearLR(o),
            ],
            [25],
        ),
    ),
    "chained": (
        "ChainedLR(new[] { ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9) })",
        lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.ConstantLR(o, 0.1, 4), lr_scheduler.ExponentialLR(o, 0.9)]),
    ),
    "plateau": (
        "ReduceLROnPlateau(o, factor: 0.5, patience: 2, cooldown: 3)",
        lambda o: lr_scheduler.ReduceLROnPlateau(o, factor=0.5, patience=2, cooldown=3),
    ),
    "plateau max": (
        'ReduceLROnPlateau(o, "max", 0.3, 1, 0.05, "abs", 0, new[] { 0.001, 0.01 }, 1e-3)',
        lambda o: lr_scheduler.ReduceLROnPlateau(o, "max", 0.3, 1, 0.05, "abs", 0, [0.001, 0.01], 1e-3),
    ),
    "cyclic": ("CyclicLR(o, 0.01, 0.2, 6)", lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.2, 6)),
    "cyclic triangular2": (
        "CyclicLR(o, 0.01, 0.2, 6, 3, impl.CyclicLR.Mode.Triangular2, base_momentum: 0.5, max_momentum: 0.99)",
        lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.2, 6, 3, "triangular2", base_momentum=0.5, max_momentum=0.99),
    ),
    "cyclic range adam": (
        "CyclicLR(o, new[] { 0.01, 0.02 }, new[] { 0.2, 0.1 }, 5, mode: impl.CyclicLR.Mode.ExpRange, gamma: 0.97)",
        lambda o: lr_scheduler.CyclicLR(o, [0.01, 0.02], [0.2, 0.1], 5, mode="exp_range", gamma=0.97),
    ),
    "cyclic function": (
        "CyclicLR(o, 0.01, 0.2, 6, scale_fn: x => 1 / (1 + x), scale_mode: impl.CyclicLR.ScaleMode.Iterations, cycle_momentum: false)",
        lambda o: lr_scheduler.CyclicLR(
            o, 0.01, 0.2, 6, scale_fn=lambda x: 1 / (1 + x), scale_mode="iterations", cycle_momentum=False
        ),
    ),
    "onecycle": ("OneCycleLR(o, 0.3, 51)", lambda o: lr_scheduler.OneCycleLR(o, 0.3, 51)),
    "onecycle adam": (
        "OneCycleLR(o, new[] { 0.3, 0.2 }, epochs: 11, steps_per_epoch: 5, pct_start: 0.4,"
        " anneal_strategy: impl.OneCycleLR.AnnealStrategy.Linear)",
        lambda o: lr_scheduler.OneCycleLR(o, [0.3, 0.2], epochs=11, steps_per_epoch=5, pct_start=0.4, anneal_strategy="linear"),
    ),
    "onecycle phases": (
        "OneCycleLR(o, 0.3, 60, three_phase: true, base_momentum: 0.7, max_momentum: 0.9, div_factor: 10, final_div_factor: 100)",
        lambda o: lr_scheduler.OneCycleLR(
            o, 0.3, 60, three_phase=True, base_momentum=0.7, max_momentum=0.9, div_factor=10, final_div_factor=100
        ),
    ),
}  # fmt: skip

_ROWS = """#nullable disable
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;
using static TorchSharp.torch.optim.lr_scheduler;

namespace Training;

internal static class Rows
{{
    /// <summary>A rate at the first step that is not the optimizer's own.</summary>
    internal static Optimizer Warm(Optimizer optimizer)
    {{
        LambdaLR(optimizer, epoch => 0.1 * (epoch + 1));
        return optimizer;
    }}

    internal static Optimizer Make(string row, Net net) => row switch
    {{
{optimizers}
        _ => throw new System.ArgumentException(row),
    }};

    internal static LRScheduler Schedule(string row, Optimizer o) => row switch
    {{
{schedulers}
        _ => throw new System.ArgumentException(row),
    }};
}}
"""


def _warm(optimizer: optim.Optimizer) -> optim.Optimizer:
    lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.1 * (epoch + 1))
    return optimizer


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    arms = [
        "\n".join(f'        "{name}" => {code},' for name, (code, _) in table.items())
        for table in (OPTIMIZERS, SCHEDULERS)
    ]
    training = Path(__file__).with_name("Training.cs").read_text(encoding="utf-8")
    rows = _ROWS.format(optimizers=arms[0], schedulers=arms[1])
    return build_csharp({"Training.cs": training, "Rows.cs": rows}, "Training")


class Net(nn.Module):
    """The network of Training.cs."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.fc1, self.fc2 = nn.Linear(5, 7), nn.Linear(7, 3)
        self.scale = nn.Parameter(torch.tensor(0.75))
        self.unused = nn.Parameter(torch.ones(2))
        self.wide = nn.Parameter(torch.tensor([0.5, -1.25, 3], dtype=torch.float64))
        self.brief = nn.Parameter(torch.tensor([0.5, -1.25, 3, -0.1], dtype=torch.bfloat16))
        self.wave = nn.Parameter(torch.tensor([0.5 - 1j, 0.25 + 2j]))

    def some(self) -> list[nn.Parameter]:
        if self.kind == "plain":
            return [*self.fc1.parameters(), *self.fc2.parameters()]
        return list(self.parameters())

    def loss(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.fc2(self.fc1(x).tanh()) * self.scale, y)
        if self.kind == "plain":
            return loss
        wide, brief = (self.wide.sin() * self.wide).sum().float(), self.brief.float().square().sum() * 0.3
        return loss + wide + brief + torch.view_as_real(self.wave).pow(4).sum() * 0.01


def _train(net: Net, optimizer: optim.Optimizer, x: torch.Tensor, y: torch.Tensor, steps: int) -> torch.Tensor:
    def closure() -> torch.Tensor:
        optimizer.zero_grad(set_to_none=False)  # as TorchSharp does
        loss = net.loss(x, y)
        loss.backward()
        return loss

    return torch.stack([optimizer.step(closure).detach() for _ in range(steps)])  # type: ignore[arg-type, union-attr]


def _pair(assembly: Path, row: str, kind: str, steps: int) -> tuple[Any, Net]:
    torch.manual_seed(7)
    plain = row == "named" or row.startswith("lbfgs")
    counterpart = Net("plain" if plain else kind)
    ours: Any = bridge.load(assembly, "Training.Net", row, "plain" if plain else kind, steps)
    ours.load_state_dict(counterpart.state_dict())
    return ours, counterpart


@pytest.mark.parametrize("row", OPTIMIZERS)
def test_an_optimizer_steps_to_pytorchs_bits(assembly: Path, bits_equal: Any, row: str) -> None:
    """20 steps over parameters of several types and shapes: each loss, each parameter and each gradient."""
    ours, counterpart = _pair(assembly, row, "all", 20)
    x, y = torch.randn(6, 5), torch.randn(6, 3)
    expected = _train(counterpart, OPTIMIZERS[row][1](counterpart.some()), x, y, 20)
    losses = ours(x, y)
    assert bits_equal(losses, expected), (losses - expected).abs().max()
    assert not expected.isnan().any()
    before = Net("all").state_dict()
    for (name, mine), other in zip(ours.named_parameters(), dict(counterpart.named_parameters()).values(), strict=True):
        assert bits_equal(mine, other), name
        assert bits_equal(mine.grad, other.grad), name
        if row != "named" and not row.startswith("lbfgs") and name not in ("unused", "brief"):
            assert not torch.equal(mine, before[name]), name


@pytest.mark.parametrize("kind", ["file", "memory", "closure"])
@pytest.mark.parametrize("row", [row for row in OPTIMIZERS if " " not in row and row not in ("lbfgs", "named")])
def test_a_state_that_was_kept_goes_on_where_it_was(assembly: Path, bits_equal: Any, row: str, kind: str) -> None:
    ours, counterpart = _pair(assembly, row, kind, 6)
    x, y = torch.randn(6, 5), torch.randn(6, 3)
    expected = _train(counterpart, OPTIMIZERS[row][1](counterpart.some()), x, y, 6)
    assert bits_equal(ours(x, y), expected)


def test_an_optimizer_in_a_field_goes_on_from_call_to_call_and_in_a_copy(assembly: Path, bits_equal: Any) -> None:
    torch.manual_seed(1)
    layer = nn.Linear(5, 3)
    ours: Any = bridge.load(assembly, "Training.Trainer")
    ours.fc.load_state_dict(layer.state_dict())
    optimizer = optim.Adam(layer.parameters(), 0.1)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.9)
    x, y = torch.randn(6, 5), torch.randn(6, 3)
    models = [ours]
    for step in range(6):
        if step == 3:
            models.append(copy.deepcopy(ours))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(layer(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        for model in models:
            assert bits_equal(model(x, y), loss.detach()), step
            assert bits_equal(model.fc.weight.detach(), layer.weight.detach()), step


def _schedule(assembly: Path, row: str, values: list[float], *, jumps: bool) -> None:
    leaves = [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))]
    optimizer: optim.Optimizer = (
        optim.Adam([{"params": leaves[0], "lr": 0.1}, {"params": leaves[1], "lr": 0.025, "betas": (0.7, 0.999)}])
        if row.endswith("adam")
        else optim.SGD([{"params": leaves[0], "lr": 0.1, "momentum": 0.5}, {"params": leaves[1], "lr": 0.025}])
    )
    scheduler = SCHEDULERS[row][1](optimizer)
    expected: list[float] = []
    for value in values:
        for group in optimizer.param_groups:
            expected += [group["lr"], group["betas"][0] if "betas" in group else group["momentum"]]
        expected += scheduler.get_last_lr()
        optimizer.step()
        if isinstance(scheduler, lr_scheduler.ReduceLROnPlateau):
            scheduler.step(value)
        elif jumps:
            scheduler.step(int(value))
        else:
            scheduler.step()
    given = torch.tensor(values, dtype=torch.float64)
    assert bridge.load(assembly, "Training.Schedule", row, jumps)(given).tolist() == expected
    assert len(set(expected)) > 4


@pytest.mark.parametrize("row", SCHEDULERS)
@pytest.mark.filterwarnings("ignore:Detected call of")
def test_a_schedulers_rates_are_pytorchs(assembly: Path, row: str) -> None:
    """Rates and momenta of two groups over 50 epochs, exactly; and get_last_lr."""
    drawn = torch.randn(51, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    _schedule(assembly, row, drawn.cumsum(0).tolist(), jumps=False)


@pytest.mark.parametrize(
    "row", [row for row in SCHEDULERS if row.split()[0] not in ("sequential", "nested", "chained", "plateau")]
)
@pytest.mark.filterwarnings("ignore:The epoch parameter in")
def test_a_scheduler_jumps_to_an_epoch(assembly: Path, row: str) -> None:
    """By get_closed_form_lr, where a scheduler has one."""
    _schedule(assembly, row, [3, 30, 4, 5, 12, 0, 7, 21, 1], jumps=True)


def test_a_written_state_is_torchsharps(assembly: Path) -> None:
    """The name, the numbers of groups and states, the settings and the states, as OptimizerHelper.save_state_dict has them."""
    data = bytes(bridge.load(assembly, "Training.Written", "adamw amsgrad")(torch.ones(1)).tolist())
    assert data[:8] == b"\x05AdamW\x01\x04"
    assert struct.unpack_from("<6d2?", data, 8) == (0.001, 0.001, 0.9, 0.999, 1e-8, 0.0, True, True)
    at = 8 + 50
    for shape in ((7, 5), (7,), (3, 7), (3,)):
        assert struct.unpack_from("<q", data, at) == (0,)
        at += 8
        for third in (False, False, True):
            if third:
                assert data[at] == 1
                at += 1
            count = torch.Size(shape).numel()
            assert data[at : at + 2 + len(shape)] == bytes((6, len(shape), *shape))
            at += 2 + len(shape)
            assert data[at : at + 4 * count] == bytes(4 * count)
            at += 4 * count
    assert at == len(data)


def test_a_state_of_another_optimizer_is_refused(assembly: Path) -> None:
    with pytest.raises(bridge.DotNetError, match="expected 'SGD', but found 'Adam'"):
        bridge.load(assembly, "Training.Written", "adam")(torch.ones(1))


def test_a_program_trains_as_pytorch_does(assembly: Path, bits_equal: Any, tmp_path: Path) -> None:
    """Adam, StepLR, clipped gradients, dispose scopes; the weights are saved and read again."""
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
    x, y = torch.randn(6, 5), torch.randn(6, 3)
    first = nn.utils.parameters_to_vector(net.parameters()).detach()
    result = bridge.load(assembly, "Training.Program")(x, y, first.clone(), str(tmp_path / "net.dat"))
    optimizer = optim.Adam(net.parameters(), 0.05, weight_decay=0.01)
    scheduler = lr_scheduler.StepLR(optimizer, 3, 0.5)
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        losses.append(loss.detach())
    losses.append(nn.functional.mse_loss(copy.deepcopy(net)(x), y).detach())
    expected = torch.cat([torch.stack(losses), nn.utils.parameters_to_vector(net.parameters()).detach()])
    assert bits_equal(result, expected), (result - expected).abs().max()
    assert losses[-1] < losses[0]
