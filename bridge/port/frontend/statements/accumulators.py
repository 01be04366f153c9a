"""Variables that are a number first and a tensor later: ``loss = 0.0`` before ``loss += tensor``.

Python keeps the number until there is a tensor, whose dtype the sum has. In C# the variable is an optional tensor, null while it is the
number; a statement that makes a new value of it is written for both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import Compare, If, Literal, Local, Statement, Unsupported
from bridge.port.ir.types import BOOL, NONE


def accumulator_of(context: Context, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> str:
    """Return the variable that a statement reads and assigns and that is a number or a tensor here; empty if it has none."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    stored = {one.id for one in targets if isinstance(one, ast.Name)}
    read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    if not isinstance(node, ast.AugAssign):
        read = {one.id for one in ast.walk(node.value or node) if isinstance(one, ast.Name)}
    return next((name for name in sorted(stored & read) if context.scope.is_mixed(name)), "")


def split(
    context: Context, node: ast.stmt, name: str, lower: Callable[[], Sequence[Statement]]
) -> tuple[Statement, ...]:
    """Lower a statement for each of the two that an accumulator may be."""
    scope, origin = context.scope, context.origin(node)
    local = scope.accumulator(name, origin)
    before, arms, ends = scope.state(), [], []
    for is_number in (True, False):
        scope.restore(before)
        scope.settle(name, is_number=is_number)
        arms.append(tuple(lower()))
        ends.append(scope.state())
    scope.join(ends)
    test = Compare(
        "is", Local(local.name, type=local.type, origin=origin), Literal(None, type=NONE, origin=origin), type=BOOL
    )
    return (If(test, arms[0], arms[1], origin=origin),)


def guarded(context: Context, node: ast.stmt) -> tuple[Statement, ...]:
    """Return what throws before a statement that reads accumulators while one is its first number: its type is another then."""
    made: list[Statement] = []
    for name in sorted(_read(node)):
        if context.scope.is_mixed(name):
            local, origin = context.scope.accumulator(name, context.origin(node)), context.origin(node)
            value = Local(local.name, type=local.type, origin=origin)
            test = Compare("is", value, Literal(None, type=NONE, origin=origin), type=BOOL, origin=origin)
            why = f"{name} is a number here, and a tensor in other calls"
            made.append(If(test, (Unsupported(why, origin=origin),), origin=origin))
            context.scope.settle(name, is_number=False)
    return tuple(made)


def _read(node: ast.stmt) -> set[str]:
    """Return the variables that a statement reads first of all: of a loop its source, of ``if`` its test, of ``while`` nothing once."""
    if isinstance(node, (ast.For, ast.If)):
        heads: list[ast.AST] = [node.iter if isinstance(node, ast.For) else node.test]
    elif isinstance(node, (ast.While, ast.With, ast.Try, ast.Match, ast.FunctionDef)):
        heads = []
    else:
        heads = [node]
    return {
        one.id
        for head in heads
        for one in ast.walk(head)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    }
