"""Give ``and`` and ``or`` C#'s form: between bools they stay, between other values they become conditional expressions."""

from __future__ import annotations

from itertools import count
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Bind, Compare, Conditional, Convert, Expression, Literal, Local, Logical, Truth
from bridge.port.ir.traversal import rebuilt
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, OptionalOf, Type


def simplify_logic(function: nodes.Function) -> nodes.Function:
    """Return the function, in which all operands of ``and`` and ``or`` are bools."""
    made: nodes.Function = _Logic().run(function)
    return made


class _Logic:
    def __init__(self) -> None:
        self._numbers = count(1)

    def run(self, node: Any) -> Any:
        if isinstance(node, Truth) and isinstance(node.value, Logical):
            inner = node.value
            values = tuple(self.run(_truth(one)) for one in inner.values)
            return Logical(inner.operator, values, type=BOOL, origin=inner.origin)
        node = rebuilt(node, self.run)
        if isinstance(node, Logical) and any(one.type != BOOL for one in node.values):
            return self._chosen(node.operator, node.values, node)
        return node

    def _chosen(self, operator: str, values: tuple[Expression, ...], whole: Logical) -> Expression:
        """Return ``a or b`` as ``a if bool(a) else b``, with ``a`` in a variable if it is more than a name."""
        first, *others = values
        if not others:
            return _as(first, whole.type)
        rest = self._chosen(operator, tuple(others), whole)
        again: Expression = first
        if not isinstance(first, (Local, nodes.Field, Literal)):
            name = f"value#{next(self._numbers)}"
            first, again = Bind(name, first, type=first.type), Local(name, type=first.type)
        there = again
        if isinstance(again.type, OptionalOf):
            there = Convert(again, True, type=again.type.inner)
        test = _truth(first)
        kept = _as(there if operator == "or" else again, whole.type)
        body, other = (kept, rest) if operator == "or" else (rest, kept)
        return Conditional(test, body, other, type=whole.type, origin=whole.origin)


def _as(value: Expression, kind: Type) -> Expression:
    """Return the value, converted to the type of the whole expression."""
    widened = kind == FLOAT and value.type in (INT, BOOL)
    return Convert(value, type=kind, origin=value.origin) if widened else value


def _truth(value: Expression) -> Expression:
    if value.type == BOOL:
        return value
    if isinstance(value.type, OptionalOf) and value.type.inner not in (INT, FLOAT, BOOL):
        kind = str(value.type.inner)
        if not kind.startswith(("Tensor", "str", "list", "dict", "set", "Size", "(")):  # a module, a function
            none = Literal(None, type=NONE)
            return Compare("is-not", value, none, type=BOOL, origin=value.origin)
    return Truth(value, origin=value.origin)
