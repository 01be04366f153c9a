"""Walks over a module's parts that set initial values: ``nn.init``, methods in place, and modules by their class."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from bridge.port.ir.errors import Untranslatable
from tests.port.frontend.construction.making import made


def of_one(a: int) -> None:
    layer = nn.Linear(a, a)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    nn.init.constant_(layer.bias, 0)
    nn.init.trunc_normal_(layer.weight, std=0.02)
    nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("tanh"))
    layer.weight.data.normal_(0, 0.01)
    layer.bias.data.zero_()


def of_all(a: int) -> None:
    net = nn.Sequential(nn.Conv2d(a, a, 3), nn.Linear(a, a))
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight)
            if m.bias is not None:
                nn.init.zeros_(m.bias)
        elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
            nn.init.ones_(m.weight)
        elif isinstance(m, nn.Linear) and m.bias is not None:
            m.bias.data.zero_()


def of_bases(a: int) -> None:
    net = nn.Sequential(nn.BatchNorm2d(a), nn.Linear(a, a))
    for m in net.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.weight.data.fill_(1)


def test_a_tensor_is_set() -> None:
    assert made(of_one, 2).splitlines() == [
        "var layer = Linear(a, a);",
        "init.kaiming_normal_(layer.weight, mode: init.FanInOut.FanOut, nonlinearity: init.NonlinearityType.ReLU);",
        "init.constant_(layer.bias!, 0);",
        "init.trunc_normal_(layer.weight, std: 0.02);",
        "init.xavier_uniform_(layer.weight, init.calculate_gain(init.NonlinearityType.Tanh));",
        "layer.weight.detach().normal_(std: 0.01);",
        "layer.bias!.detach().zero_();",
    ]


def test_modules_are_told_apart_by_their_classes() -> None:
    text = made(of_all, 2)
    assert "if (m is Conv2d conv)\n    {\n        init.kaiming_normal_(conv.weight);" in text
    assert "if (conv.bias is not null)" in text
    assert "else if (m is BatchNorm2d batchNorm)" in text, "other arguments may make modules that the runs did not"
    assert "else if (m is GroupNorm groupNorm)" in text
    assert "else if (m is Linear linear && linear.bias is not null)" in text


def test_a_class_that_torchsharp_lacks_stands_for_those_below_it() -> None:
    text = made(of_bases, 2)
    assert [f"m is BatchNorm{count}d" in text for count in (1, 2, 3)] == [True] * 3


def unknown(a: int) -> None:
    for m in nn.Sequential(nn.Linear(a, a)).modules():
        m.weight.data.zero_()  # type: ignore[union-attr]


@pytest.mark.parametrize("function", [unknown])
def test_an_attribute_of_a_module_of_any_class_is_refused(function: Any) -> None:
    with pytest.raises((Untranslatable, AttributeError)):
        made(function, 2)
