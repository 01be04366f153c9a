"""Dictionaries that are used only for keyword arguments: ``given = {"mask": mask}`` before ``attend(**given)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bridge.port.frontend.context import Context


def entries_of(context: Context, name: str, value: ast.expr) -> dict[str, ast.expr] | None:
    """Return the entries of a dictionary whose variable the function assigns once and uses only as ``**name`` in calls; else None."""
    if not isinstance(value, ast.Dict) or not value.keys:
        return None
    literals = [one.value for one in value.keys if isinstance(one, ast.Constant)]
    keys = [one for one in literals if isinstance(one, str) and one.isidentifier()]
    if len(set(keys)) < len(value.keys):
        return None
    nodes = list(ast.walk(context.method.tree))
    spread = {id(one.value) for one in nodes if isinstance(one, ast.keyword) and one.arg is None}
    named = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    once = sum(isinstance(one.ctx, ast.Store) for one in named) == 1
    taken = {one.id for one in nodes if isinstance(one, ast.Name)} & {f"{name}_{key}" for key in keys}
    if not once or taken or any(isinstance(one.ctx, ast.Load) and id(one) not in spread for one in named):
        return None
    return dict(zip(keys, value.values, strict=True))


def is_settled(context: Context, value: ast.expr) -> bool:
    """Return whether an expression is a local variable that no later statement assigns."""
    if not isinstance(value, ast.Name) or context.loops:
        return False
    stored = [
        one
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Name) and one.id == value.id and not isinstance(one.ctx, ast.Load)
    ]
    return context.scope.knows(value.id) and all(one.lineno < value.lineno for one in stored)


def expanded(context: Context, value: ast.Name) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keywords in a dictionary of keyword arguments, each with the variable that holds the keyword's value."""
    for key, variable in context.given[value.id].items():
        yield key, ast.copy_location(ast.Name(variable, ast.Load()), value)
