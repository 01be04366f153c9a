"""Members of TorchSharp 0.107 that throw or return other results than PyTorch's: their calls are rewritten or refused.

``tests/port/checking/test_on_torchsharp.py`` compares the calls that port writes with PyTorch's. The list comes from its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.calls.fitting import is_sequence
from bridge.port.csharp.calls.member_table import Member
from bridge.port.ir import nodes as ir

#: The arguments that a call gives, by the names of the member's parameters.
Given = Mapping[str, ir.Expression]
_Fault = Callable[[Member, Given], bool]


def _always(member: Member, given: Given) -> bool:
    return True


def _with(name: str) -> _Fault:
    """Return the test of a member that is wrong if the argument ``name`` is given."""
    return lambda member, given: name in given


def _of_all(member: Member, given: Given) -> bool:
    """Return whether the member is the overload that reduces all elements, without a dimension."""
    return not any(one.name.startswith("dim") for one in member.parameters)


def _biased(member: Member, given: Given) -> bool:
    """Return whether ``unbiased`` is given to the overload for all elements, which ignores it: its variance is always unbiased."""
    return _of_all(member, given) and "unbiased" in given


def _counted(member: Member, given: Given) -> bool:
    """Return whether the member is the overload that takes a number of dimensions, not lists of dimensions."""
    return any(one.name == "dims" and not isinstance(one.type, tree.ArrayType) for one in member.parameters)


def _uneven(member: Member, given: Given) -> bool:
    """Return whether ``output_padding`` differs between dimensions: TorchSharp uses the first number for all."""
    items = is_sequence(given["output_padding"]) if "output_padding" in given else None
    return items is not None and len(set(map(_number, items))) > 1


def _number(value: ir.Expression | ir.Spread) -> object:
    """Return the value of a literal, and any other expression as it is."""
    return value.value if isinstance(value, ir.Literal) else value


def _same(member: Member, given: Given) -> bool:
    """Return whether a convolution pads to the same size with values that are not zeros: TorchSharp adds them to the wrong dimensions."""
    padding = given.get("padding")
    return "padding_mode" in given and isinstance(padding, ir.Literal) and padding.value == "same"


def _from_the_end(member: Member, given: Given) -> bool:
    """Return whether ``dim`` is negative, or may be, since it is no literal."""
    dim = given["dim"]
    return not isinstance(dim, ir.Literal) or dim.value < 0


_FAULTS: Final[Mapping[tuple[str, str], _Fault]] = {
    **dict.fromkeys((("torch", "baddbmm"), ("Tensor", "baddbmm")), _always),  # takes the summand as the last argument
    **dict.fromkeys((("torch", name) for name in ("div", "div_", "divide", "divide_")), _with("rounding_mode")),  # ignores it
    ("torch", "erfinv"): _always,  # computes erf
    ("special", "erfcx"): _always,  # computes erfc
    ("linalg", "inv_ex"): _always,  # computes cholesky_ex
    **dict.fromkeys((("torch", "var"), ("Tensor", "var")), _biased),
    **dict.fromkeys((("torch", "var_mean"), ("Tensor", "var_mean")), _of_all),  # computes std_mean
    **dict.fromkeys((("functional", "hardtanh"), ("Tensor", "hardtanh"), ("nn", "Hardtanh")), _always),  # returns its input
    **dict.fromkeys((("functional", "gaussian_nll_loss"), ("nn", "GaussianNLLLoss")), _always),  # sums rows first
    ("nn", "RReLU"): _always,  # is never in training mode
    **dict.fromkeys((("nn", f"ConvTranspose{count}d") for count in (2, 3)), _uneven),
    **dict.fromkeys((("nn", f"Conv{count}d") for count in (1, 2, 3)), _same),
    # These throw.
    **dict.fromkeys((("functional", "adaptive_max_pool3d"), ("nn", "AdaptiveMaxPool3d")), _always),
    **dict.fromkeys((("torch", "nanmean"), ("Tensor", "nanmean")), _always),
    **dict.fromkeys((("torch", "diff"), ("Tensor", "diff")), _with("n")),
    **dict.fromkeys((("torch", "tensordot"), ("Tensor", "tensordot")), _counted),
    ("nn", "Unflatten"): _from_the_end,
}  # fmt: skip


def is_faulty(member: Member, given: Given) -> bool:
    """Return whether a member is wrong (throws, or differs from PyTorch) with these arguments."""
    fault = _FAULTS.get((member.holder, member.name))
    return fault is not None and fault(member, given)


def has_fault(holder: str, name: str) -> bool:
    """Return whether a member is wrong with some arguments."""
    return (holder, name) in _FAULTS
