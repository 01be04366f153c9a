"""Dictionaries that are used only for keyword arguments: ``given = {"mask": mask}`` before ``attend(**given)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bridge.port.frontend.context import Context


def entries_of(context: Context, name: str, value: ast.expr) -> dict[str, ast.expr] | None:
    """Return the entries of a dictionary whose variable the function assigns once and uses only as ``**name`` in calls; else None.

    It may also be copied to another such variable. An entry that is set where no run came is for the statement that sets it to refuse.
    """
    entries = _written(context, value)
    if not entries:
        return None
    nodes = list(ast.walk(context.method.tree))
    named = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    once = sum(isinstance(one.ctx, ast.Store) for one in named) == 1
    taken = {one.id for one in nodes if isinstance(one, ast.Name)} & {f"{name}_{key}" for key in entries}
    used = {one for node in nodes for one in _uses(context, node)}
    if (
        not once
        or taken
        or context.scope.knows(name)
        or any(isinstance(one.ctx, ast.Load) and one not in used for one in named)
    ):
        return None
    return entries


def _written(context: Context, value: ast.expr) -> dict[str, ast.expr]:
    """Return the entries of a dictionary that is written out, or a copy of one; empty if some keys are no keywords."""
    if (source := _copied(value)) is not None and source.id in context.given:
        return dict(expanded(context, source))
    if not isinstance(value, ast.Dict):
        return {}
    literals = [one.value for one in value.keys if isinstance(one, ast.Constant)]
    keys = [one for one in literals if isinstance(one, str) and one.isidentifier()]
    return {} if len(set(keys)) < len(value.keys) else dict(zip(keys, value.values, strict=True))


def _copied(value: ast.AST) -> ast.Name | None:
    """Return the variable of which an expression is a copy, as ``name.copy()``; None for another expression."""
    function = value.func if isinstance(value, ast.Call) and not value.args and not value.keywords else None
    if not isinstance(function, ast.Attribute) or function.attr != "copy" or not isinstance(function.value, ast.Name):
        return None
    return function.value


def _uses(context: Context, node: ast.AST) -> Iterator[ast.AST]:
    """Yield the dictionaries that a node uses in a way that needs no dictionary: ``**name``, a copy, an entry set where no run came."""
    if isinstance(node, ast.keyword) and node.arg is None:
        yield node.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and (name := _copied(node.value)):
        yield name
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and not context.ran(node):
        yield node.targets[0].value


def passed_on(tree: ast.FunctionDef, kwarg: str, name: str) -> frozenset[ast.AST]:
    """Return the uses of ``**kwargs`` that are the same with None for ``name`` and without it.

    They are ``**kwargs`` in calls, and ``kwargs.get("a")``, for ``name`` itself without a default.
    """
    nodes = list(ast.walk(tree))
    found: set[ast.AST] = {one.value for one in nodes if isinstance(one, ast.keyword) and one.arg is None}
    for one in nodes:
        function = one.func if isinstance(one, ast.Call) else None
        if isinstance(one, ast.Call) and isinstance(function, ast.Attribute) and function.attr in ("get", "pop"):
            key = one.args[0].value if one.args and isinstance(one.args[0], ast.Constant) else name
            rest = [given.value for given in one.args[1:] if isinstance(given, ast.Constant)]
            if key != name or len(one.args) == 1 or rest == [None]:
                found.add(function.value)
    return frozenset(one for one in found if isinstance(one, ast.Name) and one.id == kwarg)


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
