"""The truth of tests that is the same in every call, proven by literals and types alone."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from bridge.port.ir.nodes import (
    Compare,
    Convert,
    Expression,
    Field,
    ListLiteral,
    Literal,
    Local,
    Logical,
    Not,
    SetLiteral,
    Training,
    Truth,
    TupleLiteral,
)
from bridge.port.ir.types import BOOL, NONE, UNKNOWN, OptionalOf

_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is-not": operator.is_not,
    "in": lambda value, container: value in container,
    "not-in": lambda value, container: value not in container,
}
_CONTAINERS: Final = ((TupleLiteral, tuple), (ListLiteral, list), (SetLiteral, frozenset))
_NOTHING: Final = object()


def truth(test: Expression) -> bool | None:
    """Return the truth of a test if it is known to be the same in every call; else None."""
    if isinstance(test, Literal):
        return bool(test.value)
    if isinstance(test, Truth):
        return False if test.value.type == NONE and _is_plain(test.value) else truth(test.value)
    if isinstance(test, Not):
        inner = truth(test.value)
        return None if inner is None else not inner
    if isinstance(test, Logical):
        return _of_logical(test)
    return _of_comparison(test) if isinstance(test, Compare) else None


def _of_logical(test: Logical) -> bool | None:
    deciding, unknown = test.operator == "or", False
    for one in test.values:
        found = truth(one)
        if found is deciding:
            return deciding
        if found is None and not _is_quiet(one):
            return None  # it must be evaluated before the values that follow
        unknown = unknown or found is None
    return None if unknown else not deciding


def _is_quiet(test: Expression) -> bool:
    """Return whether a test has no effect and cannot fail, such as a bool variable, or an ``is`` of variables and literals."""
    if isinstance(test, Not):
        return _is_quiet(test.value)
    if isinstance(test, Compare):
        return test.operator in ("is", "is-not") and _is_plain(test.left) and _is_plain(test.right)
    return isinstance(test, (Local, Field, Training)) and test.type == BOOL


def _of_comparison(test: Compare) -> bool | None:
    left, right = test.left, test.right
    values = (_value(left), _value(right))
    if all(one is not _NOTHING for one in values):
        try:
            return bool(_COMPARISONS[test.operator](*values))
        except (KeyError, TypeError):
            return None
    if isinstance(right, Literal) and right.value is None and test.operator in ("is", "is-not") and _is_plain(left):
        if left.type == NONE:
            return test.operator == "is"
        if left.type != UNKNOWN and not isinstance(left.type, OptionalOf):
            return test.operator == "is-not"
    return None


def _is_plain(value: Expression) -> bool:
    """Return whether a value is a variable, a field or a literal, so that reading it has no effect."""
    return isinstance(value, (Local, Field, Literal)) or (isinstance(value, Convert) and _is_plain(value.value))


def _value(found: Expression) -> Any:
    """Return the value of a literal, or of a tuple, list or set of literals; ``_NOTHING`` for another expression."""
    if isinstance(found, Literal):
        return found.value
    if not isinstance(found, (TupleLiteral, ListLiteral, SetLiteral)):
        return _NOTHING
    items = [_value(one) if isinstance(one, Expression) else _NOTHING for one in found.items]
    if any(one is _NOTHING for one in items):
        return _NOTHING
    try:
        return next(container for kind, container in _CONTAINERS if isinstance(found, kind))(items)
    except TypeError:  # a list in a set
        return _NOTHING
