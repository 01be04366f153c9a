"""Expressions that the configuration decides: attributes of settings, entries of dictionaries, results that were never there."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

import torch
from torch import nn

from bridge.port.csharp_types import Untranslatable, items_of
from bridge.port.members import Argument, Constant, Keyed, Text
from bridge.port.watched import Seen, source_of


class Known(Protocol):
    """What is asked of :class:`bridge.port.constants.Constants`."""

    names: dict[str, Text | Constant | Keyed]
    self: str
    attribute: Callable[[ast.Attribute], Argument]

    def constant(self, node: ast.expr) -> Constant | None: ...

    def seen(self, node: ast.expr) -> Seen: ...


def attribute(known: Known, node: ast.Attribute) -> Constant | None:
    """``config.hidden_size``; ``outputs.attentions`` where there are none."""
    owner = known.constant(node.value)
    if owner is not None and owner.value is not None and not isinstance(owner.value, (torch.Tensor, nn.Module)):
        with suppress(AttributeError):
            return Constant(getattr(owner.value, node.attr))
    seen = known.seen(node)
    if isinstance(limits := next(iter(known.seen(node.value).values), None), (torch.finfo, torch.iinfo)):
        name = (
            {"min": "float.MinValue", "max": "float.MaxValue"}.get(node.attr, "") if limits.dtype == "float32" else ""
        )
        return Constant(getattr(limits, node.attr), name)
    if node.attr == "dtype" and _is_rooted(node, known.self) and len(seen.values) == 1:
        return Constant(seen.values[0])
    if "Module" in known.seen(node.value).types and len(seen.values) == 1 and _is_rooted(node, known.self):
        value = seen.values[0]  # a setting of a child: self.dropout.p
        plain = isinstance(value, (int, float, str, tuple)) and not seen.types & {"Tensor", "Module"}
        return Constant(value) if plain and node.attr != "training" else None
    if known.seen(node).types == {"NoneType"} and known.seen(node).truths == {False}:
        result = known.seen(node.value).sample
        return Constant(None) if items_of(result) else None
    return None


def _is_rooted(node: ast.expr, name: str) -> bool:
    """Whether it is something of a child: ``self.conv.weight``, not ``self.weight``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name) and node.id == name != ""


def other(known: Known, node: ast.expr) -> Constant | None:
    """A conditional expression, an entry or a dictionary whose parts are known."""
    if isinstance(node, ast.IfExp):
        test = known.constant(node.test)
        return known.constant(node.body if test.value else node.orelse) if test is not None else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _of_dtypes(known, node)
    if isinstance(node, ast.Dict):
        keys = [known.constant(one) if one is not None else None for one in node.keys]
        values = [known.constant(one) for one in node.values]
        if None in keys or None in values:
            return None
        return Constant({key.value: one.value for key, one in zip(keys, values, strict=True) if key and one})
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        owner, index = known.constant(node.value), known.constant(node.slice)
        if owner is not None and index is not None and isinstance(owner.value, (tuple, list, Mapping)):
            with suppress(LookupError, TypeError):
                return Constant(owner.value[index.value])
    return None


def _of_dtypes(known: Known, node: ast.Compare) -> Constant | None:
    """``x.dtype == torch.float16``: the element types are those of the run."""
    if known.seen(node.left).types != {"dtype"} or len(known.seen(node).truths) != 1:
        return None
    return Constant(next(iter(known.seen(node).truths)))


def call(known: Known, node: ast.Call, name: str) -> Constant | None:
    """``getattr(self.config, "rate", 0.5)``, ``kwargs.get("scale")``, and a function of the model's source that always gave None."""
    arguments = [known.constant(one) for one in node.args]
    if name == "getattr" and isinstance(node.func, ast.Name) and len(arguments) > 1 and arguments[1] is not None:
        return _getattr(known, node, str(arguments[1].value), arguments)
    if name in ("get", "pop") and isinstance(node.func, ast.Attribute) and arguments and arguments[0] is not None:
        return _get(known, node.func.value, arguments)
    if name in ("bool", "len", "tuple") and len(arguments) == 1 and arguments[0] is not None:
        functions: dict[str, Callable[[Any], Any]] = {"bool": bool, "len": len, "tuple": tuple}
        return Constant(functions[name](arguments[0].value))
    seen = known.seen(node)
    return Constant(seen.sample) if calls_source(known, node) and _is_nothing(seen) else None


def calls_source(known: Known, node: ast.Call) -> bool:
    """Return whether all functions that the call called are of the model's source."""
    callees = [source_of(one) for one in known.seen(node.func).values]
    return bool(callees) and all(_is_of_a_source(one) for one in callees)


def _is_nothing(seen: Seen) -> bool:
    """Whether it was always None, or a tuple of None."""
    return seen.types == {"NoneType"} or (
        seen.types == {"tuple"} and bool(seen.sample) and all(one is None for value in seen.values for one in value)
    )


def _is_of_a_source(function: Any) -> bool:
    module = str(getattr(function, "__module__", ""))
    return isinstance(function, types.FunctionType) and module.partition(".")[0] not in (
        "torch",
        *sys.stdlib_module_names,
    )


def _getattr(known: Known, node: ast.Call, name: str, arguments: list[Constant | None]) -> Constant | None:
    first = node.args[0]
    if isinstance(first, ast.Name) and first.id == known.self and known.self:
        try:
            found = known.attribute(ast.copy_location(ast.Attribute(first, name, ast.Load()), node))
        except Untranslatable:
            return (
                arguments[2]
                if len(arguments) > 2 and known.seen(node).values == [getattr(arguments[2], "value", node)]
                else None
            )
        return found if isinstance(found, Constant) else None
    owner = arguments[0]
    if owner is None or isinstance(owner.value, (torch.Tensor, nn.Module)):
        return None
    value = getattr(owner.value, name, arguments[2].value if len(arguments) > 2 and arguments[2] is not None else None)
    return Constant(value)


def _get(known: Known, target: ast.expr, arguments: list[Constant | None]) -> Constant | None:
    key = arguments[0]
    default = arguments[1] if len(arguments) > 1 else Constant(None)
    keyed = known.names.get(target.id) if isinstance(target, ast.Name) else None
    if isinstance(keyed, Keyed) and key is not None:
        found = keyed.items.get(key.value, default)
        return found if isinstance(found, Constant) else None
    owner = known.constant(target)
    if owner is not None and isinstance(owner.value, Mapping) and key is not None and default is not None:
        return Constant(owner.value.get(key.value, default.value))
    return None
