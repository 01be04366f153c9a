"""What a function of the model's source takes in C#: what was never given, or always the same switch, is no parameter there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Final

import torch

from bridge.port.csharp_types import Untranslatable, csharp_type, whole_numbers
from bridge.port.members import Constant
from bridge.port.watched import Method

_NOTHING: Final = object()
#: How many arguments a module of TorchSharp takes.
MOST: Final = 6


@dataclass(frozen=True, slots=True)
class Signature:
    """``parameters`` are those of C#, name and type, in order; ``constants`` what the others always were; ``keywords`` the names that came
    through ``**kwargs``, ``unknown`` those that have no type in C#, with the type of Python; ``spread`` is the parameter that takes any
    number of tensors, and was given some."""

    parameters: tuple[tuple[str, str], ...]
    constants: dict[str, Constant]
    defaults: dict[str, ast.expr]
    order: tuple[str, ...]
    keywords: tuple[str, ...]
    unknown: dict[str, str]
    spread: str = ""


def signature(method: Method, own: str = "") -> Signature:
    """The signature of a function by the calls that were watched; ``self``, or whatever ``own`` calls it, is left out."""
    arguments = method.tree.args
    named = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if named[:1] in (["self"], [own]):
        named = named[1:]
    defaults = dict(zip(reversed(named), reversed(arguments.defaults), strict=False))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        named.append(one.arg)
        if default is not None:
            defaults[one.arg] = default
    keywords: list[str] = []
    if arguments.kwarg is not None:
        for given in method.given:
            keywords += [key for key in given.get(arguments.kwarg.arg, {}) if key not in keywords]
    constants: dict[str, Constant] = {}
    parameters: list[tuple[str, str]] = []
    unknown: dict[str, str] = {}
    for name in (*named, *keywords):
        values = [_of(given, name, arguments.kwarg) for given in method.given]
        there = [one for one in values if one is not _NOTHING and one is not None]
        if not there:
            if values or name in defaults:
                default = defaults.get(name)
                known = default.value if not values and isinstance(default, ast.Constant) else None
                constants[name] = Constant(known)
            else:
                parameters.append((name, "Tensor"))
            continue
        if len(there) == len(values) and _fixed(there, defaults.get(name)):
            constants[name] = Constant(there[0])
            continue
        try:
            type_ = "long[]" if all(map(whole_numbers, there)) else csharp_type(there[0], method.tree)
        except Untranslatable:
            if all(one is there[0] for one in values):
                constants[name] = Constant(there[0])
            else:
                unknown[name] = type(there[0]).__name__
            continue
        parameters.append((name, type_ + ("?" if len(there) < len(values) and not type_.endswith("?") else "")))
    spread = _spread(method)
    if spread:
        parameters.append((spread, "params Tensor[]"))
    return Signature(tuple(parameters), constants, defaults, tuple(named), tuple(keywords), unknown, spread)


def _spread(method: Method) -> str:
    """The parameter that takes any number of tensors, if it was given some and nothing else."""
    if (vararg := method.tree.args.vararg) is None:
        return ""
    given = [one for call in method.given for one in call.get(vararg.arg, ())]
    tensors = bool(given) and all(isinstance(one, torch.Tensor) for one in given)
    return vararg.arg if tensors and not method.tree.args.kwonlyargs else ""


def _of(given: dict[str, Any], name: str, kwarg: ast.arg | None) -> Any:
    if name in given:
        return given[name]
    return given.get(kwarg.arg, {}).get(name, _NOTHING) if kwarg is not None else _NOTHING


def _fixed(values: list[Any], default: ast.expr | None) -> bool:
    """Whether a parameter was the same setting in all calls, or the number that it is without being given."""
    first = values[0]
    if isinstance(first, (bool, str, float, torch.dtype)):
        return all(type(one) is type(first) and one == first for one in values)
    if isinstance(first, (int, float)) and isinstance(default, ast.Constant):
        return all(type(one) is type(default.value) and one == default.value for one in values)
    if isinstance(first, (dict, tuple, list)) and not first:
        return all(type(one) is type(first) and not one for one in values)
    return False
