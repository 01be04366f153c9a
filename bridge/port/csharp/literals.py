"""Literals, and the choice between ``int`` and ``long`` for integers in C#."""

from __future__ import annotations

import math
from typing import Final

import torch

from bridge.port.csharp import tree
from bridge.port.csharp.building import path, refused, static
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import LONG, SIZES
from bridge.port.ir import nodes as ir
from bridge.port.ir.ranges import is_nonnegative
from bridge.port.ir.types import BOOL, FLOAT, INT, STR, TENSOR

_DTYPES: Final = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int64: "int64", torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "bool", torch.complex64: "complex64", torch.complex128: "complex128",
}  # fmt: skip
#: Numbers for which C# has a constant of exactly the same value.
_CONSTANTS: Final = {math.pi: "Math.PI", math.e: "Math.E", math.tau: "Math.Tau"}


def lower_literal(emission: Emission, node: ir.Literal) -> tree.Expression:
    """Return a literal in C#, or its name if it is a constant of the class."""
    value = node.value
    if node.of_settings:
        return emission.setting(node) or (tree.Literal(value, "L") if type(value) is int else tree.Literal(value))
    if node.name:
        return tree.Name(node.name)
    if value is None or isinstance(value, (bool, str)):
        return tree.Literal(value)
    if isinstance(value, int) and node.type != FLOAT:
        return _whole(node, value)
    if isinstance(value, (int, float)):
        return number(float(value))
    if isinstance(value, torch.dtype) and value in _DTYPES:
        return path(f"torch.{_DTYPES[value]}")
    if isinstance(value, torch.device):
        return static("torch.device", tree.Literal(str(value)))
    if value is ...:
        return path("TensorIndex.Ellipsis")
    if isinstance(value, (tuple, torch.Size)) and all(type(one) is int for one in value):
        return tree.New(SIZES, (), tuple(_whole(node, one) for one in value))
    raise refused(node, f"the value {value!r}")


def number(value: float) -> tree.Expression:
    """Return a float in C#."""
    if value in _CONSTANTS:
        return path(_CONSTANTS[value])
    if math.isnan(value):
        return path("double.NaN")
    if math.isinf(value):
        return path("double.PositiveInfinity" if value > 0 else "double.NegativeInfinity")
    return tree.Literal(value)


def _whole(node: ir.Node, value: int) -> tree.Expression:
    if not -(2**63) <= value < 2**63:
        raise refused(node, f"{value}, which has more than 64 bits")
    return tree.Literal(value) if _is_int32(value) else tree.Literal(value, "L")


def _is_int32(value: int) -> bool:
    """Return whether a literal is an ``int`` in C#, so small that its negation and its sum with another are ints, too."""
    return abs(value) < 2**30


def is_narrow(node: ir.Expression) -> bool:
    """Return whether an integer expression is ``int`` in C#: a small literal, a count, or a result of operations on these alone."""
    if node.type != INT:
        return False
    if isinstance(node, ir.Literal):
        return not node.name and _is_int32(int(node.value))
    if isinstance(node, ir.BuiltinCall):
        if node.name == "len":
            return node.arguments[0].type not in (TENSOR, STR)  # their lengths are long
        return node.name in ("abs", "min", "max") and all(map(is_narrow, node.arguments))
    if isinstance(node, ir.Unary):
        return node.operand.type == BOOL or is_narrow(node.operand)
    if isinstance(node, ir.Binary):
        if node.operator in ("//", "%") and not _is_plain_division(node):
            return False  # the result of a helper, which is long
        narrow = all(one.type == BOOL or is_narrow(one) for one in (node.left, node.right))
        return node.operator in ("+", "-", "//", "%", "&", "|", "^") and narrow
    if isinstance(node, ir.Conditional):
        return False  # its branches are converted to long
    return False


def _is_plain_division(node: ir.Binary) -> bool:
    """Return whether ``//`` or ``%`` is the same in C#: no operand can be negative, and the divisor is not the literal zero."""
    by_zero = isinstance(node.right, ir.Literal) and not node.right.value
    return not by_zero and is_nonnegative(node.left) and is_nonnegative(node.right)


def wide(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return an expression in C#; an integer for which C# would infer ``int`` is converted to ``long``."""
    made = emission.expression(node)
    return as_long(made) if is_narrow(node) else made


def as_long(made: tree.Expression) -> tree.Expression:
    """Return an ``int`` expression as ``long``, by a suffix or a cast."""
    return tree.Literal(made.value, "L") if isinstance(made, tree.Literal) else tree.Cast(LONG, made)


def as_double(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a number as double, by a literal or a cast."""
    if node.type == FLOAT:
        return emission.expression(node)
    if node.type == BOOL:
        return tree.Conditional(emission.expression(node), tree.Literal(1.0), tree.Literal(0.0))
    if isinstance(node, ir.Literal) and not node.name and abs(node.value) <= 2**53:
        return tree.Literal(float(node.value))
    return tree.Cast(tree.Type("double"), emission.expression(node))


def as_number(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a number in C#; a bool is converted to 1 or 0."""
    made = emission.expression(node)
    return tree.Conditional(made, tree.Literal(1), tree.Literal(0)) if node.type == BOOL else made
