"""NumPy's functions: of single numbers, lowered as functions of ``math``, and of arrays that PyTorch is given, lowered as tensors."""

from __future__ import annotations

import ast
from typing import Any, Final

import numpy
import torch

from bridge.port.frontend.calls import builtins
from bridge.port.frontend.calls.callees import NOTHING, named
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import as_sizes
from bridge.port.ir.nodes import Argument, BuiltinCall, Expression, ListLiteral, Literal, TorchCall, TupleLiteral
from bridge.port.ir.types import BOOL, DTYPE, FLOAT, INT, TENSOR, Type, is_number, join

_SAME: Final = ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "arctan2")
_ROUNDED: Final = ("ceil", "floor")
_NAMES: Final = {"arctan2": "atan2"}
#: The dtype of a tensor that is made from an array, by what NumPy takes for the array's.
_DTYPES: Final[dict[Any, torch.dtype]] = {
    one: kind
    for kind in (torch.float64, torch.float32, torch.int64, torch.int32, torch.uint8, torch.bool)
    for one in (str(kind).removeprefix("torch."), getattr(numpy, str(kind).removeprefix("torch.").replace("bool", "bool_")))
} | {float: torch.float64, int: torch.int64, bool: torch.bool}  # fmt: skip
_OF_ELEMENTS: Final[dict[Type | None, torch.dtype]] = {FLOAT: torch.float64, INT: torch.int64, BOOL: torch.bool}
#: PyTorch's functions that make a tensor of an array, with the dtype that they give it; None for that of the array.
_TAKING: Final[dict[Any, torch.dtype | None]] = {
    torch.from_numpy: None,
    torch.tensor: None,
    torch.as_tensor: None,
    torch.FloatTensor: torch.float32,
    torch.LongTensor: torch.int64,
}


def is_known(callee: Any) -> bool:
    """Return whether ``lower`` handles a function of NumPy's."""
    return _is_numpys(callee) and getattr(callee, "__name__", "") in (*_SAME, *_ROUNDED, "prod")


def _is_numpys(callee: Any) -> bool:
    of_numpy = (type(callee).__module__, getattr(callee, "__module__", None) or "")
    return any(one.partition(".")[0] == "numpy" for one in of_numpy)


def lower(context: Context, node: ast.Call, callee: Any) -> Expression:
    """Lower ``np.sqrt(n)`` and ``np.prod(x.shape)``; the results of ``np.ceil`` and ``np.floor`` stay floats."""
    name = str(callee.__name__)
    if name == "prod":
        return builtins.lower(context, node, "math.prod")
    found = builtins.lower(context, node, f"math.{_NAMES.get(name, name)}")
    assert isinstance(found, BuiltinCall)
    if not all(is_number(one.type) for one in found.arguments):
        context.fail(node, f"'{ast.unparse(node)}' of other than numbers")
    return BuiltinCall("float", (found,), type=FLOAT, origin=found.origin) if found.type == INT else found


# -- Arrays ----------------------------------------------------------------------------------------------------------------


def lower_taken(context: Context, node: ast.Call, callee: Any) -> Expression | None:
    """Lower ``torch.from_numpy(np.array([1, 2]))`` and the like as a tensor; None for a call of another kind."""
    if len(node.args) != 1 or node.keywords or not _is_hashable(callee):
        return None
    if callee not in _TAKING and callee is not torch.Tensor:
        return None
    made = _array(context, node.args[0])
    kind = torch.get_default_dtype() if callee is torch.Tensor else _TAKING[callee]
    return made if made is None or kind is None else _cast(made, kind)


def _array(context: Context, node: ast.expr) -> Expression | None:
    """Return an array as a tensor of the same dtype and values; None for an expression that is not known to be an array."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astype" and len(node.args) == 1:
        made, kind = _array(context, node.func.value), _dtype(context, node.args[0])
        return None if made is None or kind is None or node.keywords else _cast(made, kind)
    callee = named(context, node.func)
    if callee is NOTHING or not node.args or not _is_numpys(callee):
        return None
    if callee in (numpy.float32, numpy.float64) and len(node.args) == 1:
        made = _array(context, node.args[0])
        return None if made is None else _cast(made, _DTYPES[callee])
    if callee not in (numpy.array, numpy.zeros, numpy.ones):
        return None
    stated = {one.arg: one.value for one in node.keywords}
    if len(node.args) > 1 or stated.keys() - {"dtype"}:
        return None
    kind = _dtype(context, stated["dtype"]) if stated else None
    if stated and kind is None:
        return None
    first = context.expression(node.args[0])
    if callee is numpy.array:
        numbers = _numbers(first)
        kind = kind or (_OF_ELEMENTS.get(join(numbers)) if numbers else None)
        return None if kind is None or not numbers else _made(torch.tensor, "data", first, kind)
    function = torch.zeros if callee is numpy.zeros else torch.ones
    return _made(function, "size", as_sizes(first), kind or torch.float64)


def _numbers(value: Expression) -> list[Type]:
    """Return the types of the numbers in nested lists; none if another value is among them."""
    if not isinstance(value, (ListLiteral, TupleLiteral)):
        return [value.type] if is_number(value.type) else []
    found = [_numbers(one) if isinstance(one, Expression) else [] for one in value.items]
    return [kind for one in found for kind in one] if all(found) else []


def _dtype(context: Context, node: ast.expr) -> torch.dtype | None:
    value = node.value if isinstance(node, ast.Constant) else named(context, node)
    return _DTYPES.get(value) if _is_hashable(value) else None


def _is_hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None


def _made(function: Any, name: str, value: Expression, kind: torch.dtype) -> Expression:
    dtype = Argument("dtype", Literal(kind, type=DTYPE, origin=value.origin), positional=False)
    return TorchCall(function, None, (Argument(name, value), dtype), (name, "dtype"), type=TENSOR, origin=value.origin)


def _cast(value: Expression, kind: torch.dtype) -> Expression:
    """Return a tensor of another dtype."""
    argument = Argument("dtype", Literal(kind, type=DTYPE, origin=value.origin))
    return TorchCall(torch.Tensor.to, value, (argument,), ("dtype",), type=TENSOR, origin=value.origin)
