"""Declare each variable where it is first used: with its first value, or above the blocks that assign it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Assign, Bind, Declare, Function, LocalTarget, Node, Statement, Target, TupleTarget
from bridge.port.ir.traversal import children, walk
from bridge.port.ir.types import Type, join

#: Nodes that declare their own names: these are no variables of the block around them.
_INNER = (nodes.Lambda, nodes.Comprehension, nodes.NestedFunction)


def declare(function: Function) -> Function:
    """Return the function with a declaration of each of its variables."""
    known = frozenset(one.name for one in function.parameters)
    types = _types(function.body)
    return replace(function, body=_block(function.body, known, types))


def _types(body: Iterable[Statement]) -> dict[str, Type]:
    found: dict[str, list[Type]] = {}
    for one in _mentions(body):
        if isinstance(one, (LocalTarget, Bind)):
            found.setdefault(one.name, []).append(one.type)
    return {name: join(kinds) or kinds[0] for name, kinds in found.items()}


def _mentions(found: Iterable[Node]) -> Iterable[Node]:
    """Yield the nodes and all nodes below them.

    Of a node that declares its own names, yield only its free variables and, unless it is a nested function, its walruses.
    """
    for node in found:
        if isinstance(node, _INNER):
            own = _bound(node)
            yield from (one for one in walk(node) if isinstance(one, nodes.Local) and one.name not in own)
            if not isinstance(node, nodes.NestedFunction):
                yield from (one for one in walk(node) if isinstance(one, Bind))
        else:
            yield node
            yield from _mentions(children(node))


def _bound(node: Node) -> set[str]:
    if isinstance(node, nodes.Lambda):
        return set(node.parameters)
    if isinstance(node, nodes.NestedFunction):
        inner = {one.name for one in walk(node) if isinstance(one, LocalTarget)}
        return inner | {one.name for one in node.parameters}
    return {one.name for one in walk(node) if isinstance(one, LocalTarget)}


def _names(found: Iterable[Node]) -> set[str]:
    """Return the variables that are read or written in nodes."""
    kinds = (nodes.Local, LocalTarget, Bind, nodes.CountingLoop)
    return {one.name for one in _mentions(found) if isinstance(one, kinds)}


def _written(found: Iterable[Node]) -> set[str]:
    return {one.name for one in _mentions(found) if isinstance(one, (LocalTarget, Bind))}


def _bound_in(target: Target) -> set[str]:
    """Return the variables that a walrus within a target assigns: ``n`` of ``x[(n := 1)]``."""
    return {one.name for one in _mentions([target]) if isinstance(one, Bind)}


def _block(block: tuple[Statement, ...], known: frozenset[str], types: dict[str, Type]) -> tuple[Statement, ...]:
    """Declare the variables that the block assigns and no block around it has declared."""
    level = _level(block, known)
    made: list[Statement] = []
    for statement in block:
        fresh = _written([statement]) - known
        if isinstance(statement, Assign) and fresh:
            above = (_written([statement.value]) | _bound_in(statement.target)) - known
            made += [Declare(name, types[name], True, origin=statement.origin) for name in sorted(above)]
            made.append(replace(statement, target=_declared(statement.target, fresh - above, types)))
            known |= fresh
            continue
        above = fresh & level
        made += [
            Declare(name, types[name], _settles(name, (statement,)), origin=statement.origin) for name in sorted(above)
        ]
        known |= above
        made.append(_inside(statement, known, types))
    return tuple(made)


def _level(block: tuple[Statement, ...], known: frozenset[str]) -> frozenset[str]:
    """Return the variables that the block itself must declare.

    It must declare a variable if it assigns it itself, if later statements read it, or if several parts of one statement share it.
    """
    found: set[str] = set()
    for place, statement in enumerate(block):
        fresh = _written([statement]) - known
        if isinstance(statement, Assign):
            found |= fresh
        else:
            later = block[place + 1 :]
            found |= {name for name in fresh if _shared(name, statement) or _scan(name, later)[0]}
    return frozenset(found)


def _shared(name: str, statement: Statement) -> bool:
    """Return whether several parts of the statement use one value of the variable, so that none of its blocks may declare it."""
    if isinstance(statement, nodes.For) and name in _written([statement.target]):
        return name in _names(statement.other)
    blocks = [getattr(statement, part, ()) for part in ("body", "other")]
    head = [one for one in children(statement) if not isinstance(one, Statement)]
    if name in _names(head):
        return True
    loops = (nodes.For, nodes.While, nodes.CountingLoop)
    # A value that the next iteration reads outlives the block.
    return isinstance(statement, loops) and any(_scan(name, block)[0] for block in blocks)


def _scan(name: str, block: Iterable[Statement]) -> tuple[bool, bool]:
    """Return whether the block may read the variable before it assigns it, and whether it assigns it in any case."""
    for statement in block:
        read, assigned = _scan_statement(name, statement)
        if read or assigned:
            return read, assigned
    return False, False


def _scan_statement(name: str, statement: Statement) -> tuple[bool, bool]:
    target = getattr(statement, "target", None)
    blocks = [getattr(statement, part, ()) for part in ("body", "other")]
    head = [one for one in children(statement) if not isinstance(one, Statement)]
    if name in _reads(head) or (isinstance(statement, nodes.Augment) and name in _written([statement.target])):
        return True, False
    if isinstance(statement, nodes.NestedFunction):
        return name in _names([statement]), False
    if isinstance(statement, (nodes.Return, nodes.Raise, nodes.Unsupported, nodes.Break, nodes.Continue)):
        return False, True
    if isinstance(statement, Assign):
        return False, name in _written([statement])
    if any(_always_binds(name, one) for one in head if not isinstance(one, (LocalTarget, TupleTarget))):
        return False, True
    if isinstance(statement, nodes.CountingLoop) and statement.name == name:
        return False, False
    if target is not None and name in _written([target]):
        return _scan(name, blocks[1])[0], False
    found = [_scan(name, one) for one in blocks]
    both = isinstance(statement, nodes.If) and all(assigned for _, assigned in found)
    return any(read for read, _ in found), both or (isinstance(statement, nodes.GradientMode) and found[0][1])


def _reads(found: Iterable[Node]) -> set[str]:
    return {one.name for one in _mentions(found) if isinstance(one, nodes.Local)}


def _inside(statement: Any, known: frozenset[str], types: dict[str, Type]) -> Statement:
    changed: dict[str, Any] = {}
    inner = known
    if isinstance(statement, nodes.For):
        fresh = _written([statement.target]) - known
        changed["target"] = _declared(statement.target, fresh, types)
        inner = known | fresh
    if isinstance(statement, nodes.CountingLoop):
        inner = known | {statement.name}
    if isinstance(statement, nodes.NestedFunction):
        inner = known | {one.name for one in statement.parameters}
        types = {**types, **_types(statement.body)}
    for part in ("body", "other"):
        if isinstance(block := getattr(statement, part, None), tuple):
            changed[part] = _block(block, inner, types)
    made: Statement = replace(statement, **changed) if changed else statement
    return made


def _declared(target: Target, names: set[str], types: dict[str, Type]) -> Target:
    if isinstance(target, LocalTarget) and target.name in names:
        return replace(target, declares=True, type=types[target.name])
    if isinstance(target, TupleTarget):
        return replace(target, items=tuple(_declared(one, names, types) for one in target.items))
    return target


def _settles(name: str, block: Iterable[Statement]) -> bool:
    """Return whether every path through the block assigns the variable before anything reads it, or leaves the block."""
    return _scan(name, block) == (False, True)


def _always_binds(name: str, node: Node) -> bool:
    """Return whether evaluating the expression always assigns the variable."""
    if isinstance(node, Bind) and node.name == name:
        return True
    parts = list(children(node))
    if isinstance(node, (nodes.Logical, nodes.Conditional)):
        parts = parts[:1]
    return any(_always_binds(name, one) for one in parts)
