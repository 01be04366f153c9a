"""The constructor of a class, translated: its fields and statements, and its parameters with the argument of each instance."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from torch import nn

from bridge.port.frontend.classes.assembly import Assembly, assemble
from bridge.port.frontend.classes.definition import Definition
from bridge.port.frontend.classes.own import ConstructorParameter, OwnClass
from bridge.port.frontend.classes.settings import stored_by
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Function, Node, Note, Origin
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import UNKNOWN, ConstantOf, ModuleOf, ModulesOf, Type, join, optional, required
from bridge.port.observe.models.construction import Given, defaults
from bridge.port.program import Program

_WIDENED = 4
_PLAIN: Final = (bool, int, float, str, tuple)


@dataclass(frozen=True, slots=True)
class Translated:
    """A lowered constructor, its assembly for C#, the names of its C# ``fields``, and the attributes that it assigns (``stored``)."""

    function: Function
    assembly: Assembly
    fields: frozenset[str]
    stored: frozenset[str]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return its statements, with the methods that it calls."""
        return (*self.assembly.body, *self.assembly.helpers.values())

    def literals(self, kind: type[nn.Module]) -> frozenset[str]:
        """Return the attributes that are literals for any arguments: the constructor assigns a literal, or only the class body does."""
        of_class = {name for name in dir(kind) if isinstance(inspect.getattr_static(kind, name), _PLAIN)}
        return frozenset(self.assembly.constants.keys() | (of_class - self.stored))


def translate(
    own: OwnClass,
    program: Program,
    definition: Definition,
    module_type: Callable[[nn.Module], Type],
    entries: Type | None,
) -> Translated:
    """Return the constructor of a class; ``entries`` is its children's type, or None if the class names them. Raises Untranslatable."""
    if any("forward" in vars(one) for one in own.instances):
        raise Untranslatable(
            Origin(), "self.forward, which the constructor chooses: C# has the forward of the instances"
        )
    changes = [program.given.changed[one] for one in own.instances if one in program.given.changed]
    if any(names is None or not names.isdisjoint(program.read) for names in changes):
        raise Untranslatable(Origin(), f"a {own.kind.__name__} is changed after its constructor")
    forward = program.methods.get(program.forward_of(own.kind))
    within = set() if forward is None else forward.within
    for name in sorted(name for kind, name in program.given.drawn if kind is own.kind):
        raise Untranslatable(Origin(), f"self.{name}, which is drawn at random, and is in no state_dict")
    known = {name: found for name in definition.assigned if (found := definition.state_type(name)) != UNKNOWN}
    for _ in range(_WIDENED):
        constructor = program.surroundings(own.kind, module_type, definition.new_type, known, entries)
        lowered = constructor.lower()
        made = assemble(lowered, constructor.helpers, constructor.stored, own.instances, definition.assigned, entries)
        if any(isinstance(one, Note) and one.omits for one in walk(lowered)):
            _check_left_out(own, program, lowered.origin, constructor.stored, made, module_type)
        for name in sorted(within & constructor.stored.keys()):
            raise Untranslatable(lowered.origin, f"self.{name}, a function that some instances may not have")
        wider = {name: optional(made.fields[name].type) for name in made.missing & made.fields.keys()}
        if all(known.get(name) == found for name, found in wider.items()):
            return Translated(lowered, made, frozenset(made.fields), frozenset(constructor.stored))
        known |= wider
    raise Untranslatable(lowered.origin, "the types of the fields do not settle")


def _check_left_out(
    own: OwnClass,
    program: Program,
    origin: Origin,
    stored: Collection[str],
    made: Assembly,
    module_type: Callable[[nn.Module], Type],
) -> None:
    """Raise Untranslatable if calls that C# leaves out do more than change initial values.

    They may assign attributes that no method reads; those of a base's constructor are constants, as its arguments are.
    """
    inits = [program.given.constructors.get(init) for init in map(_init, own.kind.__mro__[1:]) if init is not None]
    bases = frozenset(name for method in inits if method is not None for name in stored_by(method))
    others = [method for one, method in program.given.constructors.items() if one.__name__ != "__init__"]
    unknown = {name for one in own.instances for name in vars(one)} - {*stored, *bases, *vars(nn.Module())}
    again = frozenset(name for method in others for name in stored_by(method)) & set(stored)
    for name in sorted(again | (unknown & program.read)):
        raise Untranslatable(origin, f"self.{name}, which a call assigns that has no translation")
    for name, one in made.fields.items():
        found = required(one.type)
        for child in (getattr(module, name, None) for module in own.instances):
            if isinstance(child, nn.Module) and join((module_type(child), found)) != found:
                raise Untranslatable(origin, f"self.{name}, which a call replaces that has no translation")
    if program.ties.within.get(own.kind):
        raise Untranslatable(origin, "parameters that a call ties that has no translation")


def _init(kind: type) -> types.FunctionType | None:
    found = vars(kind).get("__init__")
    return found if isinstance(found, types.FunctionType) else None


def parameters(own: OwnClass, function: Function, given: Given) -> list[ConstructorParameter]:
    """Return the parameters with the argument of each instance. Raises Untranslatable if an argument is not known."""
    made: list[ConstructorParameter] = []
    known = defaults(own.kind)
    if any(one not in given for one in own.instances):
        raise Untranslatable(function.origin, f"a {own.name} that is a copy of another, so that no constructor ran")
    needed = [place for place, one in enumerate(function.parameters) if one.default is None and not one.spread]
    for place, one in enumerate(function.parameters):
        default = known.get(one.name, inspect.Parameter.empty)
        values = tuple(given[module].get(one.name, default) for module in own.instances)
        if any(value is inspect.Parameter.empty for value in values):
            raise Untranslatable(one.origin, f"the argument {one.name}, which some instances were not given by name")
        is_module = isinstance(required(one.type), (ModuleOf, ModulesOf))
        default = inspect.Parameter.empty if place <= max(needed, default=-1) else default  # in C#, defaults come last
        made.append(ConstructorParameter(one.name, one.type, values, is_module, default))
    return made


def fixed(function: Function) -> tuple[str, ...]:
    """Return a sentence on each parameter that C# does not take, with its value, and on each call that C# leaves out."""
    left = tuple(f"{one.text}: {one.omits}" for one in walk(function) if isinstance(one, Note) and one.omits)
    return (*(f"Fixed as in every call: {one.name} is {_described(one.type)}" for _, one in function.fixed), *left)


def _described(found: Type) -> str:
    if not isinstance(found, ConstantOf):
        return "None"
    return str(getattr(found.value, "__name__", None) or type(found.value).__name__)
