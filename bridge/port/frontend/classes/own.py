"""The model's own classes, and the types of modules."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from torch import nn

from bridge.port.ir.nodes import Function
from bridge.port.ir.types import ANY_MODULE, PLAIN_MODULE, TENSOR, UNKNOWN, ModuleOf, ModulesOf, Type
from bridge.port.observe import modules as layers

_LISTS: Final = (nn.ModuleList, nn.ModuleDict)
_PARAMETERS: Final = (nn.ParameterList, nn.ParameterDict)


@dataclass(slots=True)
class ConstructorParameter:
    """A parameter of a class's constructor with its value for each instance.

    ``module`` where the values are modules or None, ``entries`` where they are the children of a list or dictionary by name.
    """

    name: str
    type: Type
    values: tuple[Any, ...]
    module: bool = False
    default: Any = inspect.Parameter.empty
    entries: bool = False


@dataclass(slots=True, eq=False)
class OwnClass:
    """A class of the model that becomes a class of C#: its instances, and what is known once it is lowered."""

    kind: type[nn.Module]
    name: str
    instances: list[nn.Module]
    parameters: list[ConstructorParameter] = field(default_factory=list)
    forward: Function | None = None
    methods: dict[types.FunctionType, str] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Return whether its forward takes one tensor and returns one."""
        found = self.forward
        return found is not None and found.result == TENSOR and [one.type for one in found.parameters] == [TENSOR]


class ModuleTypes:
    """Types of modules, by the classes that are lowered so far; ``current`` is the class at hand."""

    def __init__(self, classes: Mapping[type, OwnClass], current: type | None = None) -> None:
        self._classes = classes
        self._current = current

    def of(self, module: nn.Module) -> Type:
        """Return the type of a module as far as it is known without its construction."""
        kind = type(module)
        if kind in self._classes or kind is self._current:
            return ModuleOf(kind, kind in self._classes and self._classes[kind].is_plain)
        if isinstance(module, nn.Sequential):
            return ModulesOf(nn.Sequential, PLAIN_MODULE)
        if isinstance(module, _PARAMETERS):
            return ModulesOf(kind, TENSOR)
        if isinstance(module, _LISTS):
            return ModulesOf(kind, self.common([self.of(one) for one in module.children()]))
        return ModuleOf(kind, kind.__name__ not in layers.OF_MORE) if layers.is_layer(module) else PLAIN_MODULE

    def common(self, found: Sequence[Type]) -> Type:
        """Return the type of several modules: the one that all are, else the one by which all are called, else ANY_MODULE."""
        kinds = list(dict.fromkeys(found))
        if len(kinds) < 2:
            return kinds[0] if kinds else UNKNOWN
        return PLAIN_MODULE if all(map(self._is_plain, kinds)) else ANY_MODULE

    def _is_plain(self, found: Type) -> bool:
        if isinstance(found, ModulesOf):
            return issubclass(found.kind, nn.Sequential)
        if not isinstance(found, ModuleOf) or found == ANY_MODULE or found.kind is self._current:
            return False
        own = self._classes.get(found.kind)
        return own.is_plain if own is not None else found.kind.__name__ not in layers.OF_MORE
