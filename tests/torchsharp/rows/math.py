"""Cases of Operators/TensorMembers/TensorMath.cs: arithmetic, comparisons, functions of each element."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import ALL, FLOATS, Inputs, Row, kind, one, plain, spread, two, with_dims

INTEGERS = (torch.int64, torch.int32, torch.uint8)
UNARY = (
    *("rsqrt", "square", "log", "log2", "log10", "log1p", "exp2", "expm1", "erf", "sin", "cos", "tan"),
    *("floor", "ceil", "sign", "round", "sigmoid_"),
)
TRUTHS = ("isnan", "isinf", "isfinite", "logical_not")


def square(draw: Any) -> Inputs:
    size = draw.integer(1, 5)
    return [draw.tensor(size, size), draw.tensor(size, size)], []


def batches(draw: Any) -> Inputs:
    count, rows, inner, columns = (draw.integer(1, 4) for _ in range(4))
    return [draw.tensor(count, rows, inner), draw.tensor(count, inner, columns)], []


def vectors(draw: Any) -> Inputs:
    size = draw.integer(1, 6)
    return [draw.tensor(size), draw.tensor(size)], []


def three(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape) for _ in range(3)], []


def integer(low: int, high: int) -> Any:
    return lambda draw: ([draw.tensor(*draw.shape())], [draw.integer(low, high)])


def nonzero(draw: Any) -> Inputs:
    """Draw two tensors, the second without zeros: division of integers by 0 raises."""
    first, second = draw.pair()
    return [first, torch.where(second == 0, torch.ones_like(second), second)], []


def limits(draw: Any) -> Inputs:
    low = draw.integer(-3, 2)
    return [draw.tensor(*draw.shape())], [low, low + draw.integer(0, 4)]


def softmax(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.random.choice([-1, 6, 7])]


def near(draw: Any) -> Inputs:
    first = draw.tensor(*draw.shape())
    return [first, first + draw.integer(0, 1)], []


def _modes(mode: str | None) -> Any:
    return lambda a, b, n, r: torch.div(a, b, rounding_mode=mode)


ROWS: dict[str, Row] = {
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one) for name in UNARY},
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one, gradient=False) for name in TRUTHS},
    "Tensor aten::silu": Row("a.silu()", lambda a, n, r: torch.nn.functional.silu(a), one, FLOATS),
    "Tensor aten::celu": Row("a.celu(r[0])", lambda a, n, r: torch.celu(a, r[0]), one, FLOATS, reals=(0.7,)),
    "Tensor aten::celu #alone": Row("a.celu()", lambda a, n, r: torch.celu(a), one, FLOATS),
    "functional aten::celu": Row("functional.celu(a, r[0])", lambda a, n, r: torch.nn.functional.celu(a, r[0]), one, FLOATS, reals=(0.7,)),
    "Tensor aten::celu_": Row("a.celu_(r[0])", lambda a, n, r: torch.celu_(a, r[0]), one, FLOATS, reals=(0.7,)),
    "Tensor aten::celu_ #alone": Row("a.celu_()", lambda a, n, r: torch.celu_(a), one, FLOATS),
    "functional aten::celu_": Row("functional.celu(a, r[0], true)", lambda a, n, r: torch.nn.functional.celu(a, r[0], True), one, FLOATS, reals=(0.7,)),
    "Tensor aten::bitwise_not": Row("a.bitwise_not()", plain("bitwise_not"), one, (*INTEGERS, torch.bool), gradient=False),
    **{f"Tensor aten::{name}.Tensor": Row(f"a.{name}(b)", plain(name), two, (*INTEGERS, torch.bool), gradient=False) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    **{f"Tensor aten::{name}": Row(f"a.{name}(b)", plain(name), two, gradient=False) for name in ("logical_and", "logical_or")},
    **{f"Tensor aten::{name}.Tensor": Row(f"a.{name}(b)", plain(name), two, gradient=False) for name in ("ne", "ge", "le")},
    **{f"Tensor aten::{name}": Row(f"a.{name}(b)", plain(name), two) for name in ("maximum", "minimum", "atan2")},
    "Tensor aten::round.decimals": Row("a.round(n[0])", lambda a, n, r: a.round(decimals=n[0]), integer(1, 3), FLOATS),
    "Tensor aten::add_.Tensor": Row("a.add_(b)", plain("add_"), two),
    "Tensor aten::add_.Tensor #alpha": Row("a.add_(b, r[0])", lambda a, b, n, r: a.add_(b, alpha=r[0]), two, FLOATS, reals=(0.3,)),
    "Tensor aten::add_.Scalar": Row("a.add_(n[0])", spread("add_"), integer(-5, 5)),
    "Tensor aten::add_.Scalar #real": Row("a.add_(r[0])", lambda a, n, r: a.add_(r[0]), one, FLOATS, reals=(0.1,)),
    "Tensor aten::add_.Scalar #alpha": Row("a.add_(n[0], 3)", lambda a, n, r: a.add_(n[0], alpha=3), integer(-5, 5)),
    "Tensor aten::sub_.Tensor": Row("a.sub_(b)", plain("sub_"), two),
    "Tensor aten::sub_.Scalar": Row("a.sub_(n[0])", spread("sub_"), integer(-5, 5)),
    "Tensor aten::div_.Tensor": Row("a.div_(b)", plain("div_"), two),
    "Tensor aten::mul_.Tensor #number": Row("a.mul_(r[0])", lambda a, n, r: a.mul_(r[0]), one, FLOATS, reals=(0.3,)),
    "Tensor aten::div_.Tensor #number": Row("a.div_(3)", lambda a, n, r: a.div_(3), one),
    "Tensor aten::div.Tensor_mode": Row("a.div(b, RoundingMode.floor)", _modes("floor"), nonzero),
    "Tensor aten::div.Tensor_mode #trunc": Row("a.div(b, RoundingMode.trunc)", _modes("trunc"), nonzero),
    "Tensor aten::div.Tensor_mode #none": Row("a.div(b, RoundingMode.None)", _modes(None), nonzero),
    "Tensor aten::div.Tensor_mode #number": Row("a.div(3, RoundingMode.floor)", lambda a, n, r: a.div(3, rounding_mode="floor"), one),
    "Tensor aten::pow.Tensor_Tensor": Row("a.pow(b)", plain("pow"), two, (*FLOATS, torch.uint8)),
    "Tensor aten::pow.Tensor_Scalar": Row("a.pow(n[0])", spread("pow"), integer(0, 4)),
    "Tensor aten::pow.Tensor_Scalar #real": Row("a.pow(r[0])", lambda a, n, r: a.pow(r[0]), one, reals=(0.5,)),
    "Tensor aten::pow_.Scalar": Row("a.pow_(n[0])", spread("pow_"), integer(0, 3)),
    "Tensor aten::remainder.Tensor": Row("a.remainder(b)", plain("remainder"), nonzero),
    "Tensor aten::remainder.Scalar": Row("a.remainder(3)", lambda a, n, r: a.remainder(3), one),
    "Tensor aten::remainder.Scalar #real": Row("a % 0.7", lambda a, n, r: a % 0.7, one),
    "Tensor aten::clamp": Row("a.clamp(n[0], n[1])", spread("clamp"), limits),
    "Tensor aten::clamp #real": Row("a.clamp(-0.5, 0.25)", lambda a, n, r: a.clamp(-0.5, 0.25), one),
    "Tensor aten::clamp #mixed": Row("a.clamp(0, 0.25)", lambda a, n, r: a.clamp(0, 0.25), one),
    "Tensor aten::clamp #low": Row("a.clamp(min: 0)", lambda a, n, r: a.clamp(min=0), one),
    "Tensor aten::clamp #high": Row("a.clip(max: 0.5)", lambda a, n, r: a.clamp(max=0.5), one),
    "Tensor aten::clamp.Tensor": Row("a.clamp(b, c)", lambda a, b, c, n, r: torch.clamp(a, b, c), three),
    "Tensor aten::clamp_": Row("a.clamp_(n[0], n[1])", spread("clamp_"), limits),
    "Tensor aten::clamp_min": Row("a.clamp_min(0)", lambda a, n, r: a.clamp_min(0), one),
    "Tensor aten::clamp_max": Row("a.clamp_max(0.5)", lambda a, n, r: a.clamp_max(0.5), one, FLOATS),
    "Tensor aten::log_softmax.int": Row("a.log_softmax(n[0], Type(1))", lambda a, n, r: torch.log_softmax(a, n[0], dtype=kind(n[1])), softmax),
    "Tensor aten::nan_to_num": Row("a.nan_to_num(1.5, 2.5)", lambda a, n, r: a.nan_to_num(1.5, 2.5), one),
    "Tensor aten::lerp.Tensor": Row("a.lerp(b, c)", plain("lerp"), three, FLOATS),
    "Tensor aten::mm": Row("a.mm(b)", plain("mm"), square, (*FLOATS, torch.int64)),
    "Tensor aten::bmm": Row("a.bmm(b)", plain("bmm"), batches, (*FLOATS, torch.int64)),
    "Tensor aten::dot": Row("a.dot(b)", plain("dot"), vectors, (*FLOATS, torch.int64)),
    "Tensor aten::outer": Row("a.outer(b)", plain("outer"), vectors, ALL),
    "Tensor aten::allclose": Row("ones([a.allclose(b) ? 1 : 0, a.allclose(a, equal_nan: true) ? 1 : 0])", lambda a, b, n, r: torch.ones(int(a.allclose(b)), int(a.allclose(a, equal_nan=True))), near, FLOATS, gradient=False),
}  # fmt: skip
