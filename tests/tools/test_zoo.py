"""tools/zoo.py: a table of ported models, here small ones, made by the whole command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
import zoo
from torch import nn
from zoo_models import samples, timm, torchvision


class Same(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * 2


class Left(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.numpy())


MODELS: dict[str, Callable[[], nn.Module]] = {"Same": Same, "Left": Left, "Refused": lambda: nn.Linear(4, 4)}


def source(name: str) -> tuple[Callable[[], nn.Module], tuple[Any, ...]]:
    return MODELS[name], (torch.rand(2, 4),)


def test_a_row_has_verdict_difference_shapes_places_methods_and_lines() -> None:
    result = zoo.Result("net", "Same", 3, 0.0, 0, 4, 4, 30, 20)
    assert result.row == "| net | Same | 0 |  | 3 | 0 | 4 of 4 | 1.50 |"
    assert zoo.Result("net", "refused").row == "| net | refused |  |  | 0 | 0 |  |  |"
    assert zoo.HEAD.count("|") // 2 == result.row.count("|")


def test_what_is_left_or_refused_is_said_without_building_anything() -> None:
    left, refused = zoo.ported(["Left", "Refused"], source, {}, False, [])
    assert (left.verdict, left.left, left.methods, left.source) == ("left", 1, 1, 0)
    assert "numpy" in left.why
    assert refused.verdict == "refused"
    assert "PyTorch's own class" in refused.why


def test_the_models_of_torchvision_are_as_many_as_the_issue_counts() -> None:
    assert len(torchvision.FAMILIES) >= 20
    assert {name.split("_")[0] for name in torchvision.SEGMENTATION} == {"deeplabv3", "fcn", "lraspp"}
    assert len(timm.SETS["timm"]()) == 25
    assert {name.partition("_")[0] for name in samples.SETS["samples"]()} == {"samples", "facenet"}
    assert not set(timm.SETS["timm"]()) & {*torchvision.FAMILIES, *torchvision.SEGMENTATION}


@pytest.mark.dotnet
@pytest.mark.slow
def test_a_model_is_written_built_and_compared_once() -> None:
    wrong: list[str] = []
    (same,) = zoo.ported(["Same"], source, {}, False, wrong)
    assert wrong == []
    assert (same.verdict, same.difference, same.left, same.source) == ("Same", 0.0, 0, 1), same.why
    assert same.shapes >= 2
    assert list(zoo.ported(["Same"], source, {"Same": same}, False, [])) == [same]
    changed = replace(same, digest="of other C#")
    (again,) = zoo.ported(["Same"], source, {"Same": changed}, False, [])
    assert again == same
