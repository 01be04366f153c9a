"""Settings objects: objects of Python's that hold numbers and words (``self.config``), which no method changes and C# has not."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls.callees import NOTHING
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import literal
from bridge.port.ir.nodes import Expression, Literal, Origin
from bridge.port.ir.types import ConstantOf
from bridge.port.observe.observations import Method

_OTHERS: Final = (nn.Module, torch.Tensor, type, types.ModuleType, bool, int, float, str, bytes, tuple, list, dict, set)


def lower(context: Context, node: ast.Attribute) -> Expression | None:
    """Lower ``self.config.hidden_size`` or ``config.hidden_size``; None for an attribute of another value."""
    names, root = [node.attr], node.value
    while isinstance(root, ast.Attribute):
        names.insert(0, root.attr)
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    if root.id == context.receiver != "":
        return context.surroundings.setting(tuple(names), context.origin(node)) if len(names) > 1 else None
    known = context.scope.type_of(root.id)
    if not isinstance(known, ConstantOf) or not is_settings(known.value):
        return None
    if assigned(names, context.surroundings.methods.values()):
        context.fail(node, f"'{ast.unparse(node)}', which a method assigns")
    return constant(read(known.value, names), context.origin(node), ".".join((root.id, *names)))


def constant(value: Any, origin: Origin, name: str = "") -> Expression | None:
    """Return the value of a setting: a literal, or a settings object itself; None for another value."""
    if is_settings(value):
        return Literal(value, type=ConstantOf(value), origin=origin)
    return None if value is NOTHING else literal(value, origin, name)


def read(value: Any, names: Iterable[str]) -> Any:
    """Return an attribute of an attribute of a settings object; NOTHING where one on the way is no settings object or has none."""
    for name in names:
        value = getattr(value, name, NOTHING) if is_settings(value) else NOTHING
    return value


def is_settings(value: Any) -> bool:
    """Return whether a value is an object with attributes that the representation has no type for, and nothing that is called."""
    if value is None or isinstance(value, _OTHERS) or callable(value) or not hasattr(value, "__dict__"):
        return False
    of_torch = type(value).__module__.partition(".")[0] == "torch"
    return not of_torch and not any(isinstance(one, (torch.Tensor, nn.Module)) for one in vars(value).values())


def assigned(names: Iterable[str], methods: Iterable[Method]) -> bool:
    """Return whether a method of the model's source assigns an attribute of one of these names, of whatever object."""
    return any(not _stored(one.tree).isdisjoint(names) for one in methods)


@lru_cache(maxsize=1024)
def _stored(tree: ast.FunctionDef) -> frozenset[str]:
    return frozenset(
        one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
    )
