"""Short ways to build calls, members and casts of C#."""

from __future__ import annotations

from bridge.port.csharp import tree
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable

ZERO = tree.Literal(0)
INT32 = tree.Type("int")


def path(name: str) -> tree.Expression:
    """Return a dotted name such as ``Math.PI`` as nested member accesses."""
    first, *others = name.split(".")
    found: tree.Expression = tree.Name(first)
    for one in others:
        found = tree.Member(found, one)
    return found


def static(name: str, *arguments: tree.Expression) -> tree.Call:
    """Return a call of a static method by its dotted name."""
    return tree.Call(path(name), tuple(map(tree.Argument, arguments)))


def call(value: tree.Expression, name: str, *arguments: tree.Expression) -> tree.Call:
    """Return a call of a value's method."""
    return tree.Call(tree.Member(value, name), tuple(map(tree.Argument, arguments)))


def index(value: tree.Expression, *indices: tree.Expression) -> tree.Index:
    """Return ``value[indices]``."""
    return tree.Index(value, tuple(map(tree.Argument, indices)))


def negated(value: tree.Expression) -> tree.Expression:
    """Return ``!value``."""
    return tree.Unary("!", value)


def chained(operator: str, values: list[tree.Expression]) -> tree.Expression:
    """Return ``a op b op c``."""
    first, *others = values
    for one in others:
        first = tree.Binary(operator, first, one)
    return first


def int32(value: tree.Expression) -> tree.Expression:
    """Return an integer as C#'s ``int``, the type of counts and indices."""
    return value if isinstance(value, tree.Literal) and not value.suffix else tree.Cast(INT32, value)


def lambda_of(name: str, body: tree.Expression) -> tree.Lambda:
    """Return ``name => body``."""
    return tree.Lambda((name,), body)


def is_plain(node: ir.Expression) -> bool:
    """Return whether an expression may be evaluated twice, or not at all, since it consists of names, literals and their parts."""
    if isinstance(node, (ir.Local, ir.Literal, ir.Self, ir.Field, ir.Training)):
        return True
    if isinstance(node, (ir.TupleItem, ir.Property, ir.Convert)):
        return is_plain(node.value)
    if isinstance(node, ir.TupleLiteral):
        return all(not isinstance(one, ir.Spread) and is_plain(one) for one in node.items)
    return isinstance(node, ir.Item) and is_plain(node.value) and isinstance(node.index, ir.Literal)


def unsupported(why: str) -> tree.New:
    """Return ``new NotSupportedException(why)``, to be thrown in place of code that no run reached and that has no translation."""
    return tree.New(tree.Type("NotSupportedException"), (tree.Argument(tree.Literal(why)),))


def refused(node: ir.Node, why: str) -> Untranslatable:
    """Return the error for a node that has no translation, with the node's place in the source."""
    return Untranslatable(node.origin, why)


def without(expression: tree.Expression, name: str) -> tree.Expression:
    """Return ``value`` if the expression is ``value.name()`` (a copy, as by ``ToList``), else the expression itself."""
    if isinstance(expression, tree.Call) and isinstance(expression.function, tree.Member) and not expression.arguments:
        return expression.function.value if expression.function.name == name else expression
    return expression
