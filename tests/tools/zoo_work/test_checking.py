"""checking.py: the tests' checker on models of the zoo."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from tests.port.checking.closures import Closed
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
    checking.check_port(result, Net(), lambda _: Net(), Path("Net.dll"), Root("Net"), {"x": torch.rand(2, 3)}, 60)
    assert (result.verdict, result.inputs) == (verdict, 60)
    assert ("the result" in result.said) == (verdict == "differs")


class Normed(nn.Module):
    """Holds a weight that is computed from a parameter, as ``weight_norm`` does, and that cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.weight = self.scale * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


@pytest.mark.parametrize("kind", [Closed, Normed])
def test_a_model_without_true_copies_is_constructed_anew(
    kind: type[nn.Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checking.has_copies(Net())
    assert not checking.has_copies(kind())
    monkeypatch.setattr("bridge.load", lambda path, name: kind())
    monkeypatch.setattr(checking, "names_of", lambda port: ["x"])
    result = Result("model", "Same")
    checking.check_port(result, kind(), lambda _: kind(), Path("Model.dll"), Root("Model"), {"x": torch.rand(9)}, 20)
    assert (result.verdict, result.accepted) == ("Same", 20)


class Refusing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise ValueError("no input is good enough")


def test_a_model_that_accepts_no_input_is_not_called_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.load", lambda path, name: Refusing())
    monkeypatch.setattr(checking, "names_of", lambda port: ["x"])
    result = Result("refusing", "Same")
    checking.check_port(
        result, Refusing(), lambda _: Refusing(), Path("R.dll"), Root("Refusing"), {"x": torch.rand(9)}, 20
    )
    assert result.verdict == "raised"
    assert "0 inputs" in result.said
