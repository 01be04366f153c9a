"""The constructor of a C# class: what its instances have in common is written there, what differs is a parameter."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import torch
from torch import nn

from bridge.port import layers
from bridge.port.making import Given, defaults
from bridge.port.members import FUNCTION, Constant, Lambda, Text, escaped, fit, literal
from bridge.port.port_errors import Unwritable

#: The field of a class that is a list or dictionary of modules.
ENTRIES: Final = "entries"
_PLAIN: Final = "Module<Tensor, Tensor>"


@dataclass(slots=True)
class ConstructorParameter:
    """A parameter of a C# class's constructor: its value for each instance; ``module`` where these are modules or None, ``entries``
    where they are the children of a list or dictionary, by name."""

    name: str
    type: str
    values: tuple[Any, ...]
    module: bool = False
    default: Any = inspect.Parameter.empty
    entries: bool = False


@dataclass(slots=True, eq=False)
class Written:
    """A class of C#: the Python class, its instances, its methods' names, and what its constructor takes."""

    kind: type[nn.Module]
    name: str
    instances: list[nn.Module]
    base: str = ""
    methods: dict[types.FunctionType, str] = field(default_factory=dict)
    parameters: list[ConstructorParameter] = field(default_factory=list)


class Scope:
    """What the constructor of one class knows: the instances, and what they were given."""

    def __init__(
        self,
        kind: type[nn.Module],
        instances: Sequence[nn.Module],
        given: Given,
        classes: dict[type[nn.Module], Written],
        ranks: Mapping[nn.Module, int] = MappingProxyType({}),
    ) -> None:
        self.kind = kind
        self.instances = instances
        self._given = [given.get(one, {}) for one in instances]
        self._classes = classes
        self._ranks = ranks
        self._defaults = defaults(kind)
        self.parameters: dict[str, ConstructorParameter] = {}

    # -- Values ---------------------------------------------------------------------------------------------------------

    def value(self, values: Sequence[Any], hint: str) -> Constant | Text:
        """A constant where all instances have the same, else a parameter, or a multiple of one."""
        if all(_same(one, values[0]) for one in values):
            return Constant(values[0])
        for name in self._given[0]:
            if self._equal(name, values):
                return self._parameter(name, values)
        for name in self._given[0]:
            if (found := self._multiple(name, values)) is not None:
                return found
        return self._parameter(_camel(hint), values)

    def _equal(self, name: str, values: Sequence[Any]) -> bool:
        return all(name in one and _same(one[name], value) for one, value in zip(self._given, values, strict=True))

    def _multiple(self, name: str, values: Sequence[Any]) -> Text | None:
        those = [one.get(name) for one in self._given]
        if not all(type(one) is int and one > 0 for one in (*those, *values)):
            return None
        for sign, ratios in (
            ("*", [v / t for v, t in zip(values, those, strict=True)]),
            ("/", [t / v for v, t in zip(values, those, strict=True)]),
        ):
            ratio = ratios[0]
            if ratio in (2, 3, 4, 8) and all(one == ratio for one in ratios):
                inner = self._parameter(name, those).code
                return Text(f"{int(ratio)} * {inner}" if sign == "*" else f"{inner} / {int(ratio)}", "long", 12)
        return None

    def _parameter(self, name: str, values: Sequence[Any], module: bool = False, type_: str = "") -> Text:
        name = name.rstrip("_") or name
        known = self.parameters.get(name)
        while known is not None and not all(_same(a, b) for a, b in zip(known.values, values, strict=True)):
            name += "2"
            known = self.parameters.get(name)
        if known is None:
            type_ = type_ or type_of(values)
            default = self._defaults.get(name, inspect.Parameter.empty)
            constant = default is None or not type_.removesuffix("?").endswith(
                (")", "]")
            )  # C# knows no tuples or arrays as such
            if default is not inspect.Parameter.empty and (not constant or literal(default, type_) is None):
                default = inspect.Parameter.empty
            if module and None in values:
                default = None
            known = self.parameters[name] = ConstructorParameter(name, type_, tuple(values), module, default)
        return Text(escaped(name), known.type)

    # -- Modules --------------------------------------------------------------------------------------------------------

    def module(self, modules: Sequence[nn.Module | None], hint: str) -> Text:
        """The expression that makes the module that stands at one place of each instance."""
        first = modules[0]
        if first is not None and all(type(one) is type(first) for one in modules):
            some = [one for one in modules if one is not None]
            found = self._alike(some, hint)
            if found is not None:
                return found
        if len(modules) == 1:
            raise Unwritable(_lacking(first, f"{self.kind.__name__}.{hint}"))
        types = {self.type_of_module(one) for one in modules if one is not None}
        type_ = self._common(list(types)) + ("?" if None in modules else "")
        name = next(
            (
                name
                for name in self._given[0]
                if all(one.get(name) is module for one, module in zip(self._given, modules, strict=True))
            ),
            hint,
        )
        return self._parameter(_camel(name), modules, True, type_)

    def _alike(self, modules: Sequence[nn.Module], hint: str) -> Text | None:
        first = modules[0]
        if type(first) in self._classes:
            return self._instance(self._classes[type(first)], modules, hint)
        if layers.is_layer(first):
            return self._layer(modules, hint)
        if isinstance(first, (nn.Sequential, nn.ModuleList, nn.ModuleDict)):
            names = [name for name, _ in first.named_children()]
            if any([name for name, _ in one.named_children()] != names for one in modules):
                return None
            inner = [(name, self.module([getattr(one, name) for one in modules], f"{hint}{name}")) for name in names]
            return self._sequence(first, inner)
        return None

    def _layer(self, modules: Sequence[nn.Module], hint: str) -> Text | None:
        each = [layers.arguments(one) for one in modules]
        replaced = {}
        whole = [{**layers.parameters(type(one)), **some} for one, some in zip(modules, each, strict=True)]
        for name in dict.fromkeys(name for one in each for name in one):
            values = [one.get(name) for one in whole]
            if isinstance(found := self.value(values, f"{hint}_{name}"), Text):
                replaced[name] = found
        code = layers.written(modules[0], replaced, self._ranks.get(modules[0], 0))
        return None if code is None else Text(code, layers.name_of(modules[0]))

    def _sequence(self, first: nn.Module, inner: Sequence[tuple[str, Text]]) -> Text:
        numbered = [name for name, _ in inner] == [str(number) for number in range(len(inner))]
        if isinstance(first, nn.ModuleDict):
            element = self._common([text.type for _, text in inner])
            words = [f'("{name}", {text.code})' for name, text in inner]
            return Text(f"ModuleDict<{element}>({listed(words)})", f"ModuleDict<{element}>")
        if isinstance(first, nn.ModuleList):
            element = self._common([text.type for _, text in inner])
            return Text(
                f"new ModuleList<{element}>({_alike([text.code for _, text in inner])})", f"ModuleList<{element}>"
            )
        words = [text.code if numbered else f'("{name}", {text.code})' for name, text in inner]
        return Text(f"Sequential({listed(words)})", "Sequential")

    def _instance(self, written: Written, modules: Sequence[nn.Module], hint: str) -> Text:
        places = [written.instances.index(one) for one in modules]
        words = []
        for parameter in written.parameters:
            values = [parameter.values[place] for place in places]
            if parameter.entries:
                words += self._entries(values, f"{written.name} at {hint}")
                continue
            if parameter.module:
                if all(one is None for one in values):
                    if parameter.default is None:
                        continue
                    words.append("null")
                    continue
                text = self.module(values, f"{hint}_{parameter.name}")
                words.append(f"{parameter.name}: {text.code}" if parameter.default is None else text.code)
                continue
            argument = self.value(values, f"{hint}_{parameter.name}")
            optional = parameter.default is not inspect.Parameter.empty
            if optional and isinstance(argument, Constant) and _same(argument.value, parameter.default):
                continue
            word = fit(argument, parameter.type)
            if word is None:
                raise Unwritable(f"{written.name} takes {parameter.name}, and {values[0]!r} cannot be written")
            words.append(f"{parameter.name}: {word}" if optional else word)
        return Text(f"new {written.name}({listed(words, 120)})", written.name)

    def entries(self, name: str) -> Text:
        """The children of a class that is a list or dictionary: a parameter that takes any number of them."""
        values = tuple(tuple(one.named_children()) for one in self.instances)
        types = {self.type_of_module(child) for one in values for _, child in one}
        type_ = f"(string name, {types.pop() if len(types) == 1 else 'Module<Tensor, Tensor>'} child)[]"
        self.parameters[name] = ConstructorParameter(name, f"params {type_}", values, entries=True)
        return Text(name, type_)

    def _entries(self, values: Sequence[Sequence[tuple[str, nn.Module]]], where: str) -> list[str]:
        names = [name for name, _ in values[0]]
        if any([name for name, _ in one] != names for one in values):
            raise Unwritable(f"{where} has other children from instance to instance.")
        made = [self.module([one[place][1] for one in values], name) for place, name in enumerate(names)]
        return [f'("{name}", {text.code})' for name, text in zip(names, made, strict=True)]

    def type_of_module(self, module: nn.Module) -> str:
        """The C# type of a module, as far as it is known without its construction."""
        if type(module) in self._classes:
            return self._classes[type(module)].name
        if type(module) is self.kind:
            return _name_of(self.kind)
        if isinstance(module, nn.Sequential):
            return "Sequential"
        if isinstance(module, (nn.ParameterList, nn.ParameterDict)):
            return type(module).__name__
        if isinstance(module, (nn.ModuleList, nn.ModuleDict)):
            element = self._common([self.type_of_module(one) for one in module.children()])
            return f"{type(module).__name__}<{element}>"
        return layers.name_of(module) if layers.is_layer(module) else "Module<Tensor, Tensor>"

    def _common(self, types: Sequence[str]) -> str:
        """The type of a collection's modules: the one that all are, else the one by which all can be called, else Module."""
        if len(set(types)) == 1:
            return types[0]
        bases = {one.name: one.base for one in self._classes.values()}
        several = ("Module", "ModuleList<", "ModuleDict<", _name_of(self.kind), *layers.OF_MORE)
        found = {
            _PLAIN if one == _PLAIN else bases.get(one, "Module" if one.startswith(several) else _PLAIN)
            for one in types
        }
        return found.pop() if len(found) == 1 else "Module"

    def ordered(self) -> list[ConstructorParameter]:
        """The parameters, those of Python's constructor first and in its order, those with a default last."""
        names = list(self._given[0])
        found = sorted(
            self.parameters.values(), key=lambda one: names.index(one.name) if one.name in names else len(names)
        )
        return sorted(found, key=lambda one: (one.entries, one.default is not inspect.Parameter.empty))


def _name_of(kind: type) -> str:
    return kind.__name__.lstrip("_")


def _lacking(module: nn.Module | None, where: str) -> str:
    name = type(module).__name__
    if module is None or not layers.is_layer(module):
        return f"{where} is a {name}, which port cannot write."
    given = ", ".join(f"{key}={value!r}" for key, value in layers.arguments(module).items())
    return f"{where} is {name}({given}), and TorchSharp has none with these arguments."


def _alike(words: Sequence[str]) -> str:
    """Words of a call; from three that are the same on, one that is made so many times."""
    if len(words) < 3 or len(set(words)) > 1 or "\n" in words[0]:
        return listed(words)
    return f"[.. Enumerable.Range(0, {len(words)}).Select(_ => {words[0]})]"


def listed(words: Sequence[str], width: int = 90) -> str:
    """Words of a call: in one line, or each in a line of its own."""
    line = ", ".join(words)
    if len(line) <= width and "\n" not in line:
        return line
    return "\n" + ",\n".join("    " + word.replace("\n", "\n    ") for word in words)


def _same(a: Any, b: Any) -> bool:
    if (
        isinstance(a, torch.Tensor)
        or isinstance(b, torch.Tensor)
        or isinstance(a, nn.Module)
        or isinstance(b, nn.Module)
    ):
        return a is b
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # a comparison of the user's that raises, or gives an array
        return a is b


def type_of(values: Sequence[Any]) -> str:
    """The C# type of plain values."""
    kinds = {type(one) for one in values}
    ending = "?" if type(None) in kinds else ""
    kinds.discard(type(None))
    sizes = {len(one) for one in values if isinstance(one, tuple)}
    if (
        kinds == {int, tuple}
        and len(sizes) == 1
        and all(isinstance(inner, int) for one in values if isinstance(one, tuple) for inner in one)
    ):
        return f"({', '.join(['long'] * sizes.pop())}){ending}"
    if kinds == {int, float}:
        return f"double{ending}"
    sequences = bool(kinds) and kinds <= {tuple, list, torch.Size}
    if sequences and all(isinstance(inner, int) for one in values if one is not None for inner in one):
        return f"long[]{ending}"
    names: dict[type, str] = {bool: "bool", int: "long", float: "double", str: "string", Lambda: FUNCTION}
    if len(kinds) == 1 and (name := names.get(next(iter(kinds)))):
        return name + ending
    raise Unwritable(f"a constructor parameter that is {' or '.join(sorted(one.__name__ for one in kinds)) or 'None'}")


def _camel(name: str) -> str:
    parts = [part for part in re.split(r"[^0-9A-Za-z]+", name) if part]
    text = (
        parts[0][:1].lower() + parts[0][1:] + "".join(part[:1].upper() + part[1:] for part in parts[1:])
        if parts
        else "value"
    )
    return f"_{text}" if text[0].isdigit() else text
