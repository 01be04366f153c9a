"""Nested functions, which see the values that the enclosing function's variables have at the time of the call."""

from __future__ import annotations

import ast
from dataclasses import replace

from bridge.port.frontend.context import Context, Returns
from bridge.port.frontend.parameters import nested_parameters
from bridge.port.frontend.targets import stored_names
from bridge.port.ir.nodes import Literal, NestedFunction, Return, Statement
from bridge.port.ir.types import NONE, UNKNOWN, FunctionOf, join


def lower_nested(context: Context, node: ast.FunctionDef) -> tuple[Statement, ...]:
    """Lower a nested ``def``; the variables of the enclosing function that it uses have one type from here on."""
    for one in ast.walk(node):
        if isinstance(one, (ast.Global, ast.Yield, ast.YieldFrom, ast.Await)):
            context.fail(one, f"{type(one).__name__.lower()} in a function within another")
    if node.decorator_list:
        context.fail(node.decorator_list[0], f"the decorator @{ast.unparse(node.decorator_list[0])}")
    parameters = nested_parameters(context, node)
    own = list(dict.fromkeys([*(one.name for one in parameters), *_own(node)]))
    context.capture(node, [*own, node.name])
    known = context.scope.variables.results.get(node, UNKNOWN)
    context.assign(node.name, FunctionOf(tuple(one.type for one in parameters), known), context.origin(node))
    context.nested[node.name] = parameters
    inner = context.with_returns(Returns(result=known))
    with context.inner(own):
        targets = [context.assign(one.name, one.type, one.origin) for one in parameters]
        pairs = zip(parameters, targets, strict=True)
        named = tuple(replace(one, name=target.name, spread=False) for one, target in pairs)
        body = inner.statements(node.body)
        if not context.scope.dead:
            inner.returns.types.append(NONE)
            if known not in (NONE, UNKNOWN):
                body = (
                    *body,
                    Return(Literal(None, type=known, origin=context.origin(node)), origin=context.origin(node)),
                )
    result = join(inner.returns.types) or UNKNOWN
    if result != known:
        context.scope.variables.results[node] = result
        context.scope.variables.changed = True
        context.scope.variables.ends.clear()  # the states at the ends of loops have the function's old type
        context.assign(node.name, FunctionOf(tuple(one.type for one in parameters), result), context.origin(node))
    return (NestedFunction(node.name, named, result, body, origin=context.origin(node)),)


def _own(node: ast.FunctionDef) -> list[str]:
    """Return the local variables that a function assigns, without ``nonlocal`` ones."""
    others = {name for one in ast.walk(node) if isinstance(one, ast.Nonlocal) for name in one.names}
    return [name for name in stored_names(ast.Module(node.body, [])) if name not in others]
