"""Ties: parameters that a model has under several names, which C# must share under the same names."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.observe.modules import is_layer
from bridge.port.observe.observations import Method


@dataclass(frozen=True, slots=True)
class Ties:
    """The ties by class (``within``): pairs of names that one parameter has below each instance of the class.

    ``read`` has, by class, the fields that other classes read, and ``replaced`` the parameters that other classes replace.
    """

    within: dict[type, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    read: dict[type, set[str]] = field(default_factory=dict)
    replaced: dict[type, set[str]] = field(default_factory=dict)


def find_ties(model: nn.Module, own: Callable[[type], bool]) -> Ties:
    """Return the ties of a model, each for the innermost of the model's own classes that contains both names. Raises Unwritable."""
    by_module: dict[nn.Module, list[tuple[str, str]]] = {}
    places: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        places.setdefault(id(parameter), []).append(name)
    found = Ties()
    for several in places.values():
        for other in several[1:]:
            owner = _owner(model, several[0], other, own)
            start = len(owner) + 1 if owner else 0
            first, second = several[0][start:], other[start:]
            module = model.get_submodule(owner)
            if len(several) == 2:
                first, second = _in_order(module, first, second)
            above, _, last = second.rpartition(".")
            if above and not is_layer(changed := module.get_submodule(above)):
                if not own(type(changed)) or changed is module.get_submodule(first.rpartition(".")[0]):
                    raise Unwritable(
                        f"{first} and {second} are one parameter, of classes of the model's: give each its own."
                    )
                found.replaced.setdefault(type(changed), set()).add(last)
            pairs = by_module.setdefault(module, [])
            if (first, second) not in pairs:
                pairs.append((first, second))
            for path in (first, second):
                _read(module, path, own, found.read)
    for module, pairs in by_module.items():
        if found.within.setdefault(type(module), tuple(pairs)) != tuple(pairs):
            raise Unwritable(f"instances of {type(module).__name__} differ in which of their parameters are one.")
    for kind in found.within:
        if any(type(module) is kind and module not in by_module for module in model.modules()):
            raise Unwritable(f"instances of {kind.__name__} differ in which of their parameters are one.")
    return found


def _owner(model: nn.Module, first: str, second: str, own: Callable[[type], bool]) -> str:
    a, b = first.split("."), second.split(".")
    common = 0
    while a[common] == b[common]:
        common += 1
    path = a[:common]
    while path and not own(type(model.get_submodule(".".join(path)))):
        path.pop()
    return ".".join(path)


def _in_order(module: nn.Module, first: str, second: str) -> tuple[str, str]:
    """Return the two names, ordered so that the second, which C# assigns, belongs to a layer if either of them does."""
    layers = [is_layer(module.get_submodule(one.rpartition(".")[0])) for one in (first, second)]
    return (second, first) if layers == [True, False] else (first, second)


def _read(module: nn.Module, path: str, own: Callable[[type], bool], read: dict[type, set[str]]) -> None:
    at = module
    for part in path.split("."):
        if at is not module and own(type(at)):
            read.setdefault(type(at), set()).add(part)
        at = getattr(at, part)


def find_shared_members(
    methods: Mapping[types.FunctionType, Method], own: Callable[[type], bool]
) -> dict[type[nn.Module], set[str]]:
    """Return the fields of each class that methods of other classes read."""
    found: dict[type[nn.Module], set[str]] = {}
    for method in methods.values():
        for node in method.seen:
            seen = method.seen.get(node.value) if isinstance(node, ast.Attribute) else None
            if seen is None or not isinstance(node, ast.Attribute) or ast.unparse(node.value) == "self":
                continue
            for module in seen.values:
                names = _fields_of(module) if isinstance(module, nn.Module) else ()
                if node.attr in names and own(type(module)):
                    found.setdefault(type(module), set()).add(node.attr)
    return found


def _fields_of(module: nn.Module) -> tuple[str, ...]:
    return (*module._parameters, *module._buffers, *module._modules, *vars(module))
