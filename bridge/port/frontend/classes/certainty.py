"""Settings of layers that the source gives as literals or leaves at defaults: they do not depend on the arguments of its constructors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, Final

from torch import nn

from bridge.port.ir.nodes import Construct, Convert, Literal, Node, TupleLiteral
from bridge.port.ir.traversal import walk

_ABSENT: Final = object()


def constructions(kind: type[nn.Module], nodes: Iterable[Node]) -> list[Construct]:
    """Return the nodes that construct layers of a class or of its subclasses."""
    every = (one for node in nodes for one in walk(node))
    return [one for one in every if isinstance(one, Construct) and issubclass(one.kind, kind)]


def is_certain(made: Construct, name: str, value: Any) -> bool:
    """Return whether a setting of a layer has this value for all arguments of the constructor that makes the layer."""
    given = {one.name: one.value for one in made.arguments}
    if name in given:
        return _is_literal(given[name])
    source: Any = nn.RNNBase if issubclass(made.kind, nn.RNNBase) else made.kind
    known = inspect.signature(source).parameters.get(name)
    default = _ABSENT if known is None else known.default
    return (default is not None and bool(default == value)) or all(map(_is_literal, given.values()))


def _is_literal(node: Node) -> bool:
    if isinstance(node, Convert):
        return _is_literal(node.value)
    return isinstance(node, Literal) or (isinstance(node, TupleLiteral) and all(map(_is_literal, node.items)))
