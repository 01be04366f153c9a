"""Classes, partials and functions that are the same object in every call: known when C# is written, but without a value in C#."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from bridge.port.frontend.calls.arguments import named as named_arguments
from bridge.port.frontend.calls.arguments import positional
from bridge.port.frontend.calls.callees import NOTHING
from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import Expression, ListLiteral, Literal, TupleLiteral
from bridge.port.ir.types import ConstantOf
from bridge.port.observe.models.constructors import describe_module


def value_of(found: Expression) -> Any:
    """Return the value of an expression that is the same in every call; NOTHING for another expression."""
    if isinstance(found, Literal):
        return found.value
    if isinstance(found, (TupleLiteral, ListLiteral)):
        items = [value_of(one) if isinstance(one, Expression) else NOTHING for one in found.items]
        if any(one is NOTHING for one in items):
            return NOTHING
        return tuple(items) if isinstance(found, TupleLiteral) else items
    return NOTHING


def lower_partial(context: Context, node: ast.Call) -> Expression:
    """Lower ``partial(nn.LayerNorm, eps=1e-6)`` to a constant; its arguments must be constants."""
    known: dict[ast.AST, Any] = context.scope.variables.constants
    if node not in known:
        places = positional(context, node, node.args)
        given: list[Any] = [value_of(one) if isinstance(one, Expression) else NOTHING for one in places]
        keywords = {name: value_of(one) for name, one in named_arguments(context, node)}
        if not given or any(one is NOTHING for one in (*given, *keywords.values())):
            context.fail(node, f"'{ast.unparse(node)}', of values that are not the same in every call")
        function, *rest = given
        known[node] = functools.partial(function, *rest, **keywords)
    return Literal(known[node], type=ConstantOf(known[node]), origin=context.origin(node))


def maker_of(table: Any, key: Any) -> functools.partial[nn.Module] | None:
    """Return the class, with its arguments, of the new layer without weights that each read of a table's item makes; None for other items.

    The stored item is the class, or a pair of the class and its keyword arguments, as in the ``ACT2FN`` of transformers.
    """
    if not isinstance(table, dict) or type(table).__getitem__ is dict.__getitem__ or key not in table:
        return None
    stored = dict.__getitem__(table, key)
    kind, keywords = stored if isinstance(stored, tuple) and len(stored) == 2 else (stored, {})
    if not isinstance(kind, type) or not issubclass(kind, nn.Module) or not isinstance(keywords, Mapping):
        return None
    with suppress(Exception), torch.random.fork_rng(devices=()):  # a class of the user's may raise anything
        first, second, made = table[key], table[key], kind(**keywords)
        bare = not any((*made.parameters(), *made.buffers(), *made.children()))
        if (
            bare
            and first is not second
            and describe_module(first, attributes=True) == describe_module(made, attributes=True)
        ):
            return functools.partial(kind, **keywords)
    return None
