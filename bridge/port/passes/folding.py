"""Fold expressions whose value the source and the settings of the model decide, so that it is the same in every call."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeGuard

from bridge.port.ir import nodes
from bridge.port.ir.effects import effects
from bridge.port.ir.nodes import Compare, Conditional, Convert, Expression, Literal, Logical, Not, Truth
from bridge.port.ir.traversal import rebuilt
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, STR, ModuleOf, OptionalOf

_PLAIN: Final = (bool, int, float, str, type(None))
_COMPUTED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_COMPARED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is-not": operator.is_not,
}  # fmt: skip
_LARGEST: Final = 2**63


def fold(node: Any) -> Any:
    """Return the node with literals in place of expressions of known value."""
    node = rebuilt(node, fold)
    rule = _RULES.get(type(node))
    return rule(node) if rule is not None else node


def decided(node: Expression) -> bool | None:
    """Return the truth of a literal bool, number, string or None; None for another expression."""
    return bool(node.value) if isinstance(node, Literal) and isinstance(node.value, _PLAIN) else None


def settled(test: Expression) -> bool | None:
    """Return the truth of a test that literals decide, also by arithmetic with numbers of settings, which stay readable elsewhere."""
    return decided(fold(_without_settings(test)))


def _without_settings(node: Any) -> Any:
    node = rebuilt(node, _without_settings)
    return replace(node, name="") if isinstance(node, Literal) and node.of_settings else node


def _literal(like: Expression, value: Any) -> Expression:
    kinds = {bool: BOOL, int: INT, float: FLOAT, str: STR, type(None): NONE}
    return Literal(value, type=kinds[type(value)], origin=like.origin)


def _binary(node: nodes.Binary) -> Expression:
    left, right = node.left, node.right
    if node.operator == "*" and left.type == right.type == INT:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Literal) and one.value == 1 and not one.name:
                return other
    if not (isinstance(left, Literal) and isinstance(right, Literal) and node.operator in _COMPUTED):
        return node
    if left.name or right.name:  # a named constant stays readable: hidden / 2
        return node
    try:
        value = _COMPUTED[node.operator](left.value, right.value)
    except (TypeError, ValueError, ArithmeticError):  # raised when the expression is reached, as in Python
        return node
    small = isinstance(value, (bool, float, str)) or (isinstance(value, int) and -_LARGEST <= value < _LARGEST)
    return _literal(node, value) if small else node


def _unary(node: nodes.Unary) -> Expression:
    operand = node.operand
    if (
        isinstance(operand, Literal)
        and type(operand.value) in (int, float)
        and node.operator == "-"
        and not operand.name
    ):
        return _literal(node, -operand.value)
    return node


def _compare(node: Compare) -> Expression:
    left, right = _of_none(node.left), node.right
    if _is_plain(left) and _is_plain(right) and node.operator in _COMPARED:
        try:
            return _literal(node, bool(_COMPARED[node.operator](left.value, right.value)))
        except TypeError:  # raised when it is reached
            return node
    if node.operator in ("is", "is-not") and _is_none(right) and not _may_be_none(left) and effects(left).removable:
        return _literal(node, node.operator == "is-not")
    if (
        node.operator in ("in", "not-in")
        and _is_plain(left)
        and isinstance(right, (nodes.TupleLiteral, nodes.ListLiteral))
    ):
        items = [one.value for one in right.items if _is_plain(one)]
        if len(items) == len(right.items):
            return _literal(node, (left.value in items) == (node.operator == "in"))
    return node


def _of_none(node: Expression) -> Expression:
    """Return the literal None if the expression converts it to an optional type; else the expression."""
    return node.value if isinstance(node, Convert) and _is_none(node.value) else node


def _is_plain(node: nodes.Node) -> TypeGuard[Literal]:
    return isinstance(node, Literal) and isinstance(node.value, _PLAIN)


def _is_none(node: Expression) -> bool:
    return isinstance(node, Literal) and node.value is None


def _may_be_none(node: Expression) -> bool:
    return node.type == NONE or isinstance(node.type, OptionalOf) or str(node.type) == "unknown"


def _truth(node: Truth) -> Expression:
    value = node.value
    if (known := decided(value)) is not None:
        return _literal(node, known)
    if isinstance(value.type, ModuleOf) and not hasattr(value.type.kind, "__len__") and effects(value).removable:
        return _literal(node, True)
    return value if value.type == BOOL else node


def _not(node: Not) -> Expression:
    known = decided(node.value)
    if known is not None:
        return _literal(node, not known)
    return node.value.value if isinstance(node.value, Not) else node


def _logical(node: Logical) -> Expression:
    """Leave out the values that cannot decide the result, and all values after the first value that decides it."""
    decides = node.operator == "or"
    kept: list[Expression] = []
    for place, value in enumerate(node.values):
        known = decided(value)
        if known is None or (known != decides and place == len(node.values) - 1):
            kept.append(value)
        elif known == decides:
            kept.append(value)
            break
    if len(kept) > 1 and node.type == BOOL and (last := decided(kept[-1])) is not None and last != decides:
        kept.pop()  # ``x and True``
    if len(kept) > 1 and node.type == BOOL and decided(kept[-1]) == decides and effects(*kept[:-1]).removable:
        return kept[-1]  # ``x or True``
    return kept[0] if len(kept) == 1 else nodes.Logical(node.operator, tuple(kept), type=node.type, origin=node.origin)


def _conditional(node: Conditional) -> Expression:
    known = settled(node.test)
    return node if known is None else node.body if known else node.other


def _convert(node: Convert) -> Expression:
    value = node.value
    if value.type == node.type:
        return value
    if isinstance(value, Literal) and not value.name and node.type == FLOAT and type(value.value) is int:
        return _literal(node, float(value.value))
    return node


def _tuple_item(node: nodes.TupleItem) -> Expression:
    """Return the item itself if the other items of the tuple have no effect; for ``divmod``, its ``//`` or ``%``; else the node."""
    value = node.value
    if isinstance(value, nodes.BuiltinCall) and value.name == "divmod":
        left, right = value.arguments
        return _binary(nodes.Binary(("//", "%")[node.place], left, right, type=node.type, origin=node.origin))
    if not isinstance(value, nodes.TupleLiteral) or any(isinstance(one, nodes.Spread) for one in value.items):
        return node
    others = [one for place, one in enumerate(value.items) if place != node.place]
    item = value.items[node.place]
    return item if isinstance(item, Expression) and effects(*others).removable else node


def _builtin(node: nodes.BuiltinCall) -> Expression:
    functions: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float}
    (first, *others) = node.arguments or (None,)
    if not isinstance(first, Literal) or others or node.keywords or node.name not in functions or first.name:
        return node
    try:
        return _literal(node, functions[node.name](first.value)) if type(first.value) in (bool, int, float) else node
    except (ValueError, OverflowError):  # int(inf), raised when it is reached
        return node


_RULES: Final[dict[type, Callable[[Any], Any]]] = {
    nodes.Binary: _binary,
    nodes.Unary: _unary,
    Compare: _compare,
    Truth: _truth,
    Not: _not,
    Logical: _logical,
    Conditional: _conditional,
    Convert: _convert,
    nodes.BuiltinCall: _builtin,
    nodes.TupleItem: _tuple_item,
}
