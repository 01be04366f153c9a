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

    ``module`` is true if the values are modules or None, ``entries`` if they are the named children of a list or dictionary.
    """

    name: str
    type: Type
    values: tuple[Any, ...]
    module: bool = False
    default: Any = inspect.Parameter.empty
    entries: bool = False


@dataclass(slots=True, eq=False)
class OwnClass:
    """A class of the model that becomes a class of C#: its instances, and the results of its lowering.

    ``constructor`` is Python's, lowered; None if C#'s is made from the instances. ``names`` maps its parameters to their names in C#.
    """

    kind: type[nn.Module]
    name: str
    instances: list[nn.Module]
    #: Whether it is the class of the whole model.
    is_whole: bool = False
    parameters: list[ConstructorParameter] = field(default_factory=list)
    forward: Function | None = None
    constructor: Function | None = None
    fields: dict[str, Type] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    #: Attributes that are the same literals for all arguments of its constructor.
    literals: frozenset[str] = frozenset()
    methods: dict[types.FunctionType, str] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Return whether its forward takes one tensor and returns one."""
        found = self.forward
        return found is not None and found.result == TENSOR and [one.type for one in found.parameters] == [TENSOR]


class ModuleTypes:
    """Types of modules, from the classes that are lowered so far; ``current`` is the class that is being lowered."""

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
        kind = nn.ModuleDict if kind is nn.Module else kind
        if issubclass(kind, _LISTS):
            element = self.common([self.of(one) for one in module.children()])
            return ModulesOf(kind, PLAIN_MODULE if element == UNKNOWN else element)
        return ModuleOf(kind, kind.__name__ not in layers.OF_MORE) if layers.is_layer(module) else PLAIN_MODULE

    def of_kind(self, kind: type[nn.Module]) -> Type:
        """Return the type of a new module of a class."""
        if kind in self._classes or kind is self._current:
            return ModuleOf(kind, kind in self._classes and self._classes[kind].is_plain)
        if issubclass(kind, nn.Sequential):
            return ModulesOf(nn.Sequential, PLAIN_MODULE)
        return ModuleOf(kind, kind.__name__ not in layers.OF_MORE)

    def common(self, found: Sequence[Type]) -> Type:
        """Return the common type of modules: their only type, else PLAIN_MODULE if all take and return one tensor, else ANY_MODULE."""
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
