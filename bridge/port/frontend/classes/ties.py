"""Tied parameters: the expression of a parameter at a path below a module, and the statement that ties two parameters."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from bridge.port.frontend.classes.own import ModuleTypes
from bridge.port.ir.nodes import (
    Assign,
    Convert,
    Expression,
    Field,
    Item,
    Literal,
    PlaceTarget,
    Property,
    Self,
    Statement,
    Tie,
)
from bridge.port.ir.types import INT, STR, TENSOR, ModuleOf, ModulesOf, OptionalOf
from bridge.port.observe.modules import container_of, is_layer


def place(module: nn.Module, path: str, types: ModuleTypes) -> Expression:
    """Return the expression by which the module's class reads the parameter at ``path`` below the module."""
    *modules, name = path.split(".")
    node: Expression = Self(type=ModuleOf(type(module)))
    at = module
    for part in modules:
        below = getattr(at, part)
        wanted = types.of(below)
        if at is module:
            node = Field(part, type=wanted)
        elif (container := container_of(at)) is not None:
            index = part if issubclass(container, nn.ModuleDict) else list(at._modules).index(part)
            kind = STR if issubclass(container, nn.ModuleDict) else INT
            found = node.type.element if isinstance(node.type, ModulesOf) else wanted
            node = Item(node, Literal(index, type=kind), type=found)
            node = node if found == wanted else Convert(node, type=wanted)
        else:
            node = Property(node, part, type=wanted)
        at = below
    return Field(name, type=TENSOR) if at is module else Property(node, name, type=TENSOR)


def tie(module: nn.Module, first: str, second: str, types: ModuleTypes) -> Statement:
    """Return the statement that assigns the parameter at ``first`` to ``second``, so that both are the same parameter."""
    source, target = place(module, first, types), place(module, second, types)
    if isinstance(source, Property) and _is_of_layer(module, first):  # a layer's property, which may be null
        source = Convert(replace(source, type=OptionalOf(TENSOR)), type=TENSOR)
    if isinstance(target, Property) and not _is_of_layer(module, second):
        return Tie(target.value, target.name, source)
    return Assign(PlaceTarget(target), source, remark="one parameter")


def _is_of_layer(module: nn.Module, path: str) -> bool:
    return is_layer(module.get_submodule(path.rpartition(".")[0]))


def is_shared(module: nn.Module, first: str, second: str) -> bool:
    """Return whether the parameter has two paths because a child of ``module`` is also another child, or an item of a collection."""
    name, _, below = first.partition(".")
    again = second.removesuffix(f".{below}")
    if not below or again == second or module.get_submodule(again) is not module._modules[name]:
        return False
    parts = again.split(".")
    around = (module.get_submodule(".".join(parts[:count])) for count in range(1, len(parts)))
    return all(container_of(one) in (nn.Sequential, nn.ModuleList, nn.ModuleDict) for one in around)
