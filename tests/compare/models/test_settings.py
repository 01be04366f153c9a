"""bridge/compare/models/settings.py: what modules were made with, as built-ins of C# and of PyTorch have it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from torch import nn

import bridge
from bridge.compare.models.settings import settings, settings_at

NAMES = ("pytorch", "dotnet")


@pytest.fixture(scope="session")
def assembly(build_csharp: Any) -> Path:
    """Build the assembly of Ports.cs; skip without an SDK."""
    return build_csharp({"Ports.cs": (Path(__file__).parents[1] / "Ports.cs").read_text(encoding="utf-8")}, "Ports")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("", []),
        ("padding", ["conv (Conv2d): padding is (1, 1) in pytorch and (0, 0) in dotnet."]),
        ("mode", ["conv (Conv2d): padding_mode is 'zeros' in pytorch and 'circular' in dotnet."]),
        ("eps", ["norm (BatchNorm2d): eps is 1e-05 in pytorch and 0.001 in dotnet."]),
        ("class", ["act (GELU): it is SiLU in dotnet."]),
        ("p", ["dropout (Dropout): p is 0.5 in pytorch and 0.1 in dotnet."]),
        ("frozen", ["conv (Conv2d): parameter bias is frozen in dotnet and not in pytorch."]),
        ("dtype", ["norm (BatchNorm2d): buffer running_mean is float32 in pytorch and float64 in dotnet."]),
    ],
)
def test_the_differing_settings_of_a_port(
    assembly: Path, monkeypatch: pytest.MonkeyPatch, how: str, said: list[str]
) -> None:
    """``MaxPool2d(2)`` and ``MaxPool2d((2, 2))`` are the same pool."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    original = importlib.import_module("ports").Settings()
    port = bridge.load(assembly, "Ports.Settings", how)
    assert [str(setting) for setting in settings(original, port, NAMES)] == said


@pytest.mark.parametrize(
    ("value", "other", "told"),
    [
        (1 - 0.99, 0.01, False),
        (1 - 0.999, 0.001, False),
        (0.1, 0.10000001, True),
        (1e-12, 1e-15, True),
        (1e-16, 2e-16, True),
        (0.01, 0, True),
        (float("inf"), 0.01, True),
    ],
)
def test_numbers_that_differ_by_rounding_are_the_same(value: float, other: float, told: bool) -> None:
    """``1 - momentum`` is what a port of a framework that counts the other way round writes."""
    pair = (nn.BatchNorm2d(2, momentum=value), nn.BatchNorm2d(2, momentum=other))
    assert bool(settings(*pair, NAMES)) == told


def test_modes_children_and_parameters_on_one_side() -> None:
    left = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)).eval()
    other = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU(), nn.Flatten()).eval()
    other[1].train()
    found = settings(left, other, NAMES)
    assert [str(item) for item in found] == [
        "the root (Sequential): 2 is in dotnet only, not in pytorch.",
        "0 (Linear): it has parameter bias in pytorch and not in dotnet.",
        "1 (ReLU): it is in eval mode in pytorch and in train mode in dotnet.",
    ]
    assert [item.name for item in settings_at(found, "1")] == ["training"]


def test_another_order_of_children() -> None:
    left, other = nn.Module(), nn.Module()
    for module, order in ((left, "ab"), (other, "ba")):
        for name in order:
            module.add_module(name, nn.Identity())
    assert [str(item) for item in settings(left, other, NAMES)] == [
        "the root (Module): in dotnet its children are in another order: b, a."
    ]


class Tied(nn.Module):
    def __init__(self, tied: bool) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        if tied:
            self.head.weight = self.table.weight


@pytest.mark.parametrize(("mine", "theirs", "there"), [(True, False, "pytorch"), (False, True, "dotnet")])
def test_parameters_that_are_one_tensor_on_one_side(mine: bool, theirs: bool, there: str) -> None:
    (found,) = settings(Tied(mine), Tied(theirs), ("pytorch", "dotnet"))
    assert (found.path, found.name) == ("head", "shared")
    assert found.message.startswith(
        f"head.weight and table.weight are one tensor (shared, tied) in {there} and two in "
    )
    assert not settings(Tied(mine), Tied(mine), ("pytorch", "dotnet"))
