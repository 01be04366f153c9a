"""What C# hooks see of PyTorch's own modules: a number for each, by which .NET asks for its names and tensors."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any, Final

import torch

from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.mirror.link import by_id, link_of

_PARTS: Final = boundary.members("ViewPart")
_numbers = itertools.count(1)
#: Numbers by the address of a living module, and modules by number.
_known: dict[int, int] = {}
_modules: dict[int, weakref.ref[torch.nn.Module]] = {}


def mirrored(module: torch.nn.Module) -> int:
    """The id of a mirrored module, 0 for any other."""
    link = link_of(module)
    return 0 if link is None else link.id


def number(host: DotNetRuntime, module: torch.nn.Module) -> int:
    """What .NET knows a module by: the id of a mirrored one, a number below zero for any other, as long as it lives."""
    found = mirrored(module)
    if found:
        return found
    key = id(module)
    if key not in _known:
        made = -next(_numbers)
        _known[key], _modules[made] = made, weakref.ref(module)
        weakref.finalize(module, _forget, host, key, made).atexit = False
    return _known[key]


def module(number: int) -> torch.nn.Module:
    """The module of a number. Raises ReferenceError when it is gone."""
    if number > 0:
        link = by_id(number)
        found = link.mirror()
        if found is None:
            raise ReferenceError(f"the mirror of module '{link.path}' was collected")
        return found
    found = _modules[number]() if number in _modules else None
    if found is None:
        raise ReferenceError("this PyTorch module was collected")
    return found


def described(host: DotNetRuntime, asked: int, part: int) -> Any:
    """A part of what .NET can see of a module."""
    found, word = module(asked), _PARTS[part]
    if word == "type":
        return type(found).__name__
    if word == "training":
        return found.training
    if word == "parameters":
        return tuple(found.named_parameters())
    if word == "buffers":
        return tuple(found.named_buffers())
    modules: Iterable[tuple[str, torch.nn.Module]] = (
        found.named_children() if word == "children" else [item for item in found.named_modules() if item[0]]
    )
    return tuple((name, number(host, child)) for name, child in modules)


def _forget(host: DotNetRuntime, key: int, made: int) -> None:
    _known.pop(key, None)
    _modules.pop(made, None)
    host.exports.forget(made)
