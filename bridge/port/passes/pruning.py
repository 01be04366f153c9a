"""Leave out branches that never run with the settings of the model, and unreachable statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.nodes import If, Literal, Note, Statement, While
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.passes.folding import fold, settled


def prune(node: Any) -> Any:
    """Return the node without branches that never run; a note names the settings that rule a branch out."""
    if isinstance(node, tuple):
        return _statements(node)
    if not isinstance(node, (nodes.Function, Statement)):
        return fold(node)
    changed: Any = {name: _statements(getattr(node, name)) for name in ("body", "other") if hasattr(node, name)}
    rest: Any = rebuilt(node, lambda one: one if isinstance(one, Statement) else fold(one))
    return replace(rest, **changed) if changed else rest


def _statements(found: tuple[Statement, ...]) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for one in found:
        made += _statement(one)
        if made and ends(made[-1]):
            break
    return tuple(made)


def _statement(statement: Statement) -> list[Statement]:
    if isinstance(statement, nodes.Assert) and settled(statement.test):
        return []
    if isinstance(statement, nodes.Assert) and _is_false(statement.test):
        return [nodes.Raise("AssertionError", statement.message, origin=statement.origin)]
    if not isinstance(statement, (If, While)):
        return [prune(statement)]
    known = settled(statement.test)
    if known is None or (isinstance(statement, While) and known):
        return [prune(statement)]
    taken = statement.body if known else statement.other
    notes = [Note(text, origin=statement.origin)] if (text := _why(statement.test)) else []
    return [*notes, *_statements(taken)]


def _is_false(test: nodes.Expression) -> bool:
    """Return whether a test is the word ``False``, not a setting with that value."""
    return isinstance(test, Literal) and test.value is False and not test.name


def _why(test: nodes.Expression) -> str:
    """Return the settings that decide a test: ``use_bias is False``."""
    named = {one.name: one.value for one in walk(test) if isinstance(one, Literal) and one.name}
    return ", ".join(f"{name} is {value!r}" for name, value in named.items())


def ends(statement: Statement) -> bool:
    """Return whether the code after the statement in its block is unreachable."""
    match statement:
        case nodes.Return() | nodes.Raise() | nodes.Break() | nodes.Continue() | nodes.Unsupported():
            return True
        case If(_, body, other):
            return bool(body) and bool(other) and ends(body[-1]) and ends(other[-1])
        case nodes.GradientMode(_, body):
            return bool(body) and ends(body[-1])
        case _:
            return False
