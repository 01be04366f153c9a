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
)
from bridge.port.ir.types import INT, STR, TENSOR, ModuleOf, ModulesOf, OptionalOf


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
        elif isinstance(at, (nn.ModuleDict, nn.Sequential, nn.ModuleList)):
            index = part if isinstance(at, nn.ModuleDict) else list(at._modules).index(part)
            kind = STR if isinstance(at, nn.ModuleDict) else INT
            found = node.type.element if isinstance(node.type, ModulesOf) else wanted
            node = Item(node, Literal(index, type=kind), type=found)
            node = node if found == wanted else Convert(node, type=wanted)
        else:
            node = Property(node, part, type=wanted)
        at = below
    return Field(name, type=TENSOR) if at is module else Property(node, name, type=TENSOR)


def tie(module: nn.Module, first: str, second: str, types: ModuleTypes) -> Statement:
    """Return the statement that assigns the parameter at ``first`` to ``second``, so that both are the same parameter."""
    source = place(module, first, types)
    if isinstance(source, Property):  # a layer's property, which may be null
        source = Convert(replace(source, type=OptionalOf(TENSOR)), type=TENSOR)
    return Assign(PlaceTarget(place(module, second, types)), source, remark="one parameter")
