"""Throw before a statement where its value would throw: ``x = test ? call() : throw`` as ``if (!test) throw; x = call();``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.nodes import (
    Assign,
    Conditional,
    Evaluate,
    If,
    Not,
    Return,
    Statement,
    Unsupported,
    UnsupportedValue,
)
from bridge.port.ir.types import BOOL

_CALLS = (nodes.FunctionCall, nodes.MethodCall, nodes.ModuleCall)


def hoist(function: nodes.Function) -> nodes.Function:
    """Return the function with the tests of values that C# does not take, in a call or a tuple, as statements before its own."""
    made: nodes.Function = _inside(function)
    return made


def _inside(node: Any) -> Any:
    changed = {}
    for name in ("body", "other"):
        block = getattr(node, name, None)
        if isinstance(block, tuple):
            changed[name] = tuple(new for one in block for new in _split(_inside(one)))
    return replace(node, **changed) if changed else node


def _split(statement: Statement) -> list[Statement]:
    tests: list[Statement] = []
    if not isinstance(statement, (Assign, Evaluate, Return)):
        return [statement]
    value = statement.value
    while isinstance(value, Conditional) and isinstance(value.other, UnsupportedValue) and _is_guarded(value.body):
        thrown = Unsupported(value.other.why, origin=value.other.origin)
        opposite = Not(value.test, type=BOOL, origin=value.test.origin)
        tests.append(If(opposite, (thrown,), origin=statement.origin))
        value = value.body
    if value is None or not tests:
        return [statement]
    tests[0] = replace(tests[0], comments=statement.comments)
    return [*tests, replace(statement, value=value, comments=())]


def _is_guarded(value: nodes.Expression) -> bool:
    return isinstance(value, (*_CALLS, nodes.TupleLiteral)) or (
        isinstance(value, Conditional) and isinstance(value.other, UnsupportedValue)
    )
