"""Operators on numbers, tensors, strings, lists, tuples, sets and sizes, by Python's rules."""

from __future__ import annotations

import struct
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, int32, is_plain, refused, static
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import as_double, as_long, as_number, is_narrow, wide
from bridge.port.csharp.values.containers import array_of
from bridge.port.csharp.values.formats import lower_percent
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.integers import may_be_int
from bridge.port.ir.ranges import is_nonnegative, is_positive
from bridge.port.ir.types import BOOL, FLOAT, INT, STR, TENSOR

_OF_TENSORS: Final = {
    "@": "matmul", "**": "pow", "//": "floor_divide", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift",
}  # fmt: skip
#: Operators that TorchSharp lacks for a number on the left, each with TorchSharp's function of two tensors.
_REFLECTED: Final = {
    "**": "torch.pow", "//": "torch.floor_divide", "%": "torch.remainder", "<<": "torch.bitwise_left_shift",
    ">>": "torch.bitwise_right_shift",
}  # fmt: skip
_BITS: Final = ("&", "|", "^")
_OF_SETS: Final = {"|": "Union", "&": "Intersect", "-": "Except"}


def lower_unary(emission: Emission, node: ir.Unary) -> tree.Expression:
    """Return ``-x``, ``+x`` or ``~x``."""
    kind = node.operand.type
    if kind == TENSOR:
        value = emission.expression(node.operand)
        if node.operator == "~":
            return call(value, "bitwise_not")
        return tree.Unary("-", value) if node.operator == "-" else value
    if not types.is_number(kind) or (node.operator == "~" and kind == FLOAT):
        raise refused(node, f"'{node.operator}' of a {kind}")
    if node.operator == "-" and not is_positive(node.operand, emission.nonnegative):
        _check_zero(emission, node, node.operand)
    value = as_number(emission, node.operand)
    return value if node.operator == "+" else tree.Unary(node.operator, value)


def lower_binary(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``left operator right`` by the types of both operands."""
    left, right = node.left.type, node.right.type
    if TENSOR in (left, right):
        return _of_tensors(emission, node)
    if types.is_number(left) and types.is_number(right):
        return _of_numbers(emission, node)
    if STR in (left, right):
        return _of_strings(emission, node)
    if isinstance(left, types.SetOf) and left == right and node.operator in _OF_SETS:
        made = call(emission.expression(node.left), _OF_SETS[node.operator], emission.expression(node.right))
        return call(made, "ToHashSet")
    if node.operator == "+":
        return _joined(emission, node)
    if node.operator == "*":
        return _repeated(emission, node)
    raise _refused(node)


def _refused(node: ir.Binary) -> Exception:
    return refused(node, f"'{node.operator}' of a {node.left.type} and a {node.right.type}")


# -- Tensors ---------------------------------------------------------------------------------------------------------------


def _of_tensors(emission: Emission, node: ir.Binary) -> tree.Expression:
    sides = (node.left, node.right)
    if any(one.type != TENSOR and not types.is_number(one.type) for one in sides):
        raise _refused(node)
    for one in sides if node.of_ints and node.operator != "/" else ():
        if may_be_int(one, emission.integers):
            why = f"a tensor {node.operator} a float that may be an int in Python, which gives another dtype"
            raise refused(node, f"{why} than 'float(…)' of it")
    if node.left.type != TENSOR:
        if node.operator == "@":
            raise _refused(node)
        if node.operator in _REFLECTED:
            left = _as_tensor(emission, node.left)
            return static(_REFLECTED[node.operator], left, emission.expression(node.right))
    right = _scalar(emission, node.right)
    if node.operator in _OF_TENSORS:
        if node.operator == "@" and node.right.type != TENSOR:
            raise _refused(node)
        if node.operator in ("<<", ">>"):
            right = wide(emission, node.right)
        return call(emission.expression(node.left), _OF_TENSORS[node.operator], right)
    if node.operator in _BITS:
        left, right = (wide(emission, one) for one in sides)
        return tree.Binary(node.operator, left, right)
    return tree.Binary(node.operator, _scalar(emission, node.left), right)


def _scalar(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return an operand; a bool is cast to Scalar, since TorchSharp has no operators for bools."""
    made = emission.expression(node)
    return tree.Cast(tree.Type("Scalar"), made) if node.type == BOOL else made


def _as_tensor(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a number that C# converts to a tensor, and that does not change the dtype of the other operand."""
    if isinstance(node, ir.Literal) and node.type == FLOAT and not node.name and _is_single(node.value):
        return tree.Literal(node.value, "f")
    return wide(emission, node)


def _is_single(value: float) -> bool:
    """Return whether a float32 holds the value."""
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


# -- Numbers ---------------------------------------------------------------------------------------------------------------


def _of_numbers(emission: Emission, node: ir.Binary) -> tree.Expression:
    operator = node.operator
    if operator in _BITS and node.left.type == node.right.type == BOOL:
        return tree.Binary(operator, *emission.expressions((node.left, node.right)))
    if operator == "/":
        return _divided(emission, node)
    if operator in ("*", "//", "%") and not all(
        is_nonnegative(one, emission.nonnegative) for one in (node.left, node.right)
    ):
        _check_zero(emission, node, node.left, node.right)
    if operator in ("//", "%"):
        return _floored(emission, node)
    if operator == "**":
        return _power(emission, node)
    if operator == "@" or (FLOAT in (node.left.type, node.right.type) and operator not in ("+", "-", "*")):
        raise _refused(node)
    if operator in ("<<", ">>"):
        return _shifted(emission, node)
    left, right = as_number(emission, _implicit(node.left)), as_number(emission, _implicit(node.right))
    if FLOAT in (node.left.type, node.right.type):
        left, right = _as_floats(emission, node)
    elif operator == "*" and is_narrow(node.left) and is_narrow(node.right):
        left = as_long(left)
    if isinstance(left, tree.Literal) and isinstance(right, tree.Literal) and node.type == INT:
        raise refused(node, "a whole number of more than 64 bits")  # smaller numbers are folded
    return tree.Binary(operator, left, right)


def _check_zero(emission: Emission, node: ir.Expression, *operands: ir.Expression) -> None:
    """Raise Untranslatable if the result is a double that may be the int 0 in Python, where C# would have -0.0."""
    zeros = emission.zeros
    if node.type == FLOAT and all(one.type in (INT, BOOL) or may_be_int(one, zeros, zero=True) for one in operands):
        raise refused(
            node, f"'{getattr(node, 'operator', '')}' of a float that may be an int in Python, whose zero has no sign"
        )


def _implicit(node: ir.Expression) -> ir.Expression:
    """Return a number without its conversion from int to float, which is implicit in C#."""
    return node.value if isinstance(node, ir.Convert) and node.type == FLOAT and node.value.type == INT else node


def _as_floats(emission: Emission, node: ir.Binary) -> tuple[tree.Expression, tree.Expression]:
    """Return both operands, of which at least one is a double in C#."""
    left, right = _implicit(node.left), _implicit(node.right)
    if FLOAT not in (left.type, right.type):
        return as_double(emission, left), as_number(emission, right)
    return as_number(emission, left), as_number(emission, right)


def _divided(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``/``; if the divisor may be zero, a call of a helper that throws as Python does."""
    left, right = _implicit(node.left), _implicit(node.right)
    if not (is_positive(right, emission.nonnegative) or (isinstance(right, ir.Literal) and right.value)):
        return emission.helper("Divide", as_number(emission, left), as_number(emission, right))
    if FLOAT in (left.type, right.type):
        return tree.Binary("/", as_number(emission, left), as_number(emission, right))
    if isinstance(right, ir.Literal) and not right.name and not isinstance(left, ir.Literal):
        return tree.Binary("/", as_number(emission, left), as_double(emission, right))
    return tree.Binary("/", as_double(emission, left), as_number(emission, right))


def _floored(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``//`` or ``%``, by a helper unless both operands are nonnegative ints: Python rounds down, C# truncates."""
    known = emission.nonnegative
    left, right = as_number(emission, node.left), as_number(emission, node.right)
    whole = FLOAT not in (node.left.type, node.right.type)
    by_zero = isinstance(right, tree.Literal) and not right.value  # C# does not compile it
    if whole and not by_zero and is_nonnegative(node.left, known) and is_nonnegative(node.right, known):
        return tree.Binary("/" if node.operator == "//" else "%", left, right)
    return emission.helper("FloorDivide" if node.operator == "//" else "Modulo", left, right)


def _power(emission: Emission, node: ir.Binary) -> tree.Expression:
    if node.type != INT:
        return emission.helper("Pow", *_as_floats(emission, node))
    return emission.helper("Power", as_number(emission, node.left), as_number(emission, node.right))


def _shifted(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return a shift, by a helper unless it is ``>>`` by a literal below 64: C# takes the count modulo 64, and ``<<`` drops bits."""
    left, right = as_number(emission, node.left), as_number(emission, node.right)
    if (
        node.operator == ">>"
        and isinstance(node.right, ir.Literal)
        and not node.right.name
        and 0 <= node.right.value < 64
    ):
        return tree.Binary(">>", as_long(left) if is_narrow(node.left) or node.left.type == BOOL else left, right)
    return emission.helper("ShiftLeft" if node.operator == "<<" else "ShiftRight", left, right)


# -- Strings, lists, tuples ------------------------------------------------------------------------------------------------


def _of_strings(emission: Emission, node: ir.Binary) -> tree.Expression:
    if node.operator == "%" and node.left.type == STR:
        return lower_percent(emission, node)
    if node.operator == "+" and node.left.type == node.right.type:
        return tree.Binary("+", *emission.expressions((node.left, node.right)))
    if node.operator == "*" and {node.left.type, node.right.type} == {STR, INT}:
        text, count = (node.left, node.right) if node.left.type == STR else (node.right, node.left)
        if text is node.right and not (is_plain(text) or is_plain(count)):
            raise _refused(node)
        return static("string.Concat", _repeat(emission, emission.expression(text), count))
    raise _refused(node)


def _joined(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``a + b`` of lists, of sizes, or of tuples."""
    left, right = node.left, node.right
    if node.type == types.SIZES:
        ends = tuple(end for one in (left, right) for end in _ends(one))
        whole: tuple[ir.Expression | ir.Spread, ...] = ends
        return emission.expression(ir.TupleLiteral(whole, type=types.SIZES, origin=node.origin))
    if isinstance(left.type, types.ListOf) and left.type == right.type:
        made = call(emission.expression(left), "Concat", emission.expression(right))
        return call(made, "ToList")
    if isinstance(node.type, types.TupleOf) and is_plain(left) and is_plain(right):
        items = (*_items(left), *_items(right))
        return emission.expression(ir.TupleLiteral(items, type=node.type, origin=node.origin))
    if isinstance(left.type, types.IteratorOf):
        return call(emission.expression(left), "Concat", array_of(emission, right))
    raise _refused(node)


def _ends(node: ir.Expression) -> tuple[ir.Expression | ir.Spread, ...]:
    """Return the items of concatenated sizes: the items of each tuple literal, and ``*sizes`` for each other operand."""
    if isinstance(node, ir.TupleLiteral):
        return node.items
    if isinstance(node, ir.Binary) and node.operator == "+":
        return (*_ends(node.left), *_ends(node.right))
    return (ir.Spread(node, origin=node.origin),)


def _items(node: ir.Expression) -> tuple[ir.Expression | ir.Spread, ...]:
    if isinstance(node, ir.TupleLiteral):
        return node.items
    parts = node.type.items if isinstance(node.type, types.TupleOf) else ()
    return tuple(ir.TupleItem(node, place, type=one, origin=node.origin) for place, one in enumerate(parts))


def _repeated(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``[a] * n`` and ``(a,) * n``."""
    value, count = (node.left, node.right) if node.right.type == INT else (node.right, node.left)
    if count.type != INT or (value is node.right and not (is_plain(value) or is_plain(count))):
        raise _refused(node)
    parts: tuple[ir.Expression | ir.Spread, ...] = getattr(value, "items", ())
    if isinstance(node.type, types.TupleOf):
        if isinstance(count, ir.Literal) and is_plain(value):
            items = _items(value) * max(0, count.value)
            return emission.expression(ir.TupleLiteral(items, type=node.type, origin=node.origin))
        raise _refused(node)
    is_list = isinstance(node.type, types.ListOf)
    if not is_list and node.type != types.SIZES:
        raise _refused(node)
    end = "ToList" if is_list else "ToArray"
    if len(parts) == 1 and not isinstance(parts[0], ir.Spread):
        return call(_repeat(emission, wide(emission, parts[0]), count), end)
    many = _repeat(emission, emission.expression(value), count)
    return call(call(many, "SelectMany", tree.Lambda(("one",), tree.Name("one"))), end)


def _repeat(emission: Emission, value: tree.Expression, count: ir.Expression) -> tree.Expression:
    """Return a sequence with the value ``count`` times; it is empty for a negative count."""
    number = emission.expression(count)
    if not is_nonnegative(count, emission.nonnegative):
        number = static("Math.Max", tree.Literal(0), number)
    return static("Enumerable.Repeat", value, number if is_narrow(count) else int32(number))
