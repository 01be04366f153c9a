"""Branches: blocks that run in some calls only."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from bridge.port.frontend.calls import questions
from bridge.port.frontend.context import Context
from bridge.port.frontend.scope import State
from bridge.port.frontend.statements.assignments import lower_assign
from bridge.port.frontend.targets import stored_names
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import If, Origin, Statement, Unsupported
from bridge.port.ir.truths import truth


def branch(context: Context, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
    """Lower a block that some calls skip; where it has no translation and no run reached it, C# throws in its place."""
    if (line := refused(context, nodes)) is not None:
        context.scope.end()
        return (Unsupported(context.method.refused[line], origin=Origin(context.method.file, line)),)
    before = context.scope.state()
    try:
        return context.statements(nodes)
    except Untranslatable as error:
        if context.ran(nodes):
            raise
        context.scope.restore(before)
        context.scope.end()
        return (Unsupported(error.why, origin=error.origin),)


def refused(context: Context, nodes: Sequence[ast.stmt]) -> int | None:
    """Return a line for which no C# was found, in a branch that no run took; None if there is no such line."""
    if context.ran(nodes):
        return None
    first, last = nodes[0].lineno, nodes[-1].end_lineno or nodes[-1].lineno
    lines = range(context.method.line + first - 1, context.method.line + last)
    return next((one for one in context.method.refused if one in lines), None)


def lower_if(context: Context, node: ast.If) -> tuple[Statement, ...]:
    """Lower ``if``; a branch that types and settings rule out is empty, and does not affect what is known after the ``if``."""
    scope = context.scope
    if context.surroundings.constructs and len(tests := questions.alternatives(context, node.test)) > 1:
        return lower_if(context, _chained(node, tests))
    bound, asked = _without_first_walrus(context, node.test)
    made = () if bound is None else lower_assign(context, bound)
    test = context.condition(asked)
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
    if (name := _torn(context, node)) and (place := _unreached(context, node, known)) is not None:
        why = f"{name} is of another type where this branch ends"
        arms[place] = (Unsupported(why, origin=context.origin((node.body, node.orelse)[place][0])),)
        scope.join(one for at, one in enumerate(ends) if at != place)
    return (*made, If(test, arms[0], arms[1], origin=context.origin(node)))


def _torn(context: Context, node: ast.If) -> str:
    """Return a variable that has different types after the two branches, and that is read later; empty if there is none."""
    mixed = {name for name in stored_names(node) if context.scope.knows(name) and context.scope.type_of(name) is None}
    if not mixed:
        return ""
    end = node.end_lineno or node.lineno
    loops = any(mixed & one.stored for one in context.loops)
    read = (one for one in ast.walk(context.method.tree) if isinstance(one, ast.Name) and one.id in mixed)
    return next((one.id for one in read if loops or one.lineno > end), "")


def _unreached(context: Context, node: ast.If, known: bool | None) -> int | None:
    """Return the index of the branch that no run reached (0: the body, 1: ``else``); None unless there is exactly one."""
    if known is not None:
        return None
    ran = [context.ran(one) for one in (node.body, node.orelse)]
    seen = context.observation(node.test).truths
    taken = [one or truth in seen for one, truth in zip(ran, (True, False), strict=True)]
    places = [at for at, one in enumerate((node.body, node.orelse)) if one and not taken[at]]
    return places[0] if len(places) == 1 else None


def _without_first_walrus(context: Context, test: ast.expr) -> tuple[ast.Assign | None, ast.expr]:
    """Return the walrus that a test evaluates first, as an assignment, and the test with the variable in its place; else (None, test)."""
    if isinstance(test, ast.NamedExpr):
        bound = ast.Assign([test.target], test.value)
        read = ast.Name(test.target.id, ast.Load())
        _note(context, test, read)
        return ast.copy_location(bound, test), read
    for name, place in _first_of(test):
        inner = getattr(test, name) if place is None else getattr(test, name)[place]
        found, rest = _without_first_walrus(context, inner)
        if found is not None and not _is_called(test, found):
            made = copy.copy(test)
            parts = getattr(test, name)
            setattr(made, name, rest if place is None else [rest, *parts[1:]])
            _note(context, test, made)
            return found, made
    return None, test


def _first_of(test: ast.expr) -> list[tuple[str, int | None]]:
    """Return the field that an expression evaluates first, and the index in it; for a call of a plain name, the first argument."""
    if isinstance(test, ast.UnaryOp):
        return [("operand", None)]
    if isinstance(test, ast.Compare):
        return [("left", None)]
    if isinstance(test, ast.BoolOp):
        return [("values", 0)]
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.args:
        return [("args", 0)]
    return []


def _is_called(test: ast.expr, bound: ast.Assign) -> bool:
    """Return whether an expression calls the variable that the walrus assigns: Python reads the variable before the walrus."""
    return isinstance(test, ast.Call) and ast.unparse(test.func) == ast.unparse(bound.targets[0])


def _note(context: Context, node: ast.expr, made: ast.expr) -> None:
    """Give the expression ``made`` the position and the observation of the expression ``node`` that it replaces."""
    ast.copy_location(made, node)
    if node in context.method.seen:
        context.method.seen[made] = context.method.seen[node]


def _chained(node: ast.If, tests: Sequence[ast.expr]) -> ast.If:
    """Return a branch for modules of several classes as one branch for each class, in which the module's class is known."""
    first, *others = tests
    other: list[ast.stmt] = [_chained(node, others)] if others else node.orelse
    return ast.copy_location(ast.If(first, node.body, other), node)
