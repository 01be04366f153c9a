"""The construction of the whole model: the arguments that its constructor is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from bridge.port.frontend.classes.instances import Instances, same
from bridge.port.frontend.classes.own import OwnClass
from bridge.port.ir.nodes import Expression
from bridge.port.ir.types import TupleOf, Type, required
from bridge.port.observe.models.construction import Given


def construction(model: nn.Module, classes: Mapping[type, OwnClass], ranks: Mapping[nn.Module, int]) -> Expression:
    """Return the expression that constructs the model with literals. Raises Unwritable for an argument that has no literal."""
    return Instances(nn.Module, [model], Given(), classes, ranks).module([model], "model")


def given_arguments(model: nn.Module, own: OwnClass) -> dict[str, Any]:
    """Return the arguments of the model's constructor that differ from its defaults, by C#'s names, as plain values of Python."""
    place = own.instances.index(model)
    return {
        own.names.get(one.name, one.name): _of_csharp(one.values[place], one.type)
        for one in own.parameters
        if not (one.module or one.entries or same(one.values[place], one.default))
    }


def _of_csharp(value: Any, found: Type) -> Any:
    """Return the value that C# takes: the item of a tuple of one item, else ``value`` itself."""
    kind = required(found)
    return (
        value[0] if isinstance(kind, TupleOf) and len(kind.items) == 1 and isinstance(value, (tuple, list)) else value
    )
