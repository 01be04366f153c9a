"""Walks over nodes and rebuilds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from bridge.port.ir.nodes import Node

N = TypeVar("N", bound=Node)
_PLAIN: Final = ("origin", "comments", "remark", "type")
_FIELDS: Final[dict[Any, tuple[str, ...]]] = {}


def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of a node's fields that may hold nodes."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(one.name for one in fields(kind) if one.name not in _PLAIN)
    return _FIELDS[kind]


def children(node: Node) -> Iterator[Node]:
    """Yield the children of a node, for most nodes in Python's order of evaluation."""
    for name in _names(type(node)):
        yield from _nodes(getattr(node, name))


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _nodes(one)


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it, parents first."""
    waiting: list[Any] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node):
            yield one
            waiting += [getattr(one, name) for name in reversed(_names(type(one)))]
        elif isinstance(one, tuple):
            waiting += reversed(one)


def rebuilt(node: N, change: Callable[[Any], Any]) -> N:
    """Return the node with ``change`` applied to each of its children; the node itself if nothing changed."""
    changed = {}
    for name in _names(type(node)):
        before = getattr(node, name)
        after = _changed(before, change)
        if after is not before:
            changed[name] = after
    return replace(node, **changed) if changed else node


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, Node):
        return change(value)
    if isinstance(value, tuple):
        made = tuple(_changed(one, change) for one in value)
        return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
    return value
