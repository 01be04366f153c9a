"""NumPy's functions of single numbers, which a model uses to compute sizes: lowered as functions of ``math``."""

from __future__ import annotations

import ast
from typing import Any, Final

from bridge.port.frontend.calls import builtins
from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import BuiltinCall, Expression
from bridge.port.ir.types import FLOAT, INT, is_number

_SAME: Final = ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "arctan2")
_ROUNDED: Final = ("ceil", "floor")
_NAMES: Final = {"arctan2": "atan2"}


def is_known(callee: Any) -> bool:
    """Return whether ``lower`` handles a function of NumPy's."""
    name, module = getattr(callee, "__name__", ""), type(callee).__module__
    of_numpy = (
        module.partition(".")[0] == "numpy" or (getattr(callee, "__module__", None) or "").partition(".")[0] == "numpy"
    )
    return of_numpy and name in (*_SAME, *_ROUNDED, "prod")


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
