"""layers.py: layers, parameters and partials, by arguments that are no literals."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from tests.port.frontend.construction.making import made


def convolution(a: int, b: int, stride: int = 1, bias: bool = False) -> nn.Module:
    return nn.Conv2d(a, b, kernel_size=3, stride=stride, padding=1, bias=bias)


def halved(a: int) -> nn.Module:
    return nn.Sequential(nn.Linear(a, a // 2), nn.LayerNorm(a // 2, eps=1e-6))


def parameter(a: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(1, a, a), requires_grad=False)


def upsample(a: int) -> nn.Module:
    return nn.Upsample(scale_factor=a, mode="bilinear", align_corners=True)


def identity(a: int) -> nn.Module:
    return nn.Identity(a, unused=True)


def placed(a: int, device: Any = None, dtype: Any = None) -> nn.Module:
    return nn.Linear(a, a, device=device, dtype=dtype)


def of_partial(a: int) -> nn.Module:
    norm = partial(nn.LayerNorm, eps=1e-6)
    return norm(a)


def of_partial_of_partial(a: int) -> nn.Module:
    norm = partial(partial(nn.BatchNorm2d, eps=1e-3), momentum=0.01)
    return norm(a, eps=0.1)


def of_none(a: int, norm_layer: Any = None) -> nn.Module:
    if norm_layer is None:
        norm_layer = nn.BatchNorm2d
    return norm_layer(a)  # type: ignore[no-any-return]


def of_class(a: int, kind: Any) -> nn.Module:
    if kind is nn.ReLU or kind == nn.GELU:
        return kind()  # type: ignore[no-any-return]
    return kind(a)  # type: ignore[no-any-return]


def chosen(a: int, bias: bool) -> nn.Module:
    act = nn.ReLU() if bias else nn.Identity()
    return nn.Sequential(nn.Linear(a, a, bias=bias), act)


def read(a: int) -> nn.Module:
    first = nn.Conv2d(a, 2 * a, 3)
    return nn.Linear(first.out_channels * first.kernel_size[0], a)


@pytest.mark.parametrize(
    ("function", "given", "wanted"),
    [
        (convolution, (3, 4), "return Conv2d(a, b, 3, stride: stride, padding: 1, bias: bias);"),
        (
            halved,
            (4,),
            "return Sequential(\n"
            "    Linear(a, PythonMath.FloorDivide(a, 2)),\n    LayerNorm(PythonMath.FloorDivide(a, 2), eps: 1e-06));",
        ),
        (parameter, (2,), "return new Parameter(torch.zeros(1, a, a), false);"),
        (
            upsample,
            (2,),
            "return Upsample(scale_factor: new double[] { a, a }, mode: UpsampleMode.Bilinear, align_corners: true);",
        ),
        (identity, (2,), "return Identity();"),
        (placed, (2,), "return Linear(a, a);"),
        (of_partial, (2,), "return LayerNorm(a, eps: 1e-06);"),
        (of_partial_of_partial, (2,), "return BatchNorm2d(a, eps: 0.1, momentum: 0.01);"),
        (of_none, (2,), "return BatchNorm2d(a);"),
        (of_class, (2, nn.GELU), "return GELU();"),
        (of_class, (2, nn.BatchNorm1d), "return BatchNorm1d(a);"),
        (
            chosen,
            (2, True),
            "Module<Tensor, Tensor> act = bias ? (Module<Tensor, Tensor>)ReLU() : Identity();\n"
            "return Sequential(Linear(a, a, hasBias: bias), act);",
        ),
        (
            read,
            (2,),
            "var first = Conv2d(a, 2 * a, 3);\nreturn Linear(first.out_channels * first.kernel_size[0], a);",
        ),
    ],
)
def test_a_module_is_made_by_its_arguments(function: Any, given: tuple[Any, ...], wanted: str) -> None:
    assert made(function, *given) == wanted


def of_dtype(a: int) -> nn.Module:
    return nn.Linear(a, a, dtype=torch.float64)


def of_argument(a: int, scale: float) -> nn.Module:
    norm = partial(nn.LayerNorm, eps=scale)
    return norm(a)


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        (of_dtype, (2,), "the dtype of"),
        (of_argument, (2, 0.1), "not the same in every call"),
    ],
)
def test_what_is_not_certain_is_refused(function: Any, given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        made(function, *given)
