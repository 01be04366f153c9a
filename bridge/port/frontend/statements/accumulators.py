"""Variables that are a number first and a tensor later: ``loss = 0.0`` before ``loss += tensor``.

In Python the variable is the number until a tensor is added, and the sum has the tensor's dtype. In C# it is an optional tensor, null
while it is the number; a statement that reads and assigns it is written twice, for the number and for the tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.ir.nodes import Compare, If, Literal, Local, Statement, Unsupported
from bridge.port.ir.types import BOOL, NONE, TENSOR, is_number


def accumulator_of(context: Context, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> str:
    """Return the variable that a statement reads and assigns, and that may be a number or a tensor here; empty if there is none."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    stored = {one.id for one in targets if isinstance(one, ast.Name) and context.scope.is_mixed(one.id)}
    if not stored:
        return ""
    read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    if not isinstance(node, ast.AugAssign):
        read = {one.id for one in ast.walk(node.value or node) if isinstance(one, ast.Name)}
    return min(stored & read, default="")


def split(
    context: Context, node: ast.stmt, name: str, lower: Callable[[], Sequence[Statement]]
) -> tuple[Statement, ...]:
    """Lower a statement twice, in the branches of an ``if``: for the accumulator as a number and as a tensor."""
    scope, origin = context.scope, context.origin(node)
    local = scope.accumulator(name, origin)
    before, arms, ends = scope.state(), [], []
    for number in (True, False):
        scope.restore(before)
        scope.settle(name, is_number=number)
        arms.append(tuple(lower()))
        ends.append(scope.state())
    scope.join(ends)
    test = Compare(
        "is", Local(local.name, type=local.type, origin=origin), Literal(None, type=NONE, origin=origin), type=BOOL
    )
    return (If(test, arms[0], arms[1], origin=origin),)


def lowered(context: Context, node: ast.stmt, lower: Callable[[], Sequence[Statement]]) -> tuple[Statement, ...]:
    """Lower a statement that may read accumulators: ``x = a + b`` twice for each that runs showed as its number, others after a guard."""
    name = _name_seen_as_number(context, node)
    if name:
        return split(context, node, name, lambda: lowered(context, node, lower))
    before = guarded(context, node)
    if isinstance(node, ast.Assign) and any(map(context.scope.accumulates, _read(node))):
        value = context.expression(node.value)
        if is_number(value.type) and observed_type(context, node.value) == TENSOR:
            context.scope.end()
            why = f"'{ast.unparse(node.value)}' is a number here, and a tensor in other calls"
            return (*before, Unsupported(why, origin=context.origin(node)))
    return (*before, *lower())


def _name_seen_as_number(context: Context, node: ast.stmt) -> str:
    """Return an accumulator that an assignment to another variable reads, and that was its number there in a run; empty if none."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return ""
    names = [one for one in ast.walk(node.value) if isinstance(one, ast.Name) and context.scope.is_mixed(one.id)]
    return next((one.id for one in names if context.observation(one).types & {"int", "float"}), "")


def guarded(context: Context, node: ast.stmt) -> tuple[Statement, ...]:
    """Return the statements that throw if ``node`` reads an accumulator while it still is its first number, which has another type."""
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
    """Return the variables that a statement reads outside its blocks, such as the test of an ``if``; none for ``while`` and ``with``."""
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
