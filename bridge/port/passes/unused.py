"""Leave out variables that nothing reads and whose value has no effect, and branches that do nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.effects import effects
from bridge.port.ir.nodes import Assign, LocalTarget, Statement
from bridge.port.ir.traversal import walk


def drop_unused(function: nodes.Function) -> nodes.Function:
    """Return the function without code that has no effect: values that nothing reads, assignments of a name to itself, empty branches."""
    while True:
        read = {one.name for one in walk(function) if isinstance(one, (nodes.Local, nodes.Bind))}
        read |= {
            one.target.name
            for one in walk(function)
            if isinstance(one, nodes.Augment) and isinstance(one.target, LocalTarget)
        }
        made = _without(function, read)
        if made == function:
            return function
        function = made


def _without(node: Any, read: set[str]) -> Any:
    changed = {}
    for name in ("body", "other"):
        block = getattr(node, name, None)
        if isinstance(block, tuple):
            kept = tuple(_without(one, read) for one in block if not _is_unread(one, read))
            if kept != block:
                changed[name] = kept
    return replace(node, **changed) if changed else node


def _is_unread(statement: Statement, read: set[str]) -> bool:
    if isinstance(statement, nodes.If) and not (statement.body or statement.other):
        return effects(statement.test).removable
    if not isinstance(statement, Assign) or not isinstance(statement.target, LocalTarget):
        return isinstance(statement, nodes.Evaluate) and effects(statement.value).removable
    if isinstance(statement.value, nodes.Local) and statement.value.name == statement.target.name:
        return statement.value.type == statement.target.type
    return statement.target.name not in read and effects(statement.value).removable
