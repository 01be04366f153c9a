"""The construction of the whole model: the arguments that its constructor is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from bridge.port.frontend.classes.instances import Instances, same
from bridge.port.frontend.classes.own import OwnClass
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Expression, Origin
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


def check_given(model: nn.Module, own: OwnClass) -> None:
    """Raise Untranslatable if an argument of the model's constructor is or holds a module or a function, which Python cannot give to C#."""
    place = own.instances.index(model)
    for one in own.parameters:
        value = one.values[place]
        if not same(value, one.default) and _is_of_python(value):
            raise Untranslatable(
                Origin(), f"the model's {one.name}, a module or a function that Python cannot give to C#"
            )


def _is_of_python(value: Any) -> bool:
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return callable(value) or any(map(_is_of_python, items))


def _of_csharp(value: Any, found: Type) -> Any:
    """Return the value that C# takes: the item of a tuple of one item, else ``value`` itself."""
    kind = required(found)
    return (
        value[0] if isinstance(kind, TupleOf) and len(kind.items) == 1 and isinstance(value, (tuple, list)) else value
    )
