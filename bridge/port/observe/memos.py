"""Memos: values that a method keeps only to avoid computing them again. C# computes them again, since a dispose scope would free them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator


def remove_memos(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Remove ``if key not in self.kept: self.kept[key] = value`` from a function, and replace ``self.kept[key]`` by the value.

    The statement is a memo only if the value depends on nothing but ``self``, constants and the key. Statements that only computed the key
    are removed, too.
    """
    for block in list(_blocks(tree)):
        for statement in list(block):
            found = _memo(statement, tree)
            if found is not None:
                entry, value = found
                block[:] = [one for one in block if one is not statement] or [ast.Pass()]
                _Reads(ast.unparse(entry), value).visit(tree)
                _without_unread(tree, {one.id for one in ast.walk(entry.slice) if isinstance(one, ast.Name)})
                _one_way(tree)
    return tree


def _memo(statement: ast.stmt, tree: ast.FunctionDef) -> tuple[ast.Subscript, ast.expr] | None:
    """Return the entry that a statement fills if it is missing, and the value; None if the statement is no memo."""
    if not isinstance(statement, ast.If) or statement.orelse or len(statement.body) != 1:
        return None
    test, filled = statement.test, statement.body[0]
    if (
        not isinstance(test, ast.Compare)
        or not isinstance(test.ops[0], ast.NotIn)
        or not isinstance(filled, ast.Assign)
    ):
        return None
    (entry, *others), (kept,) = filled.targets, test.comparators
    if others or not isinstance(entry, ast.Subscript) or not isinstance(kept, ast.Attribute):
        return None
    if ast.unparse(entry) != f"{ast.unparse(kept)}[{ast.unparse(test.left)}]" or ast.unparse(kept.value) != "self":
        return None
    named = {one.id for one in ast.walk(filled.value) if isinstance(one, ast.Name)}
    local = {one.arg for one in (*tree.args.args, *tree.args.kwonlyargs)}
    local |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if named & local - {"self"} - {one.id for one in ast.walk(test.left) if isinstance(one, ast.Name)}:
        return None
    whole, reads = ast.unparse(kept), 0
    for one in ast.walk(tree):
        if isinstance(one, ast.Subscript) and ast.unparse(one) == ast.unparse(entry):
            reads += 1
    mentions = sum(isinstance(one, ast.Attribute) and ast.unparse(one) == whole for one in ast.walk(tree))
    return (entry, filled.value) if mentions == reads + 1 and reads == 2 else None


def _blocks(tree: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in list(ast.walk(tree)):
        for name in ("body", "orelse"):
            if isinstance(block := getattr(node, name, None), list):
                yield block


def _one_way(tree: ast.FunctionDef) -> None:
    """Replace each ``if`` whose two branches are equal by one of them, and remove each ``if`` whose body equals the statements after it."""
    for block in _blocks(tree):
        for place, one in enumerate(list(block)):
            other = (one.orelse or block[place + 1 :]) if isinstance(one, ast.If) else []
            if isinstance(one, ast.If) and list(map(ast.dump, one.body)) == list(map(ast.dump, other)):
                block[place : place + 1] = one.body if one.orelse else []


class _Reads(ast.NodeTransformer):
    def __init__(self, entry: str, value: ast.expr) -> None:
        self._entry, self._value = entry, value

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node) == self._entry:
            return ast.copy_location(self._value, node)
        return self.generic_visit(node)


def _without_unread(tree: ast.FunctionDef, names: set[str]) -> None:
    """Remove ``name = str(…)`` where nothing reads the name any more."""
    read = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    for block in _blocks(tree):
        kept = [one for one in block if not (_plain(one) & (names - read))]
        block[:] = kept or [ast.Pass() for _ in block[:1]]


def _plain(statement: ast.stmt) -> set[str]:
    """Return the name that a statement assigns, if its value calls only functions built into Python; else an empty set."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return set()
    called = [one.func for one in ast.walk(statement.value) if isinstance(one, ast.Call)]
    if not all(isinstance(one, ast.Name) and hasattr(builtins, one.id) for one in called):
        return set()
    return {one.id for one in statement.targets if isinstance(one, ast.Name)}
