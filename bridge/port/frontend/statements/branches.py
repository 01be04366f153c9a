"""Branches: blocks that run in some calls only."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from bridge.port.frontend.context import Context
from bridge.port.frontend.scope import State
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import If, Statement, Unsupported
from bridge.port.ir.truths import truth


def branch(context: Context, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
    """Lower a block that some calls skip; where it has no translation and no run reached it, C# throws in its place."""
    before = context.scope.state()
    try:
        return context.statements(nodes)
    except Untranslatable as error:
        if context.ran(nodes):
            raise
        context.scope.restore(before)
        context.scope.end()
        return (Unsupported(error.why, origin=error.origin),)


def lower_if(context: Context, node: ast.If) -> tuple[Statement, ...]:
    """Lower ``if``; a branch that types and settings rule out is empty, and says nothing of what follows."""
    scope = context.scope
    test = context.condition(node.test)
    before, known = scope.state(), truth(test)
    arms: list[tuple[Statement, ...]] = []
    ends: list[State] = []
    for taken, nodes in ((True, node.body), (False, node.orelse)):
        scope.restore(before)
        if known is not None and known != taken:
            arms.append(())
            continue
        scope.assume(test, taken)
        arms.append(branch(context, nodes) if nodes else ())
        ends.append(scope.state())
    scope.join(ends)
    return (If(test, arms[0], arms[1], origin=context.origin(node)),)
