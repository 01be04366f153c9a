"""Cases of Operators/TensorMembers/TensorPointwise.cs: functions of each element, comparisons and arithmetic in place."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import FLOATS, Inputs, Row, joined, one, plain, spread, two
from operator_rows.math import INTEGERS, integer, nonzero, three

UNARY = (
    *("asin", "asin_", "acos", "acos_", "atan", "atan_", "sinc", "sinc_", "sinh", "sinh_", "cosh", "cosh_"),
    *(
        "asinh",
        "asinh_",
        "acosh",
        "acosh_",
        "atanh",
        "atanh_",
        "deg2rad",
        "deg2rad_",
        "rad2deg",
        "rad2deg_",
        "digamma",
        "digamma_",
    ),
    *("lgamma", "lgamma_", "i0", "i0_", "erfc", "erfc_", "erfinv", "erfinv_", "cos_", "sin_", "tan_", "tanh_"),
    *("erf_", "exp_", "exp2_", "expm1_", "log_", "log10_", "log1p_", "log2_", "rsqrt_", "sqrt_", "reciprocal_", "neg_"),
    *("abs_", "floor_", "ceil_", "sign_", "frac", "frac_", "trunc", "trunc_", "sgn", "sgn_", "positive", "angle"),
    *("conj", "conj_physical", "conj_physical_"),
)
TRUTHS = (*("signbit", "isposinf", "isneginf", "isreal", "logical_not_"),)
#: PyTorch has no derivative of these in place.
UNDERIVED = ("asinh_", "acosh_", "atanh_")
#: Overloads by the method that runs them.
BINARY = (
    *(
        "atan2_",
        "copysign.Tensor",
        "copysign_.Tensor",
        "hypot",
        "logaddexp",
        "logaddexp2",
        "fmod.Tensor",
        "fmod_.Tensor",
        "remainder_.Tensor",
        "fmax",
        "fmin",
        "ldexp.Tensor",
    ),
    *("ldexp_", "xlogy.Tensor", "xlogy_.Tensor"),
)
COMPARISONS = (
    *(
        "heaviside",
        "heaviside_",
        "nextafter",
        "nextafter_",
        "igamma",
        "igammac",
        "logical_and_",
        "logical_or_",
        "logical_xor",
        "logical_xor_",
        "eq_.Tensor",
        "ne_.Tensor",
    ),
    *("ge_.Tensor", "gt_.Tensor", "le_.Tensor", "lt_.Tensor"),
)
OF_INTEGERS = (
    *(
        "lcm",
        "lcm_",
        "gcd",
        "gcd_",
        "bitwise_and_.Tensor",
        "bitwise_or_.Tensor",
        "bitwise_xor_.Tensor",
        "bitwise_left_shift.Tensor",
        "bitwise_left_shift_.Tensor",
        "bitwise_right_shift.Tensor",
        "bitwise_right_shift_.Tensor",
    ),
)
#: Other names of a row, by name.
ALIASES = {
    **{f"arc{name}{suffix}": f"a{name}{suffix}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh") for suffix in ("", "_")},
    **{"absolute": "abs", "absolute_": "abs_", "fix": "trunc", "fix_": "trunc_", "negative": "neg"},
}  # fmt: skip
PAIRS = {
    **{"greater_equal": "ge.Tensor", "greater": "gt.Tensor", "less_equal": "le.Tensor", "less": "lt.Tensor", "not_equal": "ne.Tensor"},
    **{"less_equal_": "le_.Tensor", "not_equal_": "ne_.Tensor", "multiply": "mul.Tensor", "true_divide": "div.Tensor", "arctan2": "atan2"},
}  # fmt: skip


def shifts(draw: Any) -> Inputs:
    """Draw a tensor and shifts smaller than the number of bits of its dtype."""
    first = draw.tensor(*draw.shape())
    return [first, torch.randint(0, 4, first.shape, generator=draw.generator).to(first.dtype)], []


def sorted_limits(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape()), draw.tensor(draw.integer(1, 5)).nan_to_num(0.0, 1.0, -1.0).sort().values], []


def _method(overload: str) -> str:
    return overload.partition(".")[0]


def _pair(overload: str) -> Any:
    return nonzero if _method(overload) in ("fmod", "fmod_", "remainder_") else shifts if "shift" in overload else two


ROWS: dict[str, Row] = {
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one, gradient=name not in UNDERIVED) for name in UNARY},
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one, gradient=False) for name in TRUTHS},
    "Tensor aten::bitwise_not_": Row("a.bitwise_not_()", plain("bitwise_not_"), one, (*INTEGERS, torch.bool), gradient=False),
    **{f"Tensor aten::{name}": Row(f"a.{_method(name)}(b)", plain(_method(name)), _pair(name)) for name in BINARY},
    **{f"Tensor aten::{name}": Row(f"a.{_method(name)}(b)", plain(_method(name)), two, gradient=False) for name in COMPARISONS},
    **{f"Tensor aten::{name}": Row(f"a.{_method(name)}(b)", plain(_method(name)), _pair(name), INTEGERS, gradient=False) for name in OF_INTEGERS},
    **{f"Tensor aten::{name}_.Scalar": Row(f"a.{name}_(n[0])", spread(f"{name}_"), integer(-2, 2), gradient=False) for name in ("eq", "ne", "ge", "gt", "le", "lt")},
    **{f"Tensor aten::{name}.Scalar": Row(f"a.{name}(n[0])", spread(name), integer(1, 5)) for name in ("fmod", "fmod_", "remainder_")},
    "Tensor aten::xlogy.Scalar_Other": Row("a.xlogy(n[0])", spread("xlogy"), integer(1, 5)),
    "Tensor aten::xlogy_.Scalar_Other": Row("a.xlogy_(n[0])", spread("xlogy_"), integer(1, 5), FLOATS),
    "Tensor aten::float_power.Tensor_Tensor": Row("a.float_power(b)", plain("float_power"), two),
    "Tensor aten::pow_.Tensor": Row("a.pow_(b)", plain("pow_"), two, FLOATS),
    "Tensor aten::div_.Tensor_mode": Row("a.div_(b, RoundingMode.floor)", lambda a, b, n, r: a.div_(b, rounding_mode="floor"), nonzero),
    "Tensor aten::div_.Tensor_mode #number": Row("a.div_(3, RoundingMode.trunc)", lambda a, n, r: a.div_(3, rounding_mode="trunc"), one),
    "Tensor aten::div_.Tensor_mode #none": Row("a.divide_(b)", plain("div_"), nonzero, FLOATS),
    "Tensor aten::div.Tensor_mode #divide": Row("a.divide(b)", plain("div"), nonzero, FLOATS),
    "Tensor aten::floor_divide": Row("a.floor_divide(b)", plain("floor_divide"), nonzero, gradient=False),
    "Tensor aten::floor_divide #number": Row("a.floor_divide(3)", lambda a, n, r: a.floor_divide(3), one, gradient=False),
    "Tensor aten::floor_divide_.Tensor": Row("a.floor_divide_(b)", plain("floor_divide_"), nonzero, gradient=False),
    "Tensor aten::round_.decimals": Row("a.round_(n[0])", lambda a, n, r: a.round_(decimals=n[0]), integer(0, 2), FLOATS),
    **{f"Tensor aten::{name}": Row(f"a.{name}(0.1)", lambda a, n, r, name=name: getattr(a, name)(0.1), one, FLOATS) for name in ("logit", "logit_")},
    **{f"Tensor aten::{name}": Row(f"a.{name}(n[0])", spread(name), integer(1, 3), FLOATS) for name in ("mvlgamma", "mvlgamma_", "polygamma_")},
    "Tensor aten::polygamma": Row("a.polygamma(n[0])", lambda a, n, r: torch.polygamma(n[0], a), integer(1, 3), FLOATS),
    "Tensor aten::nan_to_num_": Row("a.nan_to_num_(1.5, 2.5)", lambda a, n, r: a.nan_to_num_(1.5, 2.5), one),
    "Tensor aten::isclose": Row("a.isclose(b, nanEqual: true)", lambda a, b, n, r: a.isclose(b, equal_nan=True), two, gradient=False),
    "Tensor aten::isin.Tensor_Tensor": Row("a.isin(b, invert: true)", lambda a, b, n, r: torch.isin(a, b, invert=True), two, (torch.float32, torch.float64, *INTEGERS), gradient=False),
    "Tensor aten::lerp_.Tensor": Row("a.lerp_(b, c)", plain("lerp_"), three, FLOATS),
    "Tensor aten::lerp_.Scalar": Row("a.Lerp_(b, r[0])", lambda a, b, c, n, r: a.lerp_(b, r[0]), three, FLOATS, (0.3,)),
    "Tensor aten::clamp_.Tensor": Row("a.clamp_(b, c)", lambda a, b, c, n, r: torch.clamp_(a, b, c), three),
    "Tensor aten::clamp_max_": Row("a.clamp_max_(n[0])", spread("clamp_max_"), integer(-2, 2)),
    "Tensor aten::clamp_min_": Row("a.clamp_min_(n[0])", spread("clamp_min_"), integer(-2, 2)),
    "Tensor aten::frexp.Tensor": Row("Joined(a.frexp())", lambda a, n, r: joined(torch.frexp(a)), one, FLOATS),
    "Tensor aten::bucketize.Tensor": Row("a.bucketize(b, true)", lambda a, b, n, r: torch.bucketize(a, b, out_int32=True), sorted_limits, FLOATS, gradient=False),
    **{f"Tensor aten::{overload} #{name}": Row(f"a.{name}()", plain(name), one, FLOATS, gradient=overload not in UNDERIVED) for name, overload in ALIASES.items()},
    **{f"Tensor aten::{overload} #{name}": Row(f"a.{name}(b)", plain(name), two, gradient=name in ("multiply", "subtract", "true_divide", "arctan2")) for name, overload in PAIRS.items()},
}  # fmt: skip
