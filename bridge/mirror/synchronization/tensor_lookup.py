"""The parameters and buffers that C# reads of a module, found as Python finds attributes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import torch

from bridge.mirror.link import Link
from bridge.output.sentences import with_article
from bridge.tensors import is_tensor

#: Marks a tensor that a module does not have.
MISSING: Final = object()


def read_tensors(
    link: Link, names: tuple[str, ...], source: torch.nn.Module | None, compute: bool
) -> tuple[list[Any], bool]:
    """Return a module's tensors of these names, and whether some are computed at each access.

    A tensor is None where the module has None, or where it is computed and ``compute`` is false; MISSING where there is none.
    Raises TypeError for an attribute of a mirror that is neither a tensor nor None.
    """
    tensors: list[Any] = []
    any_computed = False
    for name in names:
        value: Any = MISSING
        for module in _holders(link, source):
            value = _stored(module, name)
            if value is MISSING and _is_computed(link, module, name):
                value = _compute(link, module, name) if compute else None
                any_computed = True
            if value is not MISSING:
                break
        if value is not None and value is not MISSING and not is_tensor(value):
            if not link.is_proxy:
                raise TypeError(
                    f"'{link.path}.{name}' is {with_article(type(value).__name__)}, but .NET needs a tensor or None"
                )
            # C# that does not read it must not fail.
            value = MISSING
        tensors.append(value)
    return tensors, any_computed


def find_tensor(link: Link, source: torch.nn.Module, name: str) -> object:
    """Return the tensor that a module stores under a name; None if it stores none."""
    for module in _holders(link, source):
        if (value := _stored(module, name)) is not MISSING:
            return value
    return None


def differ(link: Link, replacement: torch.nn.Module, mirror: torch.nn.Module) -> bool:
    """Return whether C# in the replaced mirror's ``forward`` reads other tensors or entries than C# elsewhere."""
    if replacement is mirror or link.is_proxy or link.arguments is None:
        return False
    # PyTorch runs the forward of a built-in where C# does not compute it in one step.
    if link.attributes is not None and not link.is_collection:
        return False
    return link.is_collection or any(
        find_tensor(link, replacement, name) is not find_tensor(link, mirror, name)
        or any(hasattr(type(module), name) for module in (replacement, mirror))
        for name in link.names
    )


def contains(module: torch.nn.Module, other: torch.nn.Module) -> bool:
    """Return whether a module is another one, or has it among its descendants."""
    return any(found is other for found in module.modules())


def _holders(link: Link, source: torch.nn.Module | None) -> Iterator[torch.nn.Module]:
    """Yield the modules to search: the one in the mirror's place, then the mirror if that wraps it and C# runs its ``forward``."""
    if source is None:
        return
    yield source
    mirror = link.mirror()
    if mirror is None or source is mirror or link.attributes is not None:
        return
    if contains(source, mirror):
        yield mirror


def _stored(module: torch.nn.Module, name: str) -> Any:
    # In Python's order: a property of the class, then the object's own attributes, then its parameters and buffers.
    if hasattr(getattr(type(module), name, None), "__set__"):
        return MISSING
    for attributes in (module.__dict__, module._parameters, module._buffers):
        value = attributes.get(name, MISSING)
        if value is not MISSING:
            return value
    return MISSING


def _is_computed(link: Link, module: torch.nn.Module, name: str) -> bool:
    """Return whether a module computes a tensor at each access, as a parametrization, a property or ``__getattr__`` of a wrapper does."""
    is_python_module = link.is_proxy or module is not link.mirror()
    return hasattr(type(module), name) or (is_python_module and hasattr(module, name))


def _compute(link: Link, module: torch.nn.Module, name: str) -> Any:
    if not link.is_proxy:
        return getattr(module, name)
    # Not all names of the C# class are the module's: where its property raises, only C# that reads the tensor raises.
    with contextlib.suppress(Exception):
        return getattr(module, name)
    return MISSING
