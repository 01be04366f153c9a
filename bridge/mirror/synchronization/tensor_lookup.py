"""The search for the parameters and buffers that C# reads. It follows Python's rules for attributes.

A *link* is Python's data about one C# module. A *mirror* is the ``torch.nn.Module`` that represents a C# module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import torch

from bridge.mirror.link import Link
from bridge.mirror.tensors.dotted_names import holder_of
from bridge.tensors import is_tensor
from hook_contract.output.sentences import with_article

#: Stands for an attribute that a module does not have.
MISSING: Final = object()


def read_tensors(
    link: Link, names: tuple[str, ...], source: torch.nn.Module | None, compute: bool
) -> tuple[list[Any], bool]:
    """Return the tensors of these names, and whether some of them must be read again in each call.

    A name with dots is that of a descendant's attribute: ``weight.original0`` is the attribute ``original0`` of the child ``weight``.

    A tensor must be read again if it is computed at each access (:func:`_is_computed`), or if it is a plain attribute of a descendant.

    Each name is searched in ``source`` and, if ``source`` is a wrapper of the mirror, in the mirror (:func:`_holders`).

    An item is None if the attribute is None, or if it is computed and ``compute`` is false. An item is MISSING if there is no such
    attribute.

    Raises TypeError for an attribute that is neither a tensor nor None, and any exception of code that computes an attribute. If a C#
    object represents a Python module (``link.is_proxy``), such an attribute counts as MISSING instead.
    """
    tensors: list[Any] = []
    any_computed = False
    for name in names:
        value: Any = MISSING
        for module, own in _places(link, source, name):
            value = _stored(module, own)
            if value is MISSING and _is_computed(link, module, own):
                value = _compute(link, module, own) if compute else None
                any_computed = True
            if value is not MISSING:
                # Writes to a plain attribute of a descendant are not tracked, so the attribute is read again in each call.
                any_computed |= own is not name and own in module.__dict__
                break
        if value is not None and value is not MISSING and not is_tensor(value):
            if not link.is_proxy:
                raise TypeError(
                    f"'{link.path}.{name}' is {with_article(type(value).__name__)}, but .NET needs a tensor or None"
                )
            # The C# object that represents the Python module stays usable: C# fails only when it reads this attribute.
            value = MISSING
        tensors.append(value)
    return tensors, any_computed


def find_tensor(link: Link, source: torch.nn.Module, name: str) -> object:
    """Return the attribute that ``source``, or the mirror if ``source`` wraps it, stores under a name; None if missing or computed."""
    for module, own in _places(link, source, name):
        if (value := _stored(module, own)) is not MISSING:
            return value
    return None


def reads_differ(link: Link, replacement: torch.nn.Module, mirror: torch.nn.Module) -> bool:
    """Return whether two pieces of C# code that read the same module may get different tensors (or, for a collection, different entries).

    They may if Python has replaced ``mirror`` by ``replacement``: the C# ``forward`` of ``mirror`` still reads from ``mirror``, and other
    code reads from ``replacement``.
    """
    if replacement is mirror or link.is_proxy or link.arguments is None:
        return False
    # If the mirror has PyTorch's own class, no C# ``forward`` reads from the mirror: a call of it runs PyTorch's ``forward``.
    if link.attributes is not None and not link.is_collection:
        return False
    return link.is_collection or any(
        find_tensor(link, replacement, name) is not find_tensor(link, mirror, name)
        or any(hasattr(type(module), name) for module in (replacement, mirror))
        for name in link.names
    )


def contains(module: torch.nn.Module, other: torch.nn.Module) -> bool:
    """Return whether ``other`` is ``module`` or one of its descendants."""
    return any(found is other for found in module.modules())


def _places(link: Link, source: torch.nn.Module | None, name: str) -> Iterator[tuple[torch.nn.Module, str]]:
    """Yield each module to search (:func:`_holders`) with the name to search in it. A name with dots is that of a descendant's tensor."""
    for module in _holders(link, source):
        if "." not in name:
            yield module, name
        elif (place := holder_of(module, name))[0] is not None:
            yield place  # type: ignore[misc]  # checked


def _holders(link: Link, source: torch.nn.Module | None) -> Iterator[torch.nn.Module]:
    """Yield the modules to search: ``source``, then the mirror if ``source`` is a wrapper that contains it.

    If the mirror has PyTorch's own class (``link.attributes`` is not None), only ``source`` is searched.
    """
    if source is None:
        return
    yield source
    mirror = link.mirror()
    if mirror is None or source is mirror or link.attributes is not None:
        return
    if contains(source, mirror):
        yield mirror


def _stored(module: torch.nn.Module, name: str) -> Any:
    # Python's order: data descriptors of the class, then the object's attributes, then ``Module.__getattr__``'s parameters and buffers.
    if hasattr(getattr(type(module), name, None), "__set__"):
        return MISSING
    for attributes in (module.__dict__, module._parameters, module._buffers):
        value = attributes.get(name, MISSING)
        if value is not MISSING:
            return value
    return MISSING


def _is_computed(link: Link, module: torch.nn.Module, name: str) -> bool:
    """Return whether an attribute is computed at each access: by a parametrization, a property, or a wrapper's ``__getattr__``."""
    is_python_module = link.is_proxy or module is not link.mirror()
    return hasattr(type(module), name) or (is_python_module and hasattr(module, name))


def _compute(link: Link, module: torch.nn.Module, name: str) -> Any:
    if not link.is_proxy:
        return getattr(module, name)
    # The Python module need not have all attributes of the C# class that represents it: C# fails only when it reads a missing one.
    with contextlib.suppress(Exception):
        return getattr(module, name)
    return MISSING
