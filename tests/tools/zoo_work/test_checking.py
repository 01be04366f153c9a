"""checking.py: the tests' checker on models of the zoo."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from zoo_work import checking
from zoo_work.results import Result, Root


class Net(nn.Module):
    def forward(self, x: torch.Tensor, scale: float = 2.0, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x * scale if mask is None else x * mask


class Halved(nn.Module):
    """The scale is what it is by default."""

    def forward(self, x: torch.Tensor, scale: float = 2.0, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x * 2.0 if mask is None else x * mask


def test_parameters_that_c_sharp_has_get_their_defaults() -> None:
    x = torch.ones(1)
    assert checking.fill_defaults(Net(), {"x": x}, ["x", "scale", "mask"]) == {"x": x, "scale": 2.0, "mask": None}
    assert checking.fill_defaults(Net(), {"x": x}, ["x", "renamed", "mask"]) == {"x": x}


@pytest.mark.parametrize(("port", "verdict"), [(Net, "Same"), (Halved, "differs")])
def test_a_difference_becomes_the_verdict(port: type[nn.Module], verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.load", lambda path, name: port())
    monkeypatch.setattr(checking, "names_of", lambda port: ["x", "scale", "mask"])
    result = Result("net", "Same")
    checking.check_port(result, Net(), Path("Net.dll"), Root("Net"), {"x": torch.rand(2, 3)}, 60)
    assert (result.verdict, result.inputs) == (verdict, 60)
    assert ("the result" in result.said) == (verdict == "differs")
