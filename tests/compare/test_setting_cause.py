"""bridge/compare/setting_cause.py: a setting is a cause where PyTorch's value removes the difference."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.compare.result import Comparison

Compared = Callable[..., tuple[Comparison, nn.Module]]


class Net(nn.Module):
    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.embedding = nn.Linear(3, 3, bias=False)
        self.norm = nn.BatchNorm1d(3, eps=1e-2 if "eps" in how else 1e-5, momentum=0.3 if "momentum" in how else 0.1)
        self.head = nn.Linear(3, 3, bias=False)
        if "two" not in how:
            self.head.weight = self.embedding.weight
        if "frozen" in how:
            self.norm.weight.requires_grad_(False)
        if "weight" in how:
            nn.init.constant_(self.norm.weight, 2.0)

        self.how = how

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if "twice" in self.how:
            self.norm(self.embedding(x))
        if "odd" in self.how and self.norm.eps == 1e-5:
            x = x + self.embedding(x)
        result: torch.Tensor = self.head(self.norm(self.embedding(x)))
        return result


@pytest.fixture
def compared(compare_models: Callable[..., Comparison]) -> Compared:
    """Return a function that compares two nets, and returns the second one, too."""

    def compare(how: str, other: str = "", **options: bool) -> tuple[Comparison, Net]:
        models = []
        for behavior in (other, how):
            torch.manual_seed(0)
            models.append(Net(behavior))
        with torch.no_grad():
            for model in models:
                model.head.weight.copy_(model.embedding.weight)
        x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
        return compare_models(*models, x, **options), models[1]

    return compare


@pytest.mark.parametrize(
    ("how", "other", "backward", "names"),
    [
        ("eps", "", False, ["eps"]),
        ("momentum", "", False, ["momentum"]),
        ("eps momentum", "", False, ["eps", "momentum"]),
        ("frozen", "", True, ["weight"]),
        ("eps momentum frozen", "", False, ["eps", "momentum"]),
        ("two", "", True, ["shared"]),
        ("", "two", True, ["shared"]),
    ],
)
def test_a_setting_that_removes_the_difference_is_the_cause(
    compared: Compared, how: str, other: str, backward: bool, names: list[str]
) -> None:
    """As few as it takes: what is set otherwise beside them, and does not show, is none."""
    found, _ = compared(how, other, train=True, backward=backward)
    assert [setting.name for setting in found.modules.causes] == names
    assert [finding.kind for finding in found.findings][: len(names)] == ["setting"] * len(names)


def test_the_mode_of_an_upsampling_is_a_setting_like_any_other(compare_models: Callable[..., Comparison]) -> None:
    """It is not the train mode, which is called ``training``."""
    models = [nn.Sequential(nn.Upsample(scale_factor=2, mode=mode)) for mode in ("nearest", "bilinear")]
    found = compare_models(*models, torch.arange(4.0).reshape(1, 1, 2, 2))
    assert [setting.name for setting in found.modules.causes] == ["mode"]


@pytest.mark.parametrize("how", ["momentum weight", "eps weight", "frozen weight"])
def test_a_setting_that_does_not_is_latent(compared: Compared, how: str) -> None:
    """The weights are others: with PyTorch's settings the difference stays."""
    found, _ = compared(how)
    assert found.first_path == "norm"
    assert found.modules.causes == ()
    said = [finding for finding in found.findings if "et differently" in finding.message]
    assert [finding.kind for finding in said] == ["latent"]
    assert said[0].message.startswith("Also set differently: norm")


def test_a_setting_that_adds_a_difference_elsewhere_is_latent(compared: Compared) -> None:
    """With PyTorch's ``eps`` the model calls another module once more."""
    found, _ = compared("eps odd")
    assert found.first_path == "norm"
    assert found.modules.causes == ()


def test_a_second_update_by_the_same_batch_is_no_other_momentum(compared: Compared) -> None:
    """The running statistics move 1.9 times as far, as they would with that; the momentum is known to be the same."""
    found, _ = compared("twice", train=True)
    buffers = [f"{text}" for text in found.tensors.buffers]
    assert any("running_mean differs" in text for text in buffers)
    assert not any("momentum" in text for text in buffers)


@pytest.mark.parametrize("how", ["eps", "frozen", "two"])
def test_the_model_is_left_with_its_own_settings(compared: Compared, how: str) -> None:
    found, model = compared(how, train=True, backward=True)
    assert found.modules.causes
    assert (model.norm.eps == 1e-2) == (how == "eps")
    assert model.norm.weight.requires_grad == (how != "frozen")
    assert (model.head.weight is not model.embedding.weight) == (how == "two")
