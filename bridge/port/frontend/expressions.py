"""Lowering of Python's expressions to typed nodes: the table of functions by kind of node, and the functions for names and constants."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from bridge.port.frontend import attributes, containers, operators, subscripts
from bridge.port.frontend.calls import calls, formats, functions_as_values, keyword_sets
from bridge.port.frontend.calls.callees import NOTHING, is_constant, named
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import as_seen
from bridge.port.frontend.values import as_bool, convert, literal
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Bind,
    Conditional,
    Convert,
    DictLiteral,
    Expression,
    Format,
    Not,
    Self,
    UnsupportedValue,
)
from bridge.port.ir.truths import truth
from bridge.port.ir.types import (
    NONE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    DictOf,
    ModuleOf,
    ModulesOf,
    TupleOf,
    is_choice,
    join,
)


def lower(context: Context, node: ast.expr) -> Expression:
    """Lower an expression. Raises Untranslatable."""
    lowered = _LOWERED.get(type(node))
    if lowered is None:
        context.fail(node, f"no translation of {type(node).__name__}: '{ast.unparse(node)}'")
    return lowered(context, node)


def lower_constant(context: Context, node: ast.Constant) -> Expression:
    """Lower a literal of Python's."""
    found = literal(node.value, context.origin(node))
    return found or context.fail(node, f"the literal {node.value!r}")


def lower_name(context: Context, node: ast.Name) -> Expression:
    """Lower a variable, the module itself, a constant of the source file or a function that is a value."""
    origin = context.origin(node)
    if (local := context.local(node)) is not None:
        return as_seen(context, node, local)
    if node.id == context.receiver != "":
        kind = context.surroundings.kind
        return Self(type=ModuleOf(kind) if kind is not None else UNKNOWN, origin=origin)
    if node.id == context.keywords_name != "":
        return _keywords(context, node)
    if node.id in context.given:
        context.fail(node, f"{node.id}, a dictionary of keyword arguments, as a value")
    value = named(context, node)
    if value is NOTHING:
        context.fail(node, f"the name {node.id}")
    constant = literal(value, origin, node.id) if is_constant(context, node.id) else None
    return constant or functions_as_values.lower(context, node, value)


def _keywords(context: Context, node: ast.Name) -> Expression:
    """Return ``kwargs`` as a dictionary of the parameters that it stands for."""
    for name in context.absent:
        if node not in keyword_sets.passed_on(context.method.tree, node.id, name):
            context.fail(node, f"**{node.id}, in which {name} is given in some calls only")
    entries = []
    for name in context.keywords:
        key, value = (
            literal(name, context.origin(node)),
            context.local(ast.copy_location(ast.Name(name, ast.Load()), node)),
        )
        assert key is not None
        assert value is not None
        entries.append((key, value))
    found = join(value.type for _, value in entries) or UNKNOWN
    return DictLiteral(tuple(entries), type=DictOf(STR, found), origin=context.origin(node))


def lower_logical(context: Context, node: ast.BoolOp) -> Expression:
    """Lower ``and`` or ``or``; an operand is lowered with the types that earlier operands prove, and left out if they decide the result."""
    operator = "and" if isinstance(node.op, ast.And) else "or"
    found: list[Expression] = []
    with ExitStack() as proofs:
        for one in node.values:
            found.append(context.expression(one))
            if truth(found[-1]) is not None and truth(found[-1]) == (operator == "or"):
                break
            proofs.enter_context(context.assuming(as_bool(found[-1]), operator == "and"))
    return operators.logical(context, node, operator, tuple(found))


def lower_conditional(context: Context, node: ast.IfExp) -> Expression:
    """Lower ``body if test else other``; an arm that a constant test rules out is not lowered."""
    test = context.condition(node.test)
    decision = truth(test)
    if decision is not None:
        return context.expression(node.body if decision else node.orelse)
    body, other = _arm(context, node.body, test, True), _arm(context, node.orelse, test, False)
    found = join([body.type, other.type])
    if found is None or (TupleOf(()) in (body.type, other.type) and body.type != other.type):
        why = f"'{ast.unparse(node)}' is a {body.type} or a {other.type}"
        ran = [
            context.ran(arm) or truth in context.observation(node.test).truths
            for arm, truth in ((node.body, True), (node.orelse, False))
        ]
        if ran[0] == ran[1]:
            context.fail(node, why)
        missing = UnsupportedValue(why, type=UNKNOWN, origin=context.origin(node))
        body, other = (body, missing) if ran[0] else (missing, other)
    if isinstance(body, UnsupportedValue):
        body, found = replace(body, type=other.type), other.type
    elif isinstance(other, UnsupportedValue):
        other, found = replace(other, type=body.type), body.type
    if isinstance(body, UnsupportedValue) and isinstance(other, UnsupportedValue):
        context.fail(node, body.why)
    if found is not None and is_choice(found) and NONE in (body.type, other.type):
        whole = test if other.type == NONE else Not(test, origin=test.origin)
        return Convert(whole, type=found, origin=context.origin(node))
    if found == SIZES:  # tuples of several lengths, which have one type in C# only as arrays
        body, other = (one if isinstance(one, UnsupportedValue) else convert(one, SIZES) for one in (body, other))
    return Conditional(test, body, other, type=found or UNKNOWN, origin=context.origin(node))


def _arm(context: Context, node: ast.expr, test: Expression, truth: bool) -> Expression:
    """Lower an arm of a conditional; an arm that has no translation, and that no run reached, becomes an expression that throws in C#."""
    with context.assuming(test, truth):
        try:
            return context.expression(node)
        except Untranslatable as error:
            if context.ran(node):
                raise
            return UnsupportedValue(error.why, type=UNKNOWN, origin=error.origin)


def lower_walrus(context: Context, node: ast.NamedExpr) -> Expression:
    """Lower ``(name := value)``."""
    value = context.expression(node.value)
    target = context.assign(node.target.id, value.type, context.origin(node))
    return Bind(target.name, value, type=target.type, origin=context.origin(node))


def lower_format(context: Context, node: ast.JoinedStr) -> Expression:
    """Lower an f-string."""
    parts: list[Expression] = []
    formats: list[str] = []
    for one in node.values:
        if isinstance(one, ast.FormattedValue):
            parts.append(_formatted(context, one))
            formats.append(_format(context, one))
        else:
            parts.append(context.expression(one))
            formats.append("")
    return Format(tuple(parts), tuple(formats), type=STR, origin=context.origin(node))


def _formatted(context: Context, node: ast.FormattedValue) -> Expression:
    value = context.expression(node.value)
    inner = getattr(value.type, "element", value.type)
    if isinstance(inner, (ModuleOf, ModulesOf, ConstantOf)) or (inner == TENSOR and inner != value.type):
        context.fail(node, f"the text of a {value.type}")
    formats.check_texts(context, [node.value])
    if node.conversion not in (-1, 115):  # !s
        context.fail(node, f"the conversion of '{ast.unparse(node.value)}' in an f-string")
    return value


def _format(context: Context, node: ast.FormattedValue) -> str:
    """Return the format of a value, which must be a literal; empty if there is none."""
    if node.format_spec is None:
        return ""
    assert isinstance(node.format_spec, ast.JoinedStr)
    words = [one.value for one in node.format_spec.values if isinstance(one, ast.Constant)]
    if len(words) != len(node.format_spec.values):
        context.fail(node, f"a computed format of '{ast.unparse(node.value)}' in an f-string")
    return "".join(map(str, words))


_LOWERED: Final[dict[type[ast.expr], Callable[[Context, Any], Expression]]] = {
    ast.Constant: lower_constant,
    ast.Name: lower_name,
    ast.BoolOp: lower_logical,
    ast.IfExp: lower_conditional,
    ast.NamedExpr: lower_walrus,
    ast.JoinedStr: lower_format,
    ast.Attribute: attributes.lower,
    ast.Subscript: subscripts.lower,
    ast.BinOp: operators.lower_binary,
    ast.UnaryOp: operators.lower_unary,
    ast.Compare: operators.lower_compare,
    ast.List: containers.lower_list,
    ast.Tuple: containers.lower_tuple,
    ast.Set: containers.lower_set,
    ast.Dict: containers.lower_dict,
    ast.ListComp: containers.lower_comprehension,
    ast.SetComp: containers.lower_comprehension,
    ast.GeneratorExp: containers.lower_comprehension,
    ast.DictComp: containers.lower_comprehension,
    ast.Lambda: containers.lower_lambda,
    ast.Call: calls.lower,
}
