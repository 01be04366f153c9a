"""The modules of Bridge.Torch against their torch.nn counterparts: initial values, state, outputs, gradients."""

from __future__ import annotations

import re
import runpy
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

_MORE = """/// <summary>Linear and Conv2d of any size, for their initial values.</summary>
public sealed class Sized : Module<Tensor, Tensor>
{
    private readonly Linear linear;
    private readonly Conv2d conv;

    public Sized(long inside, long outside, bool wide) : base(nameof(Sized))
    {
        linear = Linear(inside, outside, dtype: wide ? float64 : null);
        conv = Conv2d(inside, outside, (3, 2), dtype: wide ? float64 : null);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => linear.call(input);
}
"""

IMAGES = ((2, 4, 9, 8), (4, 7, 9))
BATCHES = ((3, 4, 5, 6), (1, 4, 2, 2))
ANY = ((3, 4), (2, 4, 5), (4, 2, 3, 2))


@dataclass(frozen=True)
class Case:
    """C#'s factory call, PyTorch's, and the shapes of inputs."""

    code: str
    counterpart: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...] = IMAGES


CASES = {
    "conv": Case("Conv2d(4, 6, 3)", lambda: nn.Conv2d(4, 6, 3)),
    "conv stride": Case("Conv2d(4, 6, 3, stride: 2)", lambda: nn.Conv2d(4, 6, 3, stride=2)),
    "conv padding": Case("Conv2d(4, 6, 3, padding: 2)", lambda: nn.Conv2d(4, 6, 3, padding=2)),
    "conv dilation": Case("Conv2d(4, 6, 2, dilation: 3)", lambda: nn.Conv2d(4, 6, 2, dilation=3)),
    "conv rectangular": Case(
        "Conv2d(4, 6, (3, 2), (2, 1), (1, 0), (1, 2))",
        lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), (1, 2)),
    ),
    "conv same": Case("Conv2d(4, 6, 3, Padding.Same)", lambda: nn.Conv2d(4, 6, 3, padding="same")),
    "conv same dilated": Case(
        "Conv2d(4, 6, 3, Padding.Same, dilation: 2)", lambda: nn.Conv2d(4, 6, 3, padding="same", dilation=2)
    ),
    "conv same even": Case("Conv2d(4, 6, (2, 4), Padding.Same)", lambda: nn.Conv2d(4, 6, (2, 4), padding="same")),
    "conv valid": Case("Conv2d(4, 6, 3, Padding.Valid, stride: 2)", lambda: nn.Conv2d(4, 6, 3, 2, padding="valid")),
    "conv groups": Case("Conv2d(4, 6, 3, groups: 2)", lambda: nn.Conv2d(4, 6, 3, groups=2)),
    "conv depthwise": Case("Conv2d(4, 4, 3, groups: 4)", lambda: nn.Conv2d(4, 4, 3, groups=4)),
    "conv no bias": Case("Conv2d(4, 6, 1, bias: false)", lambda: nn.Conv2d(4, 6, 1, bias=False)),
    "conv double": Case("Conv2d(4, 6, 3, dtype: float64)", lambda: nn.Conv2d(4, 6, 3, dtype=torch.float64)),
    **{
        f"conv {mode} {more}": Case(
            f"Conv2d(4, 6, {size}, {sharp}padding_mode: PaddingModes.{mode})",
            partial(nn.Conv2d, 4, 6, size, padding_mode=mode.lower(), **torch_more),
        )
        for mode in ("Zeros", "Reflect", "Replicate", "Circular")
        for more, size, sharp, torch_more in (
            ("number", 3, "padding: 2, ", {"padding": 2}),
            ("pair", (3, 2), "padding: (2, 1), stride: (2, 1), ", {"padding": (2, 1), "stride": (2, 1)}),
            ("same", (2, 3), "Padding.Same, dilation: (1, 2), ", {"padding": "same", "dilation": (1, 2)}),
            ("valid", 3, "Padding.Valid, ", {"padding": "valid"}),
        )
    },
    "linear": Case("Linear(4, 7)", lambda: nn.Linear(4, 7), ((3, 4), (4,), (2, 3, 4), (2, 2, 3, 4), (0, 4))),
    "linear no bias": Case(
        "Linear(4, 7, hasBias: false)", lambda: nn.Linear(4, 7, bias=False), ((3, 4), (4,), (2, 3, 4))
    ),
    "linear double": Case("Linear(4, 7, dtype: float64)", lambda: nn.Linear(4, 7, dtype=torch.float64), ((3, 4),)),
    "prelu one": Case("PReLU(1)", lambda: nn.PReLU(1), ANY),
    "prelu many": Case("PReLU(4, init: 0.1)", lambda: nn.PReLU(4, init=0.1), ((3, 4), (2, 4, 5), (2, 4, 3, 3))),
    "relu": Case("ReLU()", lambda: nn.ReLU(), (*ANY, (), (0, 3))),
    "relu in place": Case("ReLU(inplace: true)", lambda: nn.ReLU(inplace=True), ANY),
    "norm": Case("BatchNorm2d(4)", lambda: nn.BatchNorm2d(4), BATCHES),
    "norm plain": Case("BatchNorm2d(4, affine: false)", lambda: nn.BatchNorm2d(4, affine=False), BATCHES),
    "norm untracked": Case(
        "BatchNorm2d(4, track_running_stats: false)", lambda: nn.BatchNorm2d(4, track_running_stats=False), BATCHES
    ),
    "norm bare": Case(
        "BatchNorm2d(4, affine: false, track_running_stats: false)",
        lambda: nn.BatchNorm2d(4, affine=False, track_running_stats=False),
        BATCHES,
    ),
    "norm momentum": Case(
        "BatchNorm2d(4, eps: 1e-3, momentum: 0.37)", lambda: nn.BatchNorm2d(4, eps=1e-3, momentum=0.37), BATCHES
    ),
    "norm cumulative": Case("BatchNorm2d(4, momentum: double.NaN)", lambda: nn.BatchNorm2d(4, momentum=None), BATCHES),
    "norm double": Case("BatchNorm2d(4, dtype: float64)", lambda: nn.BatchNorm2d(4, dtype=torch.float64), BATCHES),
    "softmax": Case("Softmax(1)", lambda: nn.Softmax(1), ANY),
    "softmax last": Case("Softmax(-1)", lambda: nn.Softmax(-1), ANY),
    "pool": Case("MaxPool2d(2)", lambda: nn.MaxPool2d(2)),
    "pool ceil": Case("MaxPool2d(3, stride: 2, ceil_mode: true)", lambda: nn.MaxPool2d(3, 2, ceil_mode=True)),
    "pool padding": Case("MaxPool2d(3, padding: 1)", lambda: nn.MaxPool2d(3, padding=1)),
    "pool dilation": Case("MaxPool2d(2, stride: 1, dilation: 3)", lambda: nn.MaxPool2d(2, 1, dilation=3)),
    "pool rectangular": Case(
        "MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2), true)",
        lambda: nn.MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2), ceil_mode=True),
    ),
    "pool array": Case("MaxPool2d([2, 3])", lambda: nn.MaxPool2d((2, 3))),
    "flatten": Case("Flatten()", lambda: nn.Flatten(), ANY),
    "flatten some": Case("Flatten(0, 1)", lambda: nn.Flatten(0, 1), ANY),
    "sequential": Case(
        "Sequential(Conv2d(4, 3, 3), ReLU(inplace: true), MaxPool2d(2))",
        lambda: nn.Sequential(nn.Conv2d(4, 3, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2)),
    ),
    "sequential named": Case(
        'Sequential(("conv", Conv2d(4, 3, 3)), ("norm", PReLU(3)))',
        lambda: nn.Sequential(_named(conv=nn.Conv2d(4, 3, 3), norm=nn.PReLU(3))),
        ((2, 4, 9, 8),),
    ),
    "sequential empty": Case("Sequential(System.Array.Empty<Module<Tensor, Tensor>>())", lambda: nn.Sequential(), ANY),
    "sequential nested": Case(
        'Sequential(Sequential(("a", Linear(4, 4)), ("b", Sequential(ReLU(), Linear(4, 3)))), Softmax(-1))',
        lambda: nn.Sequential(
            nn.Sequential(_named(a=nn.Linear(4, 4), b=nn.Sequential(nn.ReLU(), nn.Linear(4, 3)))), nn.Softmax(-1)
        ),
        ((3, 4), (2, 3, 4)),
    ),
    "sequential grown": Case(
        'Sequential(Linear(4, 4)).append("tail", ReLU()).append(Linear(4, 2))',
        lambda: nn.Sequential(_named(**{"0": nn.Linear(4, 4), "tail": nn.ReLU(), "2": nn.Linear(4, 2)})),
        ((3, 4),),
    ),
}
#: Classes that Bridge.Torch offers as modules; a new one without a case fails.
MODULES = Path(__file__).resolve().parents[2] / "dotnet" / "src" / "Bridge.Torch" / "Modules"


def _named(**modules: nn.Module) -> Any:
    return OrderedDict(modules)


@pytest.fixture(scope="session")
def assembly(case_assembly: Callable[..., Path]) -> Path:
    return case_assembly("Cases", {name: case.code for name, case in CASES.items()}, _MORE)


@pytest.fixture
def pair(assembly: Path, seeded_pair: Callable[..., Any]) -> Callable[[str], tuple[nn.Module, nn.Module]]:
    """Return ``pair(name)``: the C# module and PyTorch's, made from one seed."""
    return lambda name: seeded_pair(assembly, name, CASES[name].counterpart)


def test_every_module_has_a_case() -> None:
    """Of this file or of its neighbours: C# calls a factory by its bare name, the counterpart by ``nn.``."""
    text = "".join(file.read_text(encoding="utf-8") for file in MODULES.rglob("*.cs"))
    offered = set(re.findall(r"public (?:sealed )?class (\w+)", text)) - {"Parameter", "PackedSequence"}
    here = Path(__file__).parent
    layers = runpy.run_path(str(here / "test_layers.py"))["CASES"]
    cases = "".join(
        (here / f"test_{name}.py").read_text(encoding="utf-8") for name in ("modules", "more_modules", "collections")
    )
    cases += " ".join(case.code for case in layers.values())
    cases += (here / "surface" / "functional.tsv").read_text(encoding="utf-8")
    assert len(offered) > 30
    assert not {name for name in offered if not re.search(rf"(?<!nn\.)\b{name}(?:<\w+>)?\(", cases)}


@pytest.mark.parametrize("name", CASES)
def test_initial_values_and_state_equal_those_of_the_counterpart(name: str, pair: Any, same_state: Any) -> None:
    same_state(*pair(name))


@pytest.mark.parametrize("wide", [False, True])
def test_initial_values_equal_for_any_size(wide: bool, assembly: Path, bits_equal: Any) -> None:
    dtype = torch.float64 if wide else None
    for inside in (1, 2, 3, 5, 7, 11, 13, 31, 32, 33, 100, 127, 131):
        torch.default_generator.manual_seed(inside)
        ours = bridge.load(assembly, "Cases.Sized", inside, 3, wide).state_dict()
        torch.default_generator.manual_seed(inside)
        counterpart = nn.ModuleDict(
            {"linear": nn.Linear(inside, 3, dtype=dtype), "conv": nn.Conv2d(inside, 3, (3, 2), dtype=dtype)}
        ).state_dict()
        assert list(ours) == list(counterpart)
        for key in counterpart:
            assert bits_equal(ours[key], counterpart[key]), (inside, key)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize("name", CASES)
def test_outputs_and_gradients_equal_those_of_the_counterpart(
    name: str, pair: Any, draw: Any, compare_steps: Any
) -> None:
    shapes = CASES[name].shapes * 2
    compare_steps(
        lambda: pair(name), lambda dtype: [draw(2 * seed, dtype).tensor(*shape) for seed, shape in enumerate(shapes)]
    )


def test_batch_norm_refuses_what_is_not_a_batch_of_images(pair: Any) -> None:
    ours, _ = pair("norm")
    with pytest.raises(bridge.DotNetError, match=r"BatchNorm2d takes \[N, C, H, W\], its input has shape \[4, 3, 3\]"):
        ours(torch.ones(4, 3, 3))


def test_batch_norm_refuses_one_value_per_channel_in_training(pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair("norm")
    x = torch.ones(1, 4, 1, 1)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        counterpart(x)
    with pytest.raises(bridge.DotNetError, match=r"more than one value per channel .*\[1, 4, 1, 1\]"):
        ours(x)
    assert bits_equal(ours.eval()(x), counterpart.eval()(x))


def test_batch_norm_runs_once_its_statistics_are_none(pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair("norm")
    for model in (ours, counterpart):
        model.layer.running_mean = model.layer.running_var = model.layer.num_batches_tracked = None
        model.eval()
    x = torch.randn(2, 4, 3, 3)
    assert bits_equal(ours(x), counterpart(x))


@pytest.mark.parametrize("name", ["conv", "linear"])
def test_a_bias_taken_away_from_python_is_gone(name: str, pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair(name)
    ours.layer.bias = counterpart.layer.bias = None
    x = torch.randn(4, 9, 4)
    assert bits_equal(ours(x), counterpart(x))
