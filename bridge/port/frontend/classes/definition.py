"""A class of the model while it is lowered: the fields and functions that its methods can use."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.frontend.calls.callees import NOTHING
from bridge.port.frontend.classes import settings
from bridge.port.frontend.classes.fields import Fields
from bridge.port.frontend.classes.instances import ENTRIES, literal
from bridge.port.frontend.classes.own import OwnClass
from bridge.port.frontend.evidence import type_of, type_of_observation
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Assign, Expression, Field, Function, Origin, PlaceTarget, TupleLiteral
from bridge.port.ir.types import (
    NONE,
    TENSOR,
    UNKNOWN,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
    join,
    optional,
    required,
)
from bridge.port.observe.modules import forward_of
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_method, unwrap

_ABSENT: Any = object()


class Definition:
    """The surroundings of the methods of one class (:class:`bridge.port.frontend.surroundings.Surroundings`).

    ``lowered`` returns a function of the model's source, lowered: a method of this class or another, or a function outside of classes.
    For another class, ``settings`` returns the values of an attribute, ``member`` its type, and ``constructor`` the constructor.
    """

    constructs = False
    builds = False
    is_translated = False
    #: Attributes that the constructor of the source leaves unassigned on some paths.
    missing: frozenset[str] = frozenset()

    def __init__(
        self,
        own: OwnClass,
        fields: Fields,
        methods: Mapping[types.FunctionType, Method],
        forwards: Mapping[type, types.FunctionType],
        is_own: Callable[[type], bool],
        is_chained: Callable[[type], bool],
        module_type: Callable[[nn.Module], Type],
        lowered: Callable[..., Function],
        settings: Callable[[type[nn.Module], str], list[Any]],
        member: Callable[[type[nn.Module], str, Origin], Type],
        constructor: Callable[[type[nn.Module], Origin], Function],
        new_type: Callable[[type[nn.Module]], Type],
        rank: Callable[[type[nn.Module]], int],
    ) -> None:
        self.methods = methods
        self.kind: type[nn.Module] | None = own.kind
        self.is_own = is_own
        self.is_chained = is_chained
        self.module_type = module_type
        self.function = lowered
        self.settings = settings
        self.member = member
        self.constructor = constructor
        self.new_type = new_type
        self.rank = rank
        self._own = own
        self._fields = fields
        self._forwards = forwards
        self._assigned = _assigned(own.kind, methods.values())

    @property
    def assigned(self) -> frozenset[str]:
        """Return the attributes that methods of the class assign."""
        return self._assigned

    def state_type(self, name: str) -> Type:
        """Return the type of an attribute that methods assign, from the instances and the runs; UNKNOWN if these give no single type."""
        values = [getattr(one, name, None) for one in self._own.instances]
        found = join([*(type_of(value, self) for value in values), *self._observed(name)])
        if found is None or required(found) in (NONE, UNKNOWN):
            return UNKNOWN
        return optional(found) if any(value is None for value in values) else found

    def is_there(self, kind: type) -> bool:
        """Return True, since a forward is only asked about classes of the model."""
        return True

    def builder(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Raise Untranslatable, since a forward makes no chains."""
        raise Untranslatable(origin, f"a {kind.__name__} that a forward makes")

    def forward_of(self, kind: type) -> types.FunctionType:
        """Return the function that runs when a module of the class is called."""
        return self._forwards.get(kind) or unwrap(forward_of(kind))

    def has(self, name: str) -> bool | None:
        """Return whether the module itself has an attribute; None where some instances have it and some do not."""
        if name in self.missing:
            return None
        found = {hasattr(one, name) for one in self._own.instances}
        return found.pop() if len(found) == 1 else None

    def parts(self) -> list[str]:
        """Return the names of the fields that hold modules."""
        kinds = {name: required(one.type) for name, one in self._fields.definitions.items() if one.role != "entries"}
        return [name for name, kind in kinds.items() if isinstance(kind, (ModuleOf, ModulesOf))]

    def field(self, name: str, origin: Origin) -> Expression:
        """Return an attribute of the module itself: a Field, or the Literal of a setting that no method assigns."""
        if (known := self._fields.definitions.get(name)) is not None:
            return Field(name, type=known.type, origin=origin)
        if name in self._fields.lacking:
            raise Untranslatable(origin, self._fields.lacking[name])
        if name in self._assigned:
            return self._state(name, origin)
        if (found := self.setting((name,), origin)) is not None:
            return found
        values = [getattr(one, name, _ABSENT) for one in self._own.instances]
        if all(type(value) in (list, dict, set) and not value for value in values):
            if _is_only_asked(name, self.methods.values()):
                return TupleLiteral((), type=TupleOf(()), origin=origin)
            return self._state(name, origin)  # empty until a method fills it
        if any(value is _ABSENT for value in values):
            raise Untranslatable(origin, f"self.{name} is not on every instance")
        if isinstance(values[0], (torch.Tensor, nn.Module)):
            raise Untranslatable(origin, f"self.{name} is a {type(values[0]).__name__} that is no child")
        try:
            return self._fields.setting(name, values)
        except Unwritable as error:
            raise Untranslatable(origin, f"self.{name}: {error}") from None

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return an attribute of the module's settings object, from all instances; None if it is no setting, or if a method assigns it."""
        first, *rest = names
        objects = [getattr(one, first, None) for one in self._own.instances]
        if not all(map(settings.is_settings, objects)) or first in self._assigned:
            return None
        if settings.assigned(rest, self.methods.values()):
            return None
        values = [settings.read(one, rest) for one in objects]
        if any(one is NOTHING for one in values):
            return None
        if all(settings.is_settings(one) for one in values):
            return settings.constant(values[0], origin) if all(one is values[0] for one in values) else None
        alone = all(one is objects[0] for one in objects)
        if alone and (one := settings.setting(objects[0], rest, origin)) is not None:
            return one
        name = "_".join(names) if any(hasattr(one, rest[-1]) for one in self._own.instances) else rest[-1]
        if (known := self._fields.definitions.get(name)) is not None:
            return Field(name, type=known.type, origin=origin)
        try:
            return self._fields.setting(name, values)
        except Unwritable as error:
            raise Untranslatable(origin, f"self.{'.'.join(names)}: {error}") from None

    def entries(self, origin: Origin) -> Expression | None:
        """Return the children of the module with their names, if its class takes any number of them; None if it names each child."""
        known = self._fields.definitions.get(ENTRIES)
        return Field(ENTRIES, type=known.type, origin=origin) if known is not None and known.role == "entries" else None

    def store(self, name: str, found: Type, origin: Origin) -> None:
        """Note that a method assigns an attribute of the module itself."""
        known = self._fields.definitions.get(name)
        if known is None:
            self._state(name, origin, found)
            known = self._fields.definitions[name]
        if known.role == "buffer" and not any(map(_keeps(name), self._own.instances)):  # then C# needs no buffer
            known = self._fields.definitions[name] = replace(known, role="state")
        if known.role != "state":
            raise Untranslatable(origin, f"an assignment to self.{name}, which is a {known.role}")
        if join((known.type, found)) != known.type:
            raise Untranslatable(origin, f"self.{name} is {known.type}, and becomes {found}")

    def is_buffer(self, name: str) -> bool:
        """Return whether the attribute is a buffer in the ``state_dict`` of each instance, and no other attribute has its elements."""
        known = self._fields.definitions.get(name)
        kept = all(_keeps(name)(one) and _has_alone(one, name) for one in self._own.instances)
        return known is not None and known.role == "buffer" and kept

    def _state(self, name: str, origin: Origin, stored: Type = UNKNOWN) -> Field:
        """Return the field of an attribute that methods assign; the field keeps its value from one call to the next."""
        values = [getattr(one, name, None) for one in self._own.instances]
        if all(isinstance(value, torch.Tensor) for value in values) and (first := self._fields.spelled(values)):
            place = self._fields.define(name, TENSOR, "state")
            self._fields.later.append(Assign(PlaceTarget(place), first))
            return place
        if any(isinstance(value, (torch.Tensor, nn.Module)) for value in values):
            raise Untranslatable(
                origin, f"self.{name}, which holds a {type(values[0]).__name__} that a method replaces"
            )
        found = join([*(type_of(value, self) for value in values), stored, *self._observed(name)])
        if found is None or required(found) in (NONE, UNKNOWN):
            raise Untranslatable(origin, f"self.{name}, which is of several types, or of none")
        if values == [None] * len(values) and (found == TENSOR or isinstance(found, TupleOf)):
            found = optional(found)
        place = self._fields.define(name, found, "state")
        if not isinstance(found, OptionalOf) or any(value is not None for value in values):
            try:
                self._fields.define(name, found, "state", self._initial(values, found))
            except Unwritable as error:
                raise Untranslatable(origin, f"self.{name}: {error}") from None
        return place

    def _initial(self, values: list[Any], found: Type) -> Expression:
        if any(value != values[0] for value in values):
            raise Unwritable("it begins with another value in each instance")
        return replace(literal(values[0]), type=found)

    def _observed(self, name: str) -> Iterable[Type]:
        """Yield the types of the values that methods of the class were observed to read from an attribute."""
        own = [one for one in self.methods.values() if _is_of(self._own.kind, one)]
        for method in own:
            for node, seen in method.seen.items():
                if isinstance(node, ast.Attribute) and node.attr == name and ast.unparse(node.value) == "self":
                    yield type_of_observation(seen, self)


def _keeps(name: str) -> Callable[[nn.Module], bool]:
    """Return the function that returns whether the ``state_dict`` of a module has the buffer ``name``."""
    return lambda one: name in one._buffers and name not in one._non_persistent_buffers_set


def _has_alone(module: nn.Module, name: str) -> bool:
    """Return whether a module has a buffer that shares its elements with no other tensor that is an attribute of the module."""
    own = module._buffers.get(name)
    others = {**vars(module), **module._parameters, **module._buffers, name: None}.values()
    held = {one.untyped_storage().data_ptr() for one in others if isinstance(one, torch.Tensor)}
    return own is not None and own.untyped_storage().data_ptr() not in held


def _assigned(kind: type[nn.Module], methods: Iterable[Method]) -> frozenset[str]:
    """Return the attributes that methods of the class assign in their source, whether or not the assignment was observed to run."""
    found = set()
    for method in methods:
        if _is_of(kind, method):
            first = method.tree.args.args[:1]
            found |= {
                node.attr
                for node in ast.walk(method.tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.ctx, (ast.Store, ast.Del))
                and isinstance(node.value, ast.Name)
                and first
                and node.value.id == first[0].arg
            }
    return frozenset(found)


def _is_only_asked(name: str, methods: Iterable[Method]) -> bool:
    """Return whether the source uses an attribute only at the right of ``in``, so that nothing fills a container that is empty."""
    nodes = [node for method in methods for node in ast.walk(method.tree)]
    asked = {
        id(one)
        for node in nodes
        if isinstance(node, ast.Compare) and all(isinstance(kind, (ast.In, ast.NotIn)) for kind in node.ops)
        for one in node.comparators
    }
    return all(id(one) in asked for one in nodes if isinstance(one, ast.Attribute) and one.attr == name)


def _is_of(kind: type[nn.Module], method: Method) -> bool:
    """Return whether the class has this method under the method's name."""
    return is_method(kind, method.function)
