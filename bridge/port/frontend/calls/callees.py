"""Objects that expressions name, found without a run: in the module, the closure and the built-ins of a function."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from functools import cache
from pathlib import Path
from typing import Any, Final

from torch import nn

from bridge.port.frontend.context import Context
from bridge.port.ir.types import ConstantOf

#: The result for an expression that names no object. None would be ambiguous: a name can stand for None.
NOTHING: Final = object()


def named(context: Context, node: ast.expr) -> Any:
    """Return the object that ``torch.cat`` or ``Net.helper`` names; NOTHING if it begins with a local variable, or with no name."""
    if isinstance(node, ast.Name):
        if isinstance(known := context.scope.type_of(node.id), ConstantOf):
            return known.value
        if node.id in (context.receiver, context.keywords_name) or context.scope.knows(node.id):
            return NOTHING
        found, value = context.resolve(node.id)
        return value if found else _of_graph(context, node)
    if not isinstance(node, ast.Attribute):
        return NOTHING
    owner = named(context, node.value)
    if owner is NOTHING or isinstance(owner, nn.Module) or not isinstance(owner, (types.ModuleType, type)):
        return NOTHING if owner is NOTHING else _attribute(owner, node.attr)
    return getattr(owner, node.attr, NOTHING)


def _of_graph(context: Context, node: ast.Name) -> Any:
    """Return the function that the graph of a run calls by a name that is not in the source; NOTHING for a name of the source."""
    seen = context.observation(node).values
    return seen[0] if len(seen) == 1 and callable(seen[0]) else NOTHING


def _attribute(owner: Any, name: str) -> Any:
    """Return a callable attribute of an object, such as a method of a logger; NOTHING for other attributes, and for those of a module."""
    found = getattr(owner, name, NOTHING)
    return found if callable(found) and not isinstance(owner, nn.Module) else NOTHING


def is_constant(context: Context, name: str) -> bool:
    """Return whether no function of the source file declares the global variable ``name`` in a ``global`` statement, to assign it."""
    return name not in _globals(context.method.file)


@cache
def _globals(file: str) -> frozenset[str]:
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    return frozenset(name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names)


def method_of(kind: type | None, name: str) -> Any:
    """Return a class's attribute (a function, staticmethod or property) without binding it; NOTHING if the class has none of that name."""
    return inspect.getattr_static(kind, name, NOTHING) if kind is not None else NOTHING


def is_function(value: Any) -> bool:
    """Return whether a value is a function of Python source outside PyTorch that has no closure."""
    return isinstance(value, types.FunctionType) and value.__closure__ is None and not is_torch(value)


def is_maker(value: Any) -> bool:
    """Return whether a value makes modules: a class of modules, or a partial."""
    return isinstance(value, functools.partial) or (isinstance(value, type) and issubclass(value, nn.Module))


def is_torch(callee: Any) -> bool:
    """Return whether an object belongs to PyTorch."""
    return (getattr(callee, "__module__", None) or "").partition(".")[0] == "torch"
