"""Lowering of whole functions and methods, head and body, repeated in rounds until the types of all variables are found."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, Final

from bridge.port.frontend import expressions
from bridge.port.frontend.comments import Comments
from bridge.port.frontend.context import Context, Returns
from bridge.port.frontend.evidence import observed_type, returns_of, type_of_observation
from bridge.port.frontend.parameters import Header, header, of_configuration
from bridge.port.frontend.scope import Scope, Variables
from bridge.port.frontend.statements import blocks
from bridge.port.frontend.statements.growing import grown_tuples
from bridge.port.frontend.surroundings import Surroundings
from bridge.port.frontend.targets import stored_names
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assign,
    Convert,
    Expression,
    Function,
    Literal,
    Local,
    LocalTarget,
    Origin,
    Return,
    Statement,
    TupleLiteral,
)
from bridge.port.ir.traversal import rebuilt
from bridge.port.ir.types import NONE, UNKNOWN, TupleOf, Type, join
from bridge.port.observe.observations import Method

_ROUNDS: Final = 20
#: Types of the literals that are types of C#, too, and that a nullable type may stand for.
_PLAIN: Final = (type(None), bool, int, str)


def lower(method: Method, surroundings: Surroundings, *, bound: bool | None = None) -> Function:
    """Lower a function of the model's source; ``bound`` says whether its first parameter is the module itself (default: if it is ``self``).

    Raises Untranslatable for a construct that a run reached and that has no translation.
    """
    origin = Origin(method.file, method.line)
    for name in method.decorators:
        raise Untranslatable(origin, f"the decorator @{name} changes what the function does")
    ran = method.watched and (method.seen or method.given or is_annotated(method.tree))
    if not ran and method.tree.body:
        raise Untranslatable(origin, f"no run could be watched in {method.function.__qualname__}")
    variables = Variables([*stored_names(ast.Module(method.tree.body, [])), *_names(method.tree)])
    comments = Comments(method)
    observed = _returned(method, surroundings)
    result = guessed = observed if any(one.value is not None for one in returns_of(method.tree)) else NONE
    for _ in range(_ROUNDS):
        variables.begin()
        context = Context(
            method,
            surroundings,
            Scope(variables),
            expressions.lower,
            blocks.lower,
            receiver_of(method, bound),
            comments,
            Returns(result=result, observed=observed),
        )
        try:
            made = _round(context)
        except Untranslatable:
            if not variables.changed and (result is not guessed or guessed == UNKNOWN):
                raise
            if result is guessed:
                result = guessed = UNKNOWN
            continue
        if not variables.changed and made.result == result:
            if result == UNKNOWN and not method.given:
                raise Untranslatable(origin, f"what {method.function.__qualname__} gives, which no run showed")
            return made
        result = made.result
    raise Untranslatable(origin, f"the types of the variables of {method.function.__qualname__} do not settle")


def is_annotated(tree: ast.FunctionDef) -> bool:
    """Return whether each parameter has an annotation, so that the function has types even if it did not run."""
    arguments = tree.args
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    plain = not (arguments.vararg or arguments.kwarg)
    return plain and all(one.annotation is not None for one in named if one.arg != "self")


def receiver_of(method: Method, bound: bool | None = None) -> str:
    """Return a method's name for the module itself, such as ``self``; empty for a function that is no method."""
    arguments = method.tree.args
    first = [one.arg for one in (*arguments.posonlyargs, *arguments.args)][:1]
    is_bound = first == ["self"] if bound is None else bound
    return first[0] if is_bound and first else ""


def head(method: Method, surroundings: Surroundings, *, bound: bool | None = None) -> Function:
    """Return a function without its body, with the result type of the runs, for calls within a recursion."""
    context = Context(
        method,
        surroundings,
        Scope(Variables()),
        expressions.lower,
        blocks.lower,
        receiver_of(method, bound),
    )
    returned = [observed_type(context, one.value) for one in returns_of(method.tree) if one.value is not None]
    result = join(returned) or UNKNOWN if returned else NONE
    found = header(context)
    return Function(
        method.tree.name, found.parameters, result, (), fixed=found.fixed, origin=context.origin(method.tree)
    )


def _round(context: Context) -> Function:
    tree = context.method.tree
    origin = context.origin(tree)
    found = header(context)
    configured = _configured(context, found)
    kept = _kept(context, found, configured)
    for one in (*found.parameters, *(one for _, one in found.fixed)):
        context.assign(one.name, kept[one.name].type if one.name in kept else one.type, one.origin)
    context = context.with_keywords(
        tree.args.kwarg.arg if tree.args.kwarg is not None else "", found.keywords, found.absent
    )
    empty = _no_others(context, found)
    context = replace(context, grown=grown_tuples(context))
    body = context.statements([*configured, *_without_docstring(tree.body)])
    if not context.scope.dead:
        context.returns.types.append(NONE)
    result = join(context.returns.types)
    if result is None:
        context.fail(
            tree, f"{tree.name} returns nothing at its end, and a {join(context.returns.types[:-1])} elsewhere"
        )
    if not context.scope.dead and result != NONE:
        body = (*body, Return(Literal(None, type=result, origin=origin), origin=origin))
    body = (*empty, *_with_defaults(found, kept, body))
    doc = ast.get_docstring(tree) or ""
    return Function(tree.name, found.parameters, result, body, doc, found.fixed, origin=origin)


def _configured(context: Context, found: Header) -> list[ast.stmt]:
    """Return the statements by which a decorator of a forward sets parameters that are None to settings of the configuration."""
    made: list[ast.stmt] = []
    for one in (*found.parameters, *(one for _, one in found.fixed)):
        default = one.default.value if isinstance(one.default, Convert) else one.default
        if isinstance(default, Literal) and default.value is None and one.type != NONE:
            known = of_configuration(context, one.name, one.type)
            known = known.value if isinstance(known, Convert) else known
            if isinstance(known, Literal):
                code = f"if {one.name} is None:\n    {one.name} = {known.value!r}"
                made += [ast.copy_location(node, context.method.tree) for node in ast.parse(code).body]
    return made


def _kept(context: Context, found: Header, configured: list[ast.stmt]) -> dict[str, Expression]:
    """Return the defaults of the parameters that C# does not take and that the body does not change; literals have their own type."""
    stored = stored_names(ast.Module([*configured, *context.method.tree.body], []))
    kept: dict[str, Expression] = {}
    for _, one in found.fixed:
        if one.default is not None and one.name not in stored:
            inner = one.default.value if isinstance(one.default, Convert) else one.default
            kept[one.name] = inner if isinstance(inner, Literal) and type(inner.value) in _PLAIN else one.default
    return kept


def _with_defaults(found: Header, kept: dict[str, Expression], body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the body with parameters that C# does not take replaced by their defaults, or assigned first if the body changes them."""
    if not found.fixed:
        return body

    def change(node: Any) -> Any:
        if isinstance(node, Local) and node.name in kept:
            return replace(kept[node.name], origin=node.origin)
        return rebuilt(node, change)

    first = tuple(
        Assign(LocalTarget(one.name, one.type, origin=one.origin), one.default, origin=one.origin)
        for _, one in found.fixed
        if one.name not in kept and one.default is not None
    )
    return (*first, *(map(change, body) if kept else body))


def _no_others(context: Context, found: Header) -> tuple[Statement, ...]:
    """Return the assignment of an empty tuple to ``*args``, if the function uses it and no call gave it anything; else nothing."""
    name, tree = found.no_others, context.method.tree
    if not name or not any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(tree)):
        return ()
    target = context.assign(name, TupleOf(()), context.origin(tree))
    return (Assign(target, TupleLiteral((), type=TupleOf(())), origin=context.origin(tree)),)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_text else body


def _names(tree: ast.FunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(tree.args) if isinstance(one, ast.arg)]


def _returned(method: Method, surroundings: Surroundings) -> Type:
    """Return the type of a function's results in the runs; UNKNOWN if they have no common type."""
    seen = [method.seen[one.value] for one in returns_of(method.tree) if one.value in method.seen]
    return join(type_of_observation(one, surroundings) for one in seen) or UNKNOWN
