"""Settings in which the modules of two models differ: class, hyperparameters, mode, children, parameters and buffers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

from bridge.compare.models.renamed_model import RenamedModel
from bridge.trace.diff.phrases import path_name

#: Attributes that are not compared: the mode is compared separately; the others change no result if both models have the same weights.
_IGNORED: Final = frozenset({"training", "inplace", "init"})
#: The largest relative difference of two floats that count as equal. Their absolute difference is at most the machine epsilon.
_ROUNDED: Final = 1e-9
_PLAIN: Final = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in which two modules at the same path differ."""

    path: str
    #: The name of an attribute, parameter or buffer, or ``class``, ``training``, ``children`` or ``shared``.
    name: str
    #: A sentence with both values.
    message: str
    #: Whether the setting is the class or an attribute that the constructor sets.
    constructed: bool = False

    def __str__(self) -> str:
        return self.message


def settings(python: torch.nn.Module, dotnet: torch.nn.Module, names: tuple[str, str]) -> tuple[Setting, ...]:
    """Return the settings that differ, in the order of ``python``'s modules, those called ``shared`` last.

    Classes are compared where both are of ``torch.nn``, and hyperparameters where these classes are equal. A module that only one model
    has is reported at the parent module, as the setting ``children``. ``names`` are the names of the two runtimes.
    """
    others = dict(dotnet.named_modules())
    rename = dotnet.child_name if isinstance(dotnet, RenamedModel) else _own_name
    found = [
        Setting(
            path,
            name,
            f"{path_name(path)} ({type(module).__name__}): {words}.",
            name == "class" or name in vars(module),
        )
        for path, module in python.named_modules()
        if path in others
        for name, words in _differences(module, others[path], names, rename)
    ]
    return (*found, *_shared_parameters(python, dotnet, names), *_shared_parameters(dotnet, python, names[::-1]))


def _own_name(module: torch.nn.Module, name: str) -> str:
    return name


def _shared_parameters(a: torch.nn.Module, b: torch.nn.Module, names: tuple[str, str]) -> Iterator[Setting]:
    """Yield the parameters that are one tensor under several names in the model ``a`` and several tensors in ``b``."""
    mine, theirs = (dict(model.named_parameters(remove_duplicate=False)) for model in (a, b))
    first: dict[int, str] = {}
    for name, parameter in mine.items():
        other = first.setdefault(id(parameter), name)
        if other != name and name in theirs and other in theirs and theirs[name] is not theirs[other]:
            words = f"{name} and {other} are one tensor (shared, tied) in {names[0]} and two in {names[1]}."
            yield Setting(name.rpartition(".")[0], "shared", words)


def _differences(
    a: torch.nn.Module, b: torch.nn.Module, names: tuple[str, str], rename: Callable[[torch.nn.Module, str], str]
) -> Iterator[tuple[str, str]]:
    left, right = names
    if type(a) is not type(b) and _has_pytorch_class(a) and _has_pytorch_class(b):
        yield "class", f"it is {type(b).__name__} in {right}"
    elif type(a) is type(b) and _has_pytorch_class(a):
        for name in sorted(vars(a).keys() & vars(b).keys() - _IGNORED):
            x, y = getattr(a, name), getattr(b, name)
            if not name.startswith("_") and _comparable(x) and _comparable(y) and not _equal(x, y):
                yield name, f"{name} is {x!r} in {left} and {y!r} in {right}"
    if a.training != b.training:
        modes = ["train" if module.training else "eval" for module in (a, b)]
        yield "training", f"it is in {modes[0]} mode in {left} and in {modes[1]} mode in {right}"
    children = [name for name, _ in a.named_children()], [rename(b, name) for name, _ in b.named_children()]
    yield from _compare_children(*children, names)
    for kind, ours, theirs in (("parameter", a._parameters, b._parameters), ("buffer", a._buffers, b._buffers)):
        for name in dict.fromkeys((*ours, *theirs)):
            yield from _compare_tensors(kind, name, ours.get(name), theirs.get(name), names)


def _compare_children(ours: list[str], theirs: list[str], names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    for some, others, name, other in ((ours, theirs, *names), (theirs, ours, *names[::-1])):
        if only := [child for child in some if child not in others]:
            yield "children", f"{', '.join(only)} {'is' if len(only) == 1 else 'are'} in {name} only, not in {other}"
    if ours != theirs and sorted(ours) == sorted(theirs):
        yield "children", f"in {names[1]} its children are in another order: {', '.join(theirs)}"


def _compare_tensors(
    kind: str, name: str, x: torch.Tensor | None, y: torch.Tensor | None, names: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    left, right = names
    if (x is None) != (y is None):
        if kind == "buffer":
            return  # the comparison of the buffers after the run reports such a buffer
        present, absent = names if y is None else names[::-1]
        yield name, f"it has {kind} {name} in {present} and not in {absent}"
    elif x is not None and y is not None:
        if x.dtype != y.dtype:
            yield name, f"{kind} {name} is {str(x.dtype)[6:]} in {left} and {str(y.dtype)[6:]} in {right}"
        if x.requires_grad != y.requires_grad:
            frozen, trained = names if y.requires_grad else names[::-1]
            yield name, f"{kind} {name} is frozen in {frozen} and not in {trained}"


def _has_pytorch_class(module: torch.nn.Module) -> bool:
    return type(module).__module__.startswith("torch.nn.")


def _comparable(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, (tuple, list)) and all(map(_comparable, value)))


def _equal(x: Any, y: Any) -> bool:
    """Return whether two values mean the same: ``2`` and ``(2, 2)`` are the same kernel size."""
    if isinstance(x, (tuple, list)) != isinstance(y, (tuple, list)):
        items, scalar = (x, y) if isinstance(x, (tuple, list)) else (y, x)
        return bool(items) and all(item == scalar for item in items)
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(_equal, x, y))
    if isinstance(x, float) and isinstance(y, float):
        # A model may compute a setting, which rounds: 1 - 0.99 is 0.010000000000000009.
        return math.isclose(x, y, rel_tol=_ROUNDED, abs_tol=0.0) and (x == y or abs(x - y) <= sys.float_info.epsilon)
    return bool(x == y)


def settings_at(found: Sequence[Setting], path: str) -> list[Setting]:
    return [setting for setting in found if setting.path == path]
