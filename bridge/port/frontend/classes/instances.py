"""The constructor of a class, from its live instances: values that all instances share are literals, values that differ are parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import torch
from torch import nn

from bridge.port.errors import Unwritable, UnwritableArgument
from bridge.port.frontend.calls.libraries.torch_schemas import result_of, signatures
from bridge.port.frontend.classes.own import ConstructorParameter, ModuleTypes, OwnClass
from bridge.port.frontend.values import convert, without_enumeration
from bridge.port.ir.nodes import (
    Argument,
    Binary,
    Construct,
    DictLiteral,
    Expression,
    Field,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Modules,
    TorchCall,
    TupleLiteral,
)
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    PLAIN_MODULE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    FunctionOf,
    ListOf,
    ModulesOf,
    TupleOf,
    Type,
    is_choice,
    join,
    optional,
    required,
)
from bridge.port.observe import modules as layers
from bridge.port.observe.models.construction import Given, defaults

#: The type of a function of one tensor.
FUNCTION: Final = FunctionOf((TENSOR,), TENSOR)
#: The name of the field that holds the children, in a class that is a list or dictionary of modules.
ENTRIES: Final = "entries"
_EMPTY: Final = inspect.Parameter.empty
_KINDS: Final[dict[type, Type]] = {
    bool: BOOL, int: INT, float: FLOAT, str: STR, type(None): NONE, torch.dtype: DTYPE, torch.device: DEVICE,
}  # fmt: skip


def literal(value: Any) -> Expression:
    """Return a known value as an expression. Raises Unwritable for a value that has no literal."""
    value = without_enumeration(value)
    if isinstance(value, (tuple, torch.Size)):
        items = tuple(map(literal, value))
        sizes = isinstance(value, torch.Size)
        return TupleLiteral(items, type=SIZES if sizes else TupleOf(tuple(one.type for one in items)))
    if isinstance(value, list):
        items = tuple(map(literal, value))
        return ListLiteral(items, type=ListOf(join(one.type for one in items) or UNKNOWN))
    if type(value) in _KINDS:
        return Literal(value, type=_KINDS[type(value)])
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        entries = tuple((literal(key), literal(one)) for key, one in value.items())
        element = join(one.type for _, one in entries)
        if element is not None:
            return DictLiteral(entries, type=DictOf(STR, element))
    if callable(value) and not isinstance(value, nn.Module):
        return Literal(value, type=FUNCTION)
    raise Unwritable(f"{value!r} cannot be written")


def function(value: Any) -> Expression:
    """Return a lambda that calls a function of PyTorch with its only tensor. Raises Unwritable for another function."""
    found = signatures(value, method=False)
    if not found or not found[0].parameters or result_of(value) != TENSOR:
        raise Unwritable(f"the function {getattr(value, '__qualname__', value)} cannot be written")
    names = found[0].names
    call = TorchCall(value, None, (Argument(names[0], Local("x", type=TENSOR)),), names, type=TENSOR)
    return Lambda(("x",), call, type=FUNCTION)


class Instances:
    """The instances of one class, the arguments that each was given, and the constructor's parameters that have been found so far."""

    def __init__(
        self,
        kind: type[nn.Module],
        instances: Sequence[nn.Module],
        given: Given,
        classes: Mapping[type, OwnClass],
        ranks: Mapping[nn.Module, int],
    ) -> None:
        self.instances = instances
        self.types = ModuleTypes(classes, kind)
        self.parameters: dict[str, ConstructorParameter] = {}
        #: The children that are fields so far, by the modules that they are in the instances.
        self.children: dict[tuple[nn.Module | None, ...], Field] = {}
        self._kind = kind
        self._given = [given.get(one, {}) for one in instances]
        self._classes = classes
        self._ranks = ranks
        self._defaults = defaults(kind)

    # -- Values --------------------------------------------------------------------------------------------------------

    def value(self, values: Sequence[Any], hint: str) -> Expression:
        """Return a literal if all instances have the same value, else a parameter, or a multiple or fraction of a parameter."""
        if all(same(one, values[0]) for one in values):
            return literal(values[0])
        if name := self.given_as(values):
            return self._parameter(name, values)
        for name in self._given[0]:
            if (found := self._multiple(name, values)) is not None:
                return found
        return self._parameter(_camel(hint), values)

    def given_as(self, values: Sequence[Any]) -> str:
        """Return the name of the argument of Python's constructor that has these values in the instances; an empty string if none has."""
        for name in self._given[0]:
            if all(name in one and same(one[name], value) for one, value in zip(self._given, values, strict=True)):
                return name
        return ""

    def _multiple(self, name: str, values: Sequence[Any]) -> Expression | None:
        those: list[Any] = [one.get(name) for one in self._given]
        if not all(type(one) is int and one > 0 for one in (*those, *values)):
            return None
        pairs = list(zip(values, those, strict=True))
        for ratio in (2, 3, 4, 8):
            if all(value == ratio * that for value, that in pairs):
                return Binary("*", literal(ratio), self._parameter(name, those), type=INT)
            if all(that == ratio * value for value, that in pairs):
                return Binary("//", self._parameter(name, those), literal(ratio), type=INT)
        return None

    def _parameter(self, name: str, values: Sequence[Any], found: Type | None = None) -> Expression:
        name = name.rstrip("_") or name
        if found is None and name not in self._given[0] and (alike := self._alike_in_all(values)) is not None:
            return Local(alike.name, type=alike.type)
        known = self.parameters.get(name)
        while known is not None and not all(same(a, b) for a, b in zip(known.values, values, strict=True)):
            name += "2"
            known = self.parameters.get(name)
        if known is None:
            kind = found or type_of(values)
            default = None if found is not None and None in values else self._default(name, kind)
            known = ConstructorParameter(name, kind, tuple(values), found is not None, default)
            self.parameters[name] = known
        return Local(name, type=known.type)

    def _alike_in_all(self, values: Sequence[Any]) -> ConstructorParameter | None:
        """Return the parameter that has these values in the instances; None if there is none, or if it is a module."""
        plain = (one for one in self.parameters.values() if not one.module and not one.entries)
        return next((one for one in plain if all(map(same, one.values, values))), None)

    def _default(self, name: str, kind: Type) -> Any:
        """Return the default of Python's constructor, if C# can declare it for a parameter of type ``kind``; else ``_EMPTY``."""
        default = self._defaults.get(name, _EMPTY)
        if default is None:
            return default if kind != required(kind) else _EMPTY
        if type(default) is int and required(kind) == FLOAT:
            return float(default)
        return default if _KINDS.get(type(default)) == required(kind) else _EMPTY

    # -- Modules -------------------------------------------------------------------------------------------------------

    def module(self, modules: Sequence[nn.Module | None], hint: str) -> Expression:
        """Return the expression of a child, given the module that each instance has as this child: a construction, a parameter, or a field.

        Raises Unwritable.
        """
        if (known := self.children.get(tuple(modules))) is not None:
            return known
        first = modules[0]
        if first is not None and all(type(one) is type(first) for one in modules):
            some = [one for one in modules if one is not None]
            if (found := self._alike(some, hint)) is not None:
                return found
        if len(modules) == 1:
            raise Unwritable(_lacking(first, f"{self._kind.__name__}.{hint}"))
        kind = self.types.common([self.types.of(one) for one in modules if one is not None])
        name = next(
            (
                name
                for name in self._given[0]
                if all(one.get(name) is module for one, module in zip(self._given, modules, strict=True))
            ),
            hint,
        )
        return self._parameter(_camel(name), modules, optional(kind) if None in modules else kind)

    def _alike(self, modules: Sequence[nn.Module], hint: str) -> Expression | None:
        first = modules[0]
        if type(first) in self._classes:
            return self._own(self._classes[type(first)], modules, hint)
        if layers.is_layer(first):
            return self._layer(modules, hint)
        if (container := layers.container_of(first)) is not None:
            if type(first) is nn.Module and (first._parameters or first._buffers):
                raise Unwritable(
                    f"{self._kind.__name__}.{hint} is an nn.Module() with parameters or buffers: give it a class."
                )
            names = [name for name, _ in first.named_children()]
            if any([name for name, _ in one.named_children()] != names for one in modules):
                return None
            entries = [(name, self.module([getattr(one, name) for one in modules], f"{hint}{name}")) for name in names]
            found = self.types.of(first)
            if isinstance(found, ModulesOf) and not isinstance(first, nn.Sequential) and entries:
                found = ModulesOf(found.kind, self.types.common([one.type for _, one in entries]))
            return Modules(container, tuple(entries), type=found)
        return None

    def _layer(self, modules: Sequence[nn.Module], hint: str) -> Expression:
        each = [layers.arguments(one) for one in modules]
        whole = [{**layers.parameters(type(one)), **some} for one, some in zip(modules, each, strict=True)]
        made = [
            Argument(name, self.value([one.get(name) for one in whole], f"{hint}_{name}"))
            for name in dict.fromkeys(name for one in each for name in one)
        ]
        first = modules[0]
        return Construct(type(first), tuple(made), self._ranks.get(first, 0), type=self.types.of(first))

    def _own(self, own: OwnClass, modules: Sequence[nn.Module], hint: str) -> Expression:
        try:
            return self._constructed(own, modules, hint)
        except UnwritableArgument:
            raise
        except Unwritable as error:
            if own.constructor is None:
                raise
            raise UnwritableArgument(own.kind, f"an argument of {own.name} at {hint}: {error}") from None

    def _constructed(self, own: OwnClass, modules: Sequence[nn.Module], hint: str) -> Expression:
        places = [own.instances.index(one) for one in modules]
        made: list[Argument] = []
        for parameter in own.parameters:
            values = [parameter.values[place] for place in places]
            if parameter.entries:
                made += self._entries(values, f"{own.name} at {hint}")
                continue
            if parameter.default is not _EMPTY and all(same(one, parameter.default) for one in values):
                continue
            named = parameter.default is not _EMPTY
            value = self._given_module(values, f"{hint}_{parameter.name}") if parameter.module else None
            made.append(Argument(parameter.name, value or self._given_value(parameter, values, hint), not named))
        return Construct(own.kind, tuple(made), type=self.types.of(modules[0]))

    def _given_module(self, values: Sequence[Any], hint: str) -> Expression:
        for one in values:
            if type(one) in self._classes and one not in self._classes[type(one)].instances:
                raise Unwritable(f"a {type(one).__name__} that is no part of the model")
        return literal(None) if all(one is None for one in values) else self.module(values, hint)

    def _given_value(self, parameter: ConstructorParameter, values: Sequence[Any], hint: str) -> Expression:
        wanted = required(parameter.type)
        if is_choice(parameter.type):
            values = [one is not None for one in values]
        if isinstance(wanted, TupleOf):  # one number stands for all items
            values = [(one,) * len(wanted.items) if isinstance(one, int) else one for one in values]
        made = self.value(values, f"{hint}_{parameter.name}")
        if isinstance(made, Literal) and made.type == FUNCTION:
            return function(made.value)
        return replace(convert(made, wanted), type=wanted) if isinstance(made, (TupleLiteral, ListLiteral)) else made

    def made_entries(self) -> Expression:
        """Return the list of children, with their names, of a class that is a list or dictionary. Raises Unwritable if instances differ."""
        values = [tuple(one.named_children()) for one in self.instances]
        found = self._type_of_entries(values)
        items = tuple(one.value for one in self._entries(values, self._kind.__name__))
        return ListLiteral(tuple(replace(one, type=found.element) for one in items), type=found)

    def entries(self) -> Expression:
        """Return the parameter that takes the children of a class that is a list or dictionary, with their names."""
        values = tuple(tuple(one.named_children()) for one in self.instances)
        found = self._type_of_entries(values)
        self.parameters[ENTRIES] = ConstructorParameter(ENTRIES, found, values, entries=True)
        return Local(ENTRIES, type=found)

    def _type_of_entries(self, values: Sequence[Sequence[tuple[str, nn.Module]]]) -> ListOf:
        """Return the type of the children with their names."""
        if any(len(children) < len(one._modules) for one, children in zip(self.instances, values, strict=True)):
            raise Unwritable(f"{self._kind.__name__} holds a child twice, or None in a child's place.")
        return entries_of(self.types.common([self.types.of(child) for one in values for _, child in one]))

    def _entries(self, values: Sequence[Sequence[tuple[str, nn.Module]]], where: str) -> list[Argument]:
        names = [name for name, _ in values[0]]
        if any([name for name, _ in one] != names for one in values):
            raise Unwritable(f"{where} has other children from instance to instance.")
        made = []
        for place, name in enumerate(names):
            child = self.module([one[place][1] for one in values], name)
            made.append(Argument("", TupleLiteral((literal(name), child), type=TupleOf((STR, child.type)))))
        return made

    def ordered(self) -> list[ConstructorParameter]:
        """Return the parameters in the order of Python's constructor, but those with a default after the others, and the children last."""
        names = list(self._given[0])
        found = sorted(
            self.parameters.values(), key=lambda one: names.index(one.name) if one.name in names else len(names)
        )
        return sorted(found, key=lambda one: (one.entries, one.default is not _EMPTY))


def entries_of(kind: Type) -> ListOf:
    """Return the type of a list of children with their names, if the children have the type ``kind``."""
    return ListOf(TupleOf((STR, PLAIN_MODULE if kind == UNKNOWN else kind), ("name", "child")))


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal and of one type; for tensors and modules, whether they are the same object."""
    if isinstance(a, (torch.Tensor, nn.Module)) or isinstance(b, (torch.Tensor, nn.Module)):
        return a is b
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # the comparison of a user's class raises, or gives an array
        return a is b


def type_of(values: Sequence[Any]) -> Type:
    """Return the type of a parameter that has these plain values. Raises Unwritable."""
    there = [without_enumeration(one) for one in values if one is not None]
    kinds = {type(one) for one in there}
    sizes = {len(one) for one in there if isinstance(one, tuple)}
    found: Type | None
    if (kinds == {int, tuple} and len(sizes) == 1) or (
        kinds == {tuple} and len(sizes) == 1 and all(type(item) is int for one in there for item in one)
    ):
        found = TupleOf((INT,) * sizes.pop())
    elif kinds and kinds <= {tuple, list, torch.Size} and all(type(item) is int for one in there for item in one):
        found = ListOf(INT) if kinds == {list} else SIZES
    elif there and all(callable(one) and not isinstance(one, nn.Module) for one in there):
        found = FUNCTION
    else:
        found = join(_KINDS.get(one, UNKNOWN) for one in kinds)
    if found is None or found == UNKNOWN:
        names = " or ".join(sorted(one.__name__ for one in kinds)) or "None"
        raise Unwritable(f"a constructor parameter that is {names}")
    return optional(found) if len(there) < len(values) else found


def _lacking(module: nn.Module | None, where: str) -> str:
    name = type(module).__name__
    if module is None or not layers.is_layer(module):
        return f"{where} is a {name}, which port cannot write."
    given = ", ".join(f"{key}={value!r}" for key, value in layers.arguments(module).items())
    return f"{where} is {name}({given}), and TorchSharp has none with these arguments."


def _camel(name: str) -> str:
    parts = [part for part in re.split(r"[^0-9A-Za-z]+", name) if part] or ["value"]
    text = parts[0][:1].lower() + parts[0][1:] + "".join(part[:1].upper() + part[1:] for part in parts[1:])
    return f"_{text}" if text[0].isdigit() else text
