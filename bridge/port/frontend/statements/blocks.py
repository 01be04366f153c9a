"""Statements: the table of the functions that lower each kind, and the short functions among them."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.scope import coerced, holds_unknown
from bridge.port.frontend.statements import registrations
from bridge.port.frontend.statements.accumulators import accumulator_of, lowered
from bridge.port.frontend.statements.assignments import (
    lower_annotated,
    lower_assign,
    lower_augmented,
    lower_delete,
    refine_by_call,
)
from bridge.port.frontend.statements.branches import lower_if, refused
from bridge.port.frontend.statements.contexts import lower_with
from bridge.port.frontend.statements.loops import lower_break, lower_continue, lower_for, lower_while
from bridge.port.frontend.statements.matches import lower_match
from bridge.port.frontend.statements.nested import lower_nested
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assert,
    BuiltinCall,
    ContainerCall,
    Evaluate,
    Expression,
    Literal,
    Origin,
    Raise,
    Return,
    Statement,
    Unsupported,
)
from bridge.port.ir.truths import truth
from bridge.port.ir.types import NONE, OBJECT, STR, join

#: Exceptions that another version of a library raises, because it lacks a member or has other parameters.
_OF_VERSIONS: Final = {"TypeError", "AttributeError", "ImportError", "ModuleNotFoundError", "NameError"}


def lower(context: Context, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
    """Lower the statements of a block, up to the first one after which the code is unreachable.

    If a statement has no translation, and no run reached it because all runs left the block before, C# throws in its place.
    """
    made: list[Statement] = []
    for place, node in enumerate(nodes):
        if context.scope.dead:
            break
        returned = len(context.returns.types)
        if (line := refused(context, nodes[place:])) is not None and _is_skipped(context, nodes, place):
            made.append(Unsupported(context.method.refused[line], origin=Origin(context.method.file, line)))
            context.scope.end()
            break
        lowering = _LOWERINGS.get(type(node))
        if lowering is None:
            context.fail(node, f"no translation of {type(node).__name__}")
        try:
            found = _lowered(context, node, lowering)
        except Untranslatable as error:
            if _is_skipped(context, nodes, place):
                made.append(Unsupported(error.why, origin=error.origin))
                del context.returns.types[returned:]
                context.scope.end()
                break
            if not any(one.is_first for one in context.loops):
                raise
            context.scope.variables.changed = True  # the next round knows the scope at the end of the loop's body
            continue
        made += context.comments.lay(node, found) if context.comments is not None else found
    return tuple(made)


def _is_skipped(context: Context, nodes: Sequence[ast.stmt], place: int) -> bool:
    """Return whether no run reached this statement or a later one, because all runs left the block in an ``if`` before it."""
    before = any(isinstance(one, ast.If) and context.ran(one.test) for one in nodes[:place])
    return before and not context.ran(nodes[place:]) and any(map(_has_value, nodes[place:]))


def _has_value(node: ast.stmt) -> bool:
    """Return whether a statement computes a value, which a run that reached it would have seen."""
    found = [getattr(node, name, None) for name in ("value", "test", "iter", "exc")]
    found += [one.context_expr for one in getattr(node, "items", ())]
    return any(isinstance(one, ast.expr) and not isinstance(one, ast.JoinedStr) for one in found)


def _lowered(context: Context, node: ast.stmt, lowering: Callable[..., Sequence[Statement]]) -> Sequence[Statement]:
    """Return a lowered statement, which may read accumulators; a statement that also assigns one of them is lowered by itself."""
    if not context.scope.variables.numbers:
        return lowering(context, node)
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and accumulator_of(context, node):
        return lowering(context, node)
    return lowered(context, node, lambda: lowering(context, node))


def _return(context: Context, node: ast.Return) -> tuple[Statement, ...]:
    value = None if node.value is None else context.expression(node.value)
    found, returns, origin = NONE if value is None else value.type, context.returns, context.origin(node)
    if node.value is not None and holds_unknown(found):
        found = join((found, observed_type(context, node.value))) or found
    ran = node.value in context.method.seen
    if join((*returns.types, found)) is None and ran:
        found = OBJECT
    elif join((*returns.types, found)) is None or (not ran and join((returns.observed, found)) is None):
        context.fail(
            node,
            f"'{ast.unparse(node)}' returns a {found} beside a {join((*returns.types, returns.observed)) or returns.observed}",
        )
    returns.types.append(found)
    context.scope.end()
    if returns.result == NONE:
        effect = () if value is None or isinstance(value, Literal) else (Evaluate(value, origin=origin),)
        return (*effect, Return(None, origin=origin))
    value = Literal(None, type=NONE, origin=origin) if value is None else value
    return (Return(coerced(value, returns.result), origin=origin),)


def _expression(context: Context, node: ast.Expr) -> tuple[Statement, ...]:
    if isinstance(node.value, ast.Constant):
        return ()
    if isinstance(node.value, ast.Tuple):  # ``self.add_module("norm", norm),``
        each = (ast.copy_location(ast.Expr(one), one) for one in node.value.elts)
        return tuple(made for one in each for made in _expression(context, one))
    if isinstance(node.value, ast.Call):
        callee = context.static(node.value.func)
        if (
            getattr(callee, "__name__", "") == "_log_api_usage_once"
        ):  # PyTorch and torchvision count uses with it; it computes nothing
            return ()
        if callee is torch._assert and len(node.value.args) == 2:
            test, message = node.value.args
            return _asserted(context, test, message, node)
        if (registered := registrations.lower(context, node.value)) is not None:
            return registered
        if (last := registrations.lower_last(context, node.value)) is not None:
            return last
    value = context.expression(node.value)
    if isinstance(value, ContainerCall):
        refine_by_call(context, value)
    return (Evaluate(value, origin=context.origin(node)),)


def _assert(context: Context, node: ast.Assert) -> tuple[Statement, ...]:
    return _asserted(context, node.test, node.msg, node)


def _asserted(context: Context, test: ast.expr, message: ast.expr | None, node: ast.stmt) -> tuple[Statement, ...]:
    found = context.condition(test)
    if truth(found) is True:
        return ()
    with context.assuming(found, False):
        said = None if message is None else _text(context, message)
    context.scope.assume(found, True)
    return (Assert(found, said, origin=context.origin(node)),)


def _raise(context: Context, node: ast.Raise) -> tuple[Statement, ...]:
    call = node.exc
    kind: Any = context.static(call.func if isinstance(call, ast.Call) else call) if call is not None else None
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        context.fail(node, f"'{ast.unparse(node)}'")
    message = None
    if isinstance(call, ast.Call) and call.args:
        if len(call.args) > 1 or call.keywords:
            context.fail(node, f"'{ast.unparse(node)}', an exception of several arguments")
        message = _text(context, call.args[0])
    context.scope.end()
    return (Raise(kind.__name__, message, origin=context.origin(node)),)


def _text(context: Context, node: ast.expr) -> Expression:
    try:
        found = context.expression(node)
    except Untranslatable:
        if context.ran(node):
            raise
        return Literal(ast.unparse(node), type=STR, origin=context.origin(node))  # as it stands in the source
    return found if found.type == STR else BuiltinCall("str", (found,), type=STR, origin=found.origin)


def _try(context: Context, node: ast.Try) -> tuple[Statement, ...]:
    """Lower the body of a ``try`` whose handlers are for other versions of a library, and did not run."""
    names = {ast.unparse(one.type) if one.type is not None else "" for one in node.handlers}
    if not names <= _OF_VERSIONS or node.orelse or node.finalbody:
        context.fail(node, "a try that is for more than other versions of a library")
    if any(context.ran(one) for one in node.handlers) or not context.ran(node.body):
        context.fail(node, "a try in which something was raised")
    return context.statements(node.body)


def _import(context: Context, node: ast.Import) -> tuple[Statement, ...]:
    for one in node.names:
        module = _module(context, one.name, node)
        context.imported[one.asname or one.name.partition(".")[0]] = (
            module if one.asname else sys.modules[one.name.partition(".")[0]]
        )
    return ()


def _import_from(context: Context, node: ast.ImportFrom) -> tuple[Statement, ...]:
    package = context.method.function.__globals__.get("__package__") or None
    module = _module(context, "." * node.level + (node.module or ""), node, package)
    for one in node.names:
        if not hasattr(module, one.name):
            context.fail(node, f"'{ast.unparse(node)}'")
        context.imported[one.asname or one.name] = getattr(module, one.name)
    return ()


def _module(context: Context, name: str, node: ast.stmt, package: str | None = None) -> Any:
    """Return a module that is imported already; raises Untranslatable for a module that no run imported."""
    try:
        whole = importlib.util.resolve_name(name, package)
    except ImportError:
        context.fail(node, f"'{ast.unparse(node)}'")
    if whole not in sys.modules:
        context.fail(node, f"'{ast.unparse(node)}', which no run imported")
    return sys.modules[whole]


def _pass(context: Context, node: ast.Pass | ast.Nonlocal) -> tuple[Statement, ...]:
    return ()


_LOWERINGS: Final[dict[type[ast.stmt], Callable[[Context, Any], tuple[Statement, ...]]]] = {
    ast.AnnAssign: lower_annotated,
    ast.Assert: _assert,
    ast.Assign: lower_assign,
    ast.AugAssign: lower_augmented,
    ast.Break: lower_break,
    ast.Continue: lower_continue,
    ast.Delete: lower_delete,
    ast.Expr: _expression,
    ast.For: lower_for,
    ast.FunctionDef: lower_nested,
    ast.If: lower_if,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Match: lower_match,
    ast.Nonlocal: _pass,
    ast.Pass: _pass,
    ast.Raise: _raise,
    ast.Return: _return,
    ast.Try: _try,
    ast.While: lower_while,
    ast.With: lower_with,
}
