"""Calls of einops: ``rearrange``, ``repeat`` and ``reduce``, and the layers ``Rearrange`` and ``Reduce``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls.arguments import named
from bridge.port.frontend.calls.libraries.einops_patterns import problem
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import there
from bridge.port.ir.nodes import (
    Argument,
    BuiltinCall,
    Comprehension,
    Construct,
    Expression,
    ListLiteral,
    Literal,
    TorchCall,
)
from bridge.port.ir.types import INT, TENSOR, ListOf

#: The functions, and the parameters that are no lengths of axes.
_FUNCTIONS: Final = {
    "rearrange": ("tensor", "pattern"),
    "repeat": ("tensor", "pattern"),
    "reduce": ("tensor", "pattern", "reduction"),
}
_REDUCTIONS: Final = ("mean", "sum", "max", "min", "prod")


def is_known(callee: Any) -> bool:
    """Return whether ``lower`` handles a function of einops'."""
    return getattr(callee, "__module__", None) == "einops.einops" and getattr(callee, "__name__", "") in _FUNCTIONS


def lower(context: Context, node: ast.Call, callee: Any) -> Expression:
    """Lower ``rearrange(x, "b (h w) c -> b c h w", h=n)``; a list of tensors is stacked first."""
    name = str(callee.__name__)
    given, lengths = _arguments(context, node, _FUNCTIONS[name])
    _check(context, node, name, given, lengths)
    tensor = _stacked(context, node, there(given.pop("tensor")))
    words = tuple(Argument(axis, value, False, origin=value.origin) for axis, value in lengths.items())
    whole = (tensor, *given.values())
    return BuiltinCall(f"einops.{name}", whole, words, type=TENSOR, origin=context.origin(node))


def lower_layer(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower the construction of a layer: ``Rearrange("b c (h p) -> b h (p c)", p=n)``."""
    name = kind.__name__.lower()
    given, lengths = _arguments(context, node, _FUNCTIONS[name][1:])
    _check(context, node, name, given, lengths)
    words = [Argument(one, value, origin=value.origin) for one, value in given.items()]
    words += [Argument(axis, value, False, origin=value.origin) for axis, value in lengths.items()]
    return Construct(kind, tuple(words), type=context.surroundings.new_type(kind), origin=context.origin(node))


def _arguments(
    context: Context, node: ast.Call, parameters: tuple[str, ...]
) -> tuple[dict[str, Expression], dict[str, Expression]]:
    """Return the arguments by parameter, and the lengths of axes by name; C# evaluates them in this order."""
    if len(node.args) > len(parameters) or any(isinstance(one, ast.Starred) for one in node.args):
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    given = dict(zip(parameters, map(context.expression, node.args), strict=False))
    lengths: dict[str, Expression] = {}
    for name, value in named(context, node):
        if name in given or name in lengths or (name == "tensor" and lengths):
            context.fail(node, f"the argument {name} of '{ast.unparse(node)}'")
        (given if name in parameters else lengths)[name] = value
    if given.keys() != set(parameters):
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    return {name: given[name] for name in parameters}, lengths


def _check(
    context: Context, node: ast.Call, name: str, given: Mapping[str, Expression], lengths: Mapping[str, Expression]
) -> None:
    """Raise Untranslatable unless the pattern and the reduction are literals that einops accepts, and all lengths are ints."""
    pattern, reduction = given["pattern"], given.get("reduction")
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        context.fail(node, f"a pattern that is no literal: '{ast.unparse(node)}'")
    if reduction is not None and not (isinstance(reduction, Literal) and reduction.value in _REDUCTIONS):
        context.fail(node, f"a reduction that is none of {', '.join(_REDUCTIONS)}: '{ast.unparse(node)}'")
    if why := problem(pattern.value, name, lengths):
        context.fail(node, f"the pattern '{pattern.value}', with {why}")
    for axis, length in lengths.items():
        if length.type != INT:
            context.fail(node, f"the length of {axis}, a {length.type}: '{ast.unparse(node)}'")


def _stacked(context: Context, node: ast.Call, value: Expression) -> Expression:
    """Return the tensor of a call; a list of tensors, which einops tells from a tuple, as its ``torch.stack``."""
    if value.type == TENSOR:
        return value
    first = node.args[0] if node.args else node
    is_list = isinstance(value, (ListLiteral, Comprehension)) or context.observation(first).types == {"list"}
    if value.type != ListOf(TENSOR) or not is_list:
        context.fail(node, f"a {value.type} that einops is given: '{ast.unparse(node)}'")
    argument = Argument("tensors", value, origin=value.origin)
    return TorchCall(torch.stack, None, (argument,), ("tensors", "dim"), type=TENSOR, origin=value.origin)
