"""What two models are made of, module by module: class, hyper-parameters, mode, children, parameters and buffers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

#: Attributes that no result depends on where both sides have the same weights.
_WITHOUT_EFFECT: Final = frozenset({"training", "inplace", "init"})
#: So much of a number may be rounding.
_ROUNDED: Final = 1e-9
_PLAIN: Final = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing in which two modules at the same path differ: ``name`` is an attribute's, ``class``, ``mode``, ``children``, or a
    parameter's or buffer's; ``message`` says it with both values. ``made``: it is the class or what its constructor was given."""

    path: str
    name: str
    message: str
    made: bool = False

    def __str__(self) -> str:
        return self.message


def settings(python: torch.nn.Module, dotnet: torch.nn.Module, names: tuple[str, str]) -> tuple[Setting, ...]:
    """Where the modules of two models differ, path by path in the order of ``python``'s; ``names`` are the runtimes'.

    Hyper-parameters and classes are compared where both sides have one of ``torch.nn``'s own; paths on one side only are told as children.
    """
    others = dict(dotnet.named_modules())
    found = [
        Setting(
            path, name, f"{path or 'the root'} ({type(one).__name__}): {words}.", name == "class" or name in vars(one)
        )
        for path, one in python.named_modules()
        if path in others
        for name, words in _differences(one, others[path], names)
    ]
    return (*found, *_shared(python, dotnet, names), *_shared(dotnet, python, names[::-1]))


def _shared(a: torch.nn.Module, b: torch.nn.Module, names: tuple[str, str]) -> Iterator[Setting]:
    """Parameters that are one tensor under several names on the first side and several on the second."""
    mine, theirs = (dict(model.named_parameters(remove_duplicate=False)) for model in (a, b))
    first: dict[int, str] = {}
    for name, parameter in mine.items():
        other = first.setdefault(id(parameter), name)
        if other != name and name in theirs and other in theirs and theirs[name] is not theirs[other]:
            words = f"{name} and {other} are one tensor (shared, tied) in {names[0]} and two in {names[1]}."
            yield Setting(name.rpartition(".")[0], "shared", words)


def _differences(a: torch.nn.Module, b: torch.nn.Module, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    left, right = names
    if type(a) is not type(b) and _is_torchs(a) and _is_torchs(b):
        yield "class", f"it is {type(b).__name__} in {right}"
    elif type(a) is type(b) and _is_torchs(a):
        for name in sorted(vars(a).keys() & vars(b).keys() - _WITHOUT_EFFECT):
            x, y = getattr(a, name), getattr(b, name)
            if not name.startswith("_") and _comparable(x) and _comparable(y) and not _equal(x, y):
                yield name, f"{name} is {x!r} in {left} and {y!r} in {right}"
    if a.training != b.training:
        modes = ["train" if module.training else "eval" for module in (a, b)]
        yield "mode", f"it is in {modes[0]} mode in {left} and in {modes[1]} mode in {right}"
    yield from _children(a, b, names)
    for kind, those, these in (("parameter", a._parameters, b._parameters), ("buffer", a._buffers, b._buffers)):
        for name in dict.fromkeys((*those, *these)):
            yield from _tensors(kind, name, those.get(name), these.get(name), names)


def _children(a: torch.nn.Module, b: torch.nn.Module, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    those, these = ([name for name, _ in module.named_children()] for module in (a, b))
    for some, others, name, other in ((those, these, *names), (these, those, *names[::-1])):
        if only := [child for child in some if child not in others]:
            yield "children", f"{', '.join(only)} {'is' if len(only) == 1 else 'are'} in {name} only, not in {other}"
    if those != these and sorted(those) == sorted(these):
        yield "children", f"in {names[1]} its children are in another order: {', '.join(these)}"


def _tensors(
    kind: str, name: str, x: torch.Tensor | None, y: torch.Tensor | None, names: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    left, right = names
    if (x is None) != (y is None):
        if kind == "buffer":
            return  # the comparison of buffers after the run says so
        here, there = names if y is None else names[::-1]
        yield name, f"it has {kind} {name} in {here} and not in {there}"
    elif x is not None and y is not None:
        if x.dtype != y.dtype:
            yield name, f"{kind} {name} is {str(x.dtype)[6:]} in {left} and {str(y.dtype)[6:]} in {right}"
        if x.requires_grad != y.requires_grad:
            here, there = names if y.requires_grad else names[::-1]
            yield name, f"{kind} {name} is frozen in {here} and not in {there}"


def _is_torchs(module: torch.nn.Module) -> bool:
    return type(module).__module__.startswith("torch.nn.")


def _comparable(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, (tuple, list)) and all(map(_comparable, value)))


def _equal(x: Any, y: Any) -> bool:
    """Whether they mean the same: ``2`` and ``(2, 2)`` are one kernel."""
    if isinstance(x, (tuple, list)) != isinstance(y, (tuple, list)):
        several, one = (x, y) if isinstance(x, (tuple, list)) else (y, x)
        return bool(several) and all(each == one for each in several)
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(_equal, x, y))
    if isinstance(x, float) and isinstance(y, float):
        # 1 - 0.99 is 0.010000000000000009: what a subtraction from 1 rounds away, of no small number such as an eps.
        return math.isclose(x, y, rel_tol=_ROUNDED, abs_tol=0.0) and (x == y or abs(x - y) <= sys.float_info.epsilon)
    return bool(x == y)


def those_at(found: Sequence[Setting], path: str) -> list[Setting]:
    """Those of the module at ``path``."""
    return [one for one in found if one.path == path]
