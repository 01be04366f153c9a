"""Give variables the names that they have in C#."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Function
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.types import BOOL, FLOAT, INT, STR, DictOf, ListOf, TupleOf, Type, required

#: Names for variables whose name has a meaning in C#: ``input`` is better than ``@in``.
_BETTER: Final = {
    **{"out": "output", "in": "input", "params": "parameters", "object": "item", "base": "root", "this": "self"},
    # Classes of C# and TorchSharp whose methods are called: a variable of the same name would hide the class.
    **{"F": "f", "Math": "math"},
    # Keywords for types of C#.
    **{
        name: f"{name}Value"
        for name in ("bool", "byte", "char", "decimal", "double", "float", "int", "long", "short", "string")
    },
}
_ENDINGS: Final[dict[Type, str]] = {INT: "Number", FLOAT: "Number", BOOL: "Flag", STR: "Text"}


def rename(function: Function, taken: frozenset[str] = frozenset()) -> Function:
    """Return the function, whose variables have their names in C#; ``taken`` are names that mean something else in C#."""
    types: dict[str, Type] = {}
    order: dict[str, None] = dict.fromkeys(one.name for one in function.parameters)
    for one in walk(function):
        if isinstance(one, (nodes.LocalTarget, nodes.Local, nodes.Bind, nodes.Declare)):
            types.setdefault(one.name, one.type)
        for name in _names_of(one):
            order.setdefault(name)
    names: dict[str, str] = {}
    plain = {name for name in order if "#" not in name and name not in _BETTER}
    better = {name: _unused(_BETTER[name], plain) for name in order if name in _BETTER}
    if _only_counts(function, "_"):
        better["_"] = next((letter for letter in "ijkn" if letter not in plain | taken), "_")
    used = {*plain, *better.values()}
    for name in order:
        word = better.get(name, name) if "#" not in name else _version(name, types.get(name), used | taken)
        names[name] = word
        used.add(word)
    renamed: Function = _renamed(function, names)
    return renamed


def _only_counts(function: Function, name: str) -> bool:
    """Return whether the variable is used only to count the iterations of loops."""
    nodes_of = [one for one in walk(function) if name in _names_of(one)]
    return bool(nodes_of) and all(isinstance(one, nodes.CountingLoop) for one in nodes_of)


def _unused(word: str, used: Collection[str]) -> str:
    """Return the name, with a number appended if another variable has the name."""
    number, found = 2, word
    while found in used:
        number, found = number + 1, f"{word}{number}"
    return found


def _version(name: str, kind: Type | None, used: set[str] | frozenset[str]) -> str:
    """Return a name for a variable whose type has changed, such as ``xList``, or that a pass has added, such as ``stop``."""
    stem = name.partition("#")[0]
    stem = _BETTER.get(stem, stem)
    if stem not in used and not stem.startswith("_"):
        return stem
    ending = "Value"
    if kind is not None:
        inner = required(kind)
        ending = _ENDINGS.get(inner, "Value")
        ending = {ListOf: "List", TupleOf: "Tuple", DictOf: "Values"}.get(type(inner), ending)
    word, number = f"{stem}{ending}", 2
    while word in used:
        word, number = f"{stem}{ending}{number}", number + 1
    return word


def _names_of(node: nodes.Node) -> tuple[str, ...]:
    match node:
        case nodes.Local(name) | nodes.LocalTarget(name) | nodes.Bind(name) | nodes.Declare(name):
            return (name,)
        case nodes.CountingLoop(name) | nodes.NestedFunction(name) | nodes.Parameter(name):
            return (name,)
        case nodes.Lambda(parameters):
            return parameters
        case _:
            return ()


def _renamed(node: Any, names: dict[str, str]) -> Any:
    node = rebuilt(node, lambda one: _renamed(one, names))
    if isinstance(node, nodes.Literal) and node.name in names:  # a variable hides the constant
        return replace(node, name="")
    if isinstance(node, nodes.Lambda):
        return replace(node, parameters=tuple(names[one] for one in node.parameters))
    if isinstance(node, Function) or not _names_of(node) or names[node.name] == node.name:
        return node
    return replace(node, name=names[node.name])
