"""The state that the classes of one model share while they are translated."""

from __future__ import annotations

import ast
import types
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torch import nn

from bridge.port.csharp.emission import Emission
from bridge.port.csharp.lowering import begin
from bridge.port.frontend.classes.builders import CHAIN, build
from bridge.port.frontend.classes.certainty import constructions, is_certain
from bridge.port.frontend.classes.constructors import Constructor
from bridge.port.frontend.classes.own import ModuleTypes, OwnClass
from bridge.port.frontend.classes.settings import distinct
from bridge.port.graphs.record import Record
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Expression, Function, Node, Origin
from bridge.port.ir.types import UNKNOWN, Type
from bridge.port.methods import FreeFunctions
from bridge.port.observe.models.construction import Given
from bridge.port.observe.modules import forward_of
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import unwrap
from bridge.port.observe.ties import Ties


@dataclass
class Program:
    """The state that the classes of one model share: the functions that ran, the classes so far, and the state of emission."""

    methods: dict[types.FunctionType, Method]
    forwards: Mapping[type, types.FunctionType]
    is_own: Callable[[type], bool]
    is_chained: Callable[[type], bool]
    given: Given
    ranks: Mapping[nn.Module, int]
    ties: Ties
    graphs: Callable[[], Mapping[nn.Module, Record]]
    by_instances: Mapping[type, Untranslatable] = field(default_factory=dict)
    modules: Sequence[nn.Module] = ()
    classes: dict[type, OwnClass] = field(default_factory=dict)
    lowered: dict[types.FunctionType, Function] = field(default_factory=dict)
    emission: Emission = field(default_factory=begin)
    #: The nodes of the constructors that were translated from the source so far, by class.
    constructions: dict[type, tuple[Node, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free = FreeFunctions(self, self.emission, ChainMap(self.methods, self.given.constructors))
        self.emission.functions = self.free

    # -- The surroundings of functions that are no methods ---------------------------------------------------------------

    kind = None
    #: Whether a constructor calls the function.
    constructs = False
    builds = False

    def has(self, name: str) -> bool | None:
        """Return None, since a function has no attributes of a module."""
        return None

    def parts(self) -> list[str]:
        """Return no names, since a function has no attributes of a module."""
        return []

    def member(self, kind: type[nn.Module], name: str, origin: Origin) -> Type:
        """Return the type that the constructor of another class gives to a field; UNKNOWN if that constructor is not translated."""
        own = self.classes.get(kind)
        return UNKNOWN if own is None or own.constructor is None else own.fields.get(name, UNKNOWN)

    def field(self, name: str, origin: Origin) -> Expression:
        """Raise Untranslatable, since a function has no attributes of a module."""
        raise Untranslatable(origin, f"self.{name} in a function that is no method")

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return None, since a function has no attributes of a module."""
        return None

    def entries(self, origin: Origin) -> Expression | None:
        """Return None, since a function has no children."""
        return None

    def store(self, name: str, found: Type, origin: Origin) -> None:
        """Raise Untranslatable, since a function has no attributes of a module."""
        raise Untranslatable(origin, f"an assignment to self.{name} in a function that is no method")

    def is_buffer(self, name: str) -> bool:
        """Return False, since a function has no attributes of a module."""
        return False

    def function(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Return a function of the model's source, lowered."""
        return self.lowered.get(function) or self.free.lower(function, origin, self)

    def constructing(self) -> Program:
        """Return a copy that serves as the surroundings of the functions that constructors call."""
        made = copy(self)
        made.constructs = True
        return made

    def construct_function(self, function: types.FunctionType, origin: Origin) -> Function:
        """Return a function that is no method and that a constructor calls, lowered."""
        return self.constructing().function(function, origin)

    def surroundings(
        self,
        kind: type[nn.Module],
        module_type: Callable[[nn.Module], Type],
        new_type: Callable[[type[nn.Module]], Type],
        known: Mapping[str, Type],
        entries: Type | None,
    ) -> Constructor:
        """Return the surroundings in which the constructor of a class is lowered."""
        return Constructor(
            kind,
            self.given.constructors,
            module_type,
            self.is_own,
            self.is_chained,
            self.is_there,
            self.forward_of,
            self.construct_function,
            self.constructor,
            self.builder,
            new_type,
            self.rank,
            known,
            self.constructing().member,
            entries,
        )

    def is_there(self, kind: type) -> bool:
        """Return whether a module of the class, or of a subclass, belongs to the model or was constructed with it."""
        return any(isinstance(one, kind) for one in (*self.modules, *self.given))

    def builder(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the function that makes an ``nn.Sequential`` for a subclass without a forward of its own. Raises Untranslatable."""
        init: Any = kind.__init__
        if init not in self.free.lowered:
            surroundings = self.surroundings(kind, self.module_type, self.new_type, {}, CHAIN)
            surroundings.builds = True
            self.free.lowered[init] = build(surroundings)
        return self.free.lowered[init]

    def constructor(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the constructor of a class of the model. Raises Untranslatable if the constructor is not translated."""
        own = self.classes.get(kind)
        if own is None or own.constructor is None:
            raise Untranslatable(origin, f"{kind.__name__}, whose constructor is not translated")
        return own.constructor

    def module_type(self, module: nn.Module) -> Type:
        """Return the type of a module."""
        return ModuleTypes(self.classes).of(module)

    def new_type(self, kind: type[nn.Module]) -> Type:
        """Return the type of a new module of a class."""
        return ModuleTypes(self.classes).of_kind(kind)

    def rank(self, kind: type[nn.Module]) -> int:
        """Return the number of dimensions of the inputs of the modules of a class; 0 if it differs or is not known."""
        found = {rank for module, rank in self.ranks.items() if type(module) is kind}
        return found.pop() if len(found) == 1 else 0

    @property
    def is_translated(self) -> bool:
        """Return whether the constructor of any class is translated from the source."""
        return bool(self.constructions)

    def settings(self, kind: type[nn.Module], name: str) -> list[Any]:
        """Return the values that an attribute has in all modules of a class; none if they depend on arguments of constructors."""
        return self.certain(kind, name, not self.constructions)

    def certain(self, kind: type[nn.Module], name: str, elsewhere: bool = False) -> list[Any]:
        """Return the values of an attribute to which constructors of the source assign literals; none if they compute it.

        ``elsewhere`` says whether the values count if no constructor of the source makes a layer of the class.
        """
        values = self.values(kind, name)
        if (own := self.classes.get(kind)) is not None:
            return values if own.constructor is None or name in own.literals else []
        nodes = (one for found in self.constructions.values() for one in found)
        made = constructions(kind, (*nodes, *self.free.lowered.values()))
        certain = all(is_certain(one, name, value) for one in made for value in values)
        return values if certain and (made or elsewhere) else []

    def values(self, kind: type[nn.Module], name: str) -> list[Any]:
        """Return the values that an attribute has in all modules of a class; none if the model's source assigns it."""
        if kind in self.classes:
            return [] if name in self._stored else distinct(self.classes[kind].instances, name)
        if self.is_own(kind) or name in self._stored_in_others:
            return []
        return distinct([one for one in {**self.given, **dict.fromkeys(self.modules)} if isinstance(one, kind)], name)

    @cached_property
    def read(self) -> frozenset[str]:
        """Return the attributes that any function of the model's source may read, of any object, by name or by a string."""
        nodes = [node for method in self.methods.values() for node in ast.walk(method.tree)]
        named = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
        return frozenset(
            named | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        )

    @cached_property
    def _stored(self) -> frozenset[str]:
        """Return the attributes that any function of the model's source assigns, of any object."""
        nodes = (node for method in self.methods.values() for node in ast.walk(method.tree))
        return frozenset(
            node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        )

    @cached_property
    def _stored_in_others(self) -> frozenset[str]:
        """Return the attributes that any function of the model's source assigns to an object other than ``self``."""
        nodes = (node for method in self.methods.values() for node in ast.walk(method.tree))
        return frozenset(
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and ast.unparse(node.value) != "self"
        )

    def forward_of(self, kind: type) -> types.FunctionType:
        """Return the function that runs when a module of the class is called."""
        return self.forwards.get(kind) or unwrap(forward_of(kind))
