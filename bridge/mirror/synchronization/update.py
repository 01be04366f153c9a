"""The update of .NET's data about a mirror (the Python module of a C# module): addresses of tensors and dictionaries, and flags.

A *link* is Python's data about one C# module. The *epoch* is a number that changes with every write to parameters, buffers or children
(``dirty_tracking``). A *built-in* is a module such as TorchSharp's ``Linear``, whose mirror has PyTorch's own class. C-2 is a clause of the
contract (docs/contract.md).
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, NamedTuple

import torch

from bridge.clr.call import boundary
from bridge.mirror.link import Link
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.placement import resolve, source
from bridge.mirror.synchronization.tensor_lookup import MISSING, read_tensors, reads_differ
from bridge.mirror.synchronization.ties import untie
from bridge.mirror.tensors.dotted_names import track_holders

_COMPUTED, _REPLACED, _TRAINING, _MISSING, _DEPENDS, _INTERCEPTED = (
    boundary.flag("LinkFlags", name)
    for name in ("computed", "replaced", "training", "missing", "depends_on_caller", "intercepted")
)
#: The methods of PyTorch's call path that ``torch.compile`` or a tool may override by an attribute of the module object.
_CALL_STEPS: Final = ("_compiled_call_impl", "_call_impl")
_NO_ATTRIBUTES: Final[dict[str, Any]] = {}


class _Location(NamedTuple):
    """The modules that C# reaches when it calls a C# module or reads that module's tensors.

    Attributes:
        target: The module that a call reaches; None if a call raises.
        source: The module whose tensors C# reads; None if there is none.
        runs_in_python: Whether Python runs the call.
        depends: Whether the target or the source depends on the caller (``placement.resolve``).
        is_missing: Whether the target is None, or the module is a collection whose entries C# cannot read.
    """

    target: torch.nn.Module | None
    source: torch.nn.Module | None
    runs_in_python: bool
    depends: bool
    is_missing: bool


def synchronize(link: Link, compute: bool = False, version: int = -1) -> None:
    """Send .NET the state of the link's mirror, or of the module that replaced it.

    Tensors that are computed at each access (parametrizations) are computed only if ``compute`` is true. ``version`` is the version of the
    mirror's ``__dict__`` that .NET has read before this call; -1 if .NET has read no version.

    Raises the exceptions of :func:`read_tensors` and ``CollectionLink.send_entries``.
    """
    # The epoch is read first: if a write follows, the epoch changes, and .NET synchronizes again.
    epoch = dirty_tracking.epoch()
    mirror = link.mirror()
    # ``shown`` is the module from which .NET reads hooks, class (``kind``) and attributes (``state``).
    shown, kind, state = mirror, type(mirror), _NO_ATTRIBUTES if mirror is None else mirror.__dict__
    if mirror is not None:
        link.track(mirror)
    target, read, runs_in_python, depends, is_missing = _locate(link, mirror)
    if read is not mirror and read is not None and (link.names or link.is_collection):
        # C# reads the tensors of ``read``, a replacement, so a write to that module's tensors must change the epoch.
        dirty_tracking.track(read)
    if link.is_collection and read is not None:
        shown, kind, state = read, type(read), read.__dict__
        runs_in_python |= link.send_entries(read)
    names = link.names
    if link.dotted:
        for module in filter(None, (mirror, read)):
            track_holders(module, link.dotted)
    found, computed = read_tensors(link, names, read, compute)
    if not (is_missing or depends or mirror is None or target is None):
        depends = reads_differ(link, link.source_in(target), mirror)
    tensors = [None if item is MISSING else item for item in found]
    if link.ties:
        untie(link, names, tensors)
    # Python runs a module that lacks a tensor, so that a built-in raises PyTorch's own error.
    runs_in_python |= depends | any(item is MISSING for item in found)
    runs_in_python |= mirror is not None and _differs_from_csharp(link, mirror, tensors)
    if runs_in_python is not link.runs_in_python:
        # A built-in that contains this module runs in Python if this module does. The new epoch makes .NET synchronize the built-in.
        link.runs_in_python = runs_in_python
        dirty_tracking.advance()
    flags = (
        computed * _COMPUTED
        | runs_in_python * _REPLACED
        | is_missing * _MISSING
        | bool((state if read is None else read.__dict__).get("training")) * _TRAINING
        | depends * _DEPENDS
        | any(state.get(name) is not None for name in _CALL_STEPS) * _INTERCEPTED
    )
    hooks, options = (
        [getattr(shown, name) if shown is not None else _NO_ATTRIBUTES for name in dicts]
        for dicts in (dirty_tracking.HOOK_DICTS, dirty_tracking.HOOK_OPTION_DICTS)
    )
    mirror_address = id(mirror) if mirror is not None else 0
    dictionaries = [*hooks, state, *options]
    addresses = (*map(id, dictionaries), id(kind), mirror_address if shown is mirror else 0, mirror_address)
    tensor_addresses = [-1 if item is MISSING else 0 if item is None else id(item) for item in found]
    _bind(link, epoch, tensor_addresses, addresses, version, flags, (tensors, dictionaries, kind))


def _locate(link: Link, mirror: torch.nn.Module | None) -> _Location:
    found, depends = resolve(link)
    if isinstance(found, Exception):
        # Python runs the call, and raises the error.
        if isinstance(found, AttributeError) and link.names and not link.is_collection:
            # The module was deleted: C# code that reads the module's tensors raises too, except in the module's own ``forward``.
            return _Location(None, mirror if link.is_running() else None, True, True, True)
        return _Location(None, mirror, True, depends, True)
    # A ``forward`` that was assigned to the module object must run even if the module has no hooks (C-2).
    runs_in_python = link.is_proxy or found is not mirror or "forward" in found.__dict__
    try:
        return _Location(found, source(link, found), runs_in_python, depends, False)
    except TypeError:  # C# gets this error when it enumerates the collection
        return _Location(found, mirror, runs_in_python, depends, True)


def _differs_from_csharp(link: Link, mirror: torch.nn.Module, tensors: list[torch.Tensor | None]) -> bool:
    """Send C# the changed hyper-parameters of a built-in, and return whether C# would compute another result than Python."""
    if link.attributes is None:
        return False
    return link.attributes.send_changes(mirror, tensors) or not (
        link.is_collection or _has_original_children(link, mirror)
    )


def _has_original_children(link: Link, mirror: torch.nn.Module) -> bool:
    """Return whether the mirror's descendants are the mirrors of the C# module's descendants, and C# runs all of these modules."""
    children = mirror._modules
    if len(children) != len(link.children):
        return False
    for name, child_link in link.children:
        child = children.get(name)
        if child is None or child is not child_link.mirror() or child_link.runs_in_python:
            return False
        if not _has_original_children(child_link, child):
            return False
    return True


def _bind(
    link: Link,
    epoch: int,
    tensors: list[int],
    addresses: tuple[int, ...],
    version: int,
    flags: int,
    pins: tuple[Any, ...],
) -> None:
    """Send .NET the addresses, and keep ``pins``, the objects at these addresses, alive."""
    tensor_array = (ctypes.c_int64 * max(len(tensors), 1))(*tensors)
    address_array = (ctypes.c_int64 * len(addresses))(*addresses)
    with link.lock:
        before = link.pins
        link.pins = (*pins, before)
        taken = link.runtime.exports.bind_link(
            link.id,
            epoch,
            ctypes.addressof(tensor_array),
            ctypes.addressof(address_array),
            version,
            flags,
            len(tensors),
        )
        link.pins = pins if taken else before
    # The previous pins are freed after the lock was released, since finalizers may run code.
    del before
