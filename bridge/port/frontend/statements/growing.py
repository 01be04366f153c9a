"""Tuples that grow in a loop: ``states = states + (x,)``; they have no single length, so C# has lists, which nothing changes in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.ir.types import TENSOR, UNKNOWN, TupleOf, Type

#: Functions that tell a tuple from a list.
_TELLING = frozenset({"isinstance", "str", "repr", "print", "hash", "type", "set"})


def grown_tuples(context: Context) -> frozenset[ast.AST]:
    """Return the tuples in the source that are parts of a variable to which the runs added tensors."""
    tree = context.method.tree
    loops = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))]
    names = {name for loop in loops for node in ast.walk(loop) if (name := _grows(node))}
    found: set[ast.AST] = set()
    for name in names:
        tuples = _tuples(tree, name)
        if (
            tuples is not None
            and all(_is_of_tensors(context, one, name) for one in tuples)
            and any(observed_type(context, item) != UNKNOWN for one in tuples for item in one.elts)
            and not _is_told(tree, name)
        ):
            found |= set(tuples)
    return frozenset(found)


def _grows(node: ast.AST) -> str:
    """Return the variable to which a statement adds items: ``name = name + (x,)`` or ``name += (x,)``; empty for another statement."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id if isinstance(node.op, ast.Add) and isinstance(node.value, ast.Tuple) else ""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return ""
    return node.targets[0].id if _added(node.value, node.targets[0].id) is not None else ""


def _added(value: ast.expr, name: str) -> ast.Tuple | None:
    """Return the tuple in ``name + (x,)``, or ``(*name, x)`` itself; None for another expression."""
    if isinstance(value, ast.Tuple):
        return value if any(_is_spread(one, name) for one in value.elts) else None
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add) or not isinstance(value.right, ast.Tuple):
        return None
    return value.right if isinstance(value.left, ast.Name) and value.left.id == name else None


def _is_spread(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Starred) and isinstance(node.value, ast.Name) and node.value.id == name


def _tuples(tree: ast.FunctionDef, name: str) -> list[ast.Tuple] | None:
    """Return the tuples in all values of a variable; None if it has other values, too."""
    found: list[ast.Tuple] = []
    stores = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == name and _is_store(one)]
    values = list(_values(tree, name))
    if len(stores) != len(values) or any(one.arg == name for one in ast.walk(tree.args) if isinstance(one, ast.arg)):
        return None
    for value in values:
        arms = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        for one in arms:
            part = _added(one, name) or one
            if isinstance(part, ast.Tuple):
                found.append(part)
            elif not isinstance(part, ast.Constant) or part.value is not None:
                return None
    return found


def _is_store(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _values(tree: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """Yield the values that assignments give to a variable alone."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        plain = isinstance(node, (ast.Assign, ast.AnnAssign)) or (
            isinstance(node, ast.AugAssign) and bool(_grows(node))
        )
        if plain and len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name:
            value = getattr(node, "value", None)
            if isinstance(value, ast.expr):
                yield value


def _is_of_tensors(context: Context, node: ast.Tuple, name: str) -> bool:
    """Return whether the runs showed no item of a tuple that is no tensor, nor a tuple of tensors."""
    items = [one for one in node.elts if not _is_spread(one, name)]
    return all(not isinstance(one, ast.Starred) and _is_tensor(observed_type(context, one)) for one in items)


def _is_tensor(found: Type) -> bool:
    return found in (TENSOR, UNKNOWN) or (isinstance(found, TupleOf) and all(map(_is_tensor, found.items)))


def _is_told(tree: ast.FunctionDef, name: str) -> bool:
    """Return whether a function may tell by the value of a variable whether it is a tuple or a list."""
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TELLING:
            parts = [*node.args]
        elif isinstance(node, ast.FormattedValue):
            parts = [node.value]
        elif isinstance(node, ast.Compare) and not all(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops):
            parts = [node.left, *node.comparators]
        if any(isinstance(one, ast.Name) and one.id == name for one in parts):
            return True
    return False
