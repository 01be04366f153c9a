"""Shorter forms of C#: ``x ??= y``, no ``!`` after a test for null, no class name before calls of its own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Final

from bridge.port.csharp import tree

_NULL: Final = tree.Literal(None)


def assigned_if_null(node: tree.If) -> tree.Statement:
    """Return ``x ??= y`` for ``if (x is null) { x = y; }``; other branches as they are."""
    test, body = node.test, node.body
    if (
        node.other
        or len(body) != 1
        or not isinstance(test, tree.Binary)
        or (test.operator, test.right) != ("is", _NULL)
    ):
        return node
    (only,) = body
    if (
        isinstance(only, tree.Assign)
        and only.operator == "="
        and only.target == test.left
        and isinstance(test.left, tree.Name)
    ):
        return replace(only, operator="??=")
    return node


def without_null_marks(node: tree.If) -> tree.If:
    """Return a branch without the ``!`` after values that are not null if its test is true."""
    known = [one for one in _found(node.test) if not _changes(node.body, one)]
    return replace(node, body=tuple(_unmarked(one, known) for one in node.body)) if known else node


def _found(test: tree.Expression) -> Iterator[tree.Expression]:
    """Yield the values that are not null if a test is true."""
    if isinstance(test, tree.Binary) and test.operator == "&&":
        yield from _found(test.left)
        yield from _found(test.right)
    elif (
        isinstance(test, tree.Binary)
        and (test.operator, test.right) == ("is not", _NULL)
        and _root(test.left) is not None
    ):
        yield test.left


def _root(value: tree.Node) -> str | None:
    """Return the variable or field that a chain of members begins with; None for another expression."""
    while isinstance(value, tree.Member) and not value.null_conditional:
        value = value.value
    return value.name if isinstance(value, tree.Name) else None


def _changes(body: tuple[tree.Statement, ...], value: tree.Expression) -> bool:
    """Return whether statements may assign a value or the object it is a member of, or contain a function, which may run later."""
    root = _root(value)
    for node in walk(body):
        if isinstance(node, (tree.LocalFunction, tree.Lambda)):
            return True
        if isinstance(node, (tree.Assign, tree.Assigned)) and any(_root(one) == root for one in walk(node.target)):
            return True
        if isinstance(node, tree.Argument) and node.direction and _root(node.value) == root:
            return True
    return False


def _unmarked(node: Any, known: list[tree.Expression]) -> Any:
    if isinstance(node, tree.Unary) and node.postfix and node.operator == "!" and node.operand in known:
        return node.operand
    return rebuilt(node, lambda one: _unmarked(one, known))


def unqualified(found: tree.ClassDeclaration) -> tree.ClassDeclaration:
    """Return a class whose functions call each other without the class name, unless something else in a function has the same name."""
    own = {one.name for one in found.members}

    def plain(member: tree.Declaration) -> tree.Declaration:
        taken = {getattr(one, "name", "") for one in walk(member) if one is not member and not _is_own(one)}
        taken |= {name for one in walk(member) for name in _strings(_declared(one))}

        def change(node: Any) -> Any:
            if _is_own(node) and node.name in own - taken:
                return tree.Name(node.name)
            return rebuilt(node, change)

        made: tree.Declaration = rebuilt(member, change)
        return made

    def _is_own(node: Any) -> bool:
        return isinstance(node, tree.Member) and node.value == tree.Name(found.name)

    return replace(found, members=tuple(map(plain, found.members)))


def _declared(node: tree.Node) -> Any:
    """Return the names that a node declares, apart from its ``name``."""
    if isinstance(node, tree.Lambda):
        return node.parameters
    if isinstance(node, tree.DeclaredTuple):
        return node.items
    return node.target if isinstance(node, tree.ForEach) else ()


def _strings(value: Any) -> Iterator[str]:
    """Yield a name, or the names in a nested tuple."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _strings(one)


def walk(node: Any) -> Iterator[tree.Node]:
    """Yield a node, or the nodes of a tuple, and all nodes below them."""
    if isinstance(node, tuple):
        for one in node:
            yield from walk(one)
    elif isinstance(node, tree.Node):
        yield node
        for one in fields(node):
            yield from walk(getattr(node, one.name))


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node with ``change`` applied to each of its children; the node itself if nothing changed."""
    changed = {}
    for one in fields(node) if isinstance(node, tree.Node) else ():
        before = getattr(node, one.name)
        after = _each(before, change)
        if after != before:
            changed[one.name] = after
    return replace(node, **changed) if changed else node


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_each(one, change) for one in value)
    return change(value) if isinstance(value, tree.Node) else value
