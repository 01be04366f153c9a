"""Loops, with Python's meaning: an ``else`` runs if no ``break`` did, and the target is still a variable after the loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from bridge.port.frontend.classes import entries
from bridge.port.frontend.context import Context, Loop
from bridge.port.frontend.evidence import type_of_name
from bridge.port.frontend.scope import State, holds_unknown
from bridge.port.frontend.statements.branches import branch
from bridge.port.frontend.targets import element_of, stored_names, target
from bridge.port.ir.nodes import (
    Break,
    Continue,
    Expression,
    For,
    LocalTarget,
    Statement,
    Target,
    TupleTarget,
    While,
)
from bridge.port.ir.truths import truth
from bridge.port.ir.types import TupleOf, Type, join


def lower_for(context: Context, node: ast.For) -> tuple[Statement, ...]:
    """Lower ``for target in source``: the source is evaluated once."""
    own = entries.walked(context, node.iter)
    source = own[0] if own is not None else context.expression(node.iter)
    found = element_of(source.type)
    if found is None:
        context.fail(node, f"a loop over '{ast.unparse(node.iter)}', a {source.type}")
    head = context.scope.begin_loop(node)
    if own is not None and own[1] >= 0:
        made: Target = _part(context, node.target, found, own[1])
    else:
        made = target(context, node.target, _known(context, node.target, found))
    body, loop = _body(context, node, node.body)
    other = _after(context, node, head, loop)
    return (For(made, source, body, other, origin=context.origin(node)),)


def _part(context: Context, node: ast.expr, pair: Type, part: int) -> Target:
    """Return the target of a loop over pairs that reads only the item with index ``part``."""
    assert isinstance(pair, TupleOf)
    items: list[Target] = [LocalTarget("_", kind, origin=context.origin(node)) for kind in pair.items]
    items[part] = target(context, node, pair.items[part])
    return TupleTarget(tuple(items), origin=context.origin(node))


def _known(context: Context, node: ast.expr, found: Type) -> Type:
    if not isinstance(node, ast.Name) or not holds_unknown(found):
        return found
    return join((found, type_of_name(context, node.id))) or found


def lower_while(context: Context, node: ast.While) -> tuple[Statement, ...]:
    """Lower ``while test``."""
    scope = context.scope
    scope.begin_loop(node)
    test = context.condition(node.test)
    head = scope.state()
    scope.assume(test, True)
    body, loop = _body(context, node, node.body)
    other = _after(context, node, head, loop, test)
    return (While(test, body, other, origin=context.origin(node)),)


def _body(context: Context, node: ast.For | ast.While, body: Sequence[ast.stmt]) -> tuple[tuple[Statement, ...], Loop]:
    loop = Loop(stored=frozenset(stored_names(node)), is_first=not context.scope.has_end(node))
    context.loops.append(loop)
    try:
        made = branch(context, body)
    finally:
        context.loops.pop()
    context.scope.end_loop(node, loop.continues)
    return made, loop


def _after(
    context: Context, node: ast.For | ast.While, head: State, loop: Loop, test: Expression | None = None
) -> tuple[Statement, ...]:
    """Lower the ``else`` of a loop, and join the states that lead to the code after the loop: its regular end and each ``break``."""
    scope = context.scope
    scope.join([head, scope.end_of(node)])
    if test is not None:
        scope.assume(test, False)
        if truth(test) is True:
            scope.end()
    other = branch(context, node.orelse) if node.orelse else ()
    scope.join([scope.state(), *loop.breaks])
    return other


def lower_break(context: Context, node: ast.Break) -> tuple[Statement, ...]:
    """Lower ``break``."""
    context.loops[-1].breaks.append(context.scope.state())
    context.scope.end()
    return (Break(origin=context.origin(node)),)


def lower_continue(context: Context, node: ast.Continue) -> tuple[Statement, ...]:
    """Lower ``continue``."""
    context.loops[-1].continues.append(context.scope.state())
    context.scope.end()
    return (Continue(origin=context.origin(node)),)
