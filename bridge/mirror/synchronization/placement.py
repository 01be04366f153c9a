"""The Python module that a call from C# reaches: the C# module's mirror, or the module that replaced it (``model.fc = other``).

A *link* is Python's data about one C# module. The *epoch* is a number that changes with every write to parameters, buffers or children
(``dirty_tracking``).
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from bridge.mirror.link import Link, link_of
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.tensor_lookup import MISSING, contains, reads_differ


def target(link: Link) -> torch.nn.Module:
    """Return the module that a call of the link's module reaches.

    Raises AttributeError when the module was deleted from its parent, and ReferenceError when its mirror was freed. Raises RuntimeError
    when the module is a child of several modules in C#, and these modules have different children in its place in Python.
    """
    epoch, cached = link.cached_target
    if epoch == dirty_tracking.epoch() and (module := cached()) is not None:
        return module
    found, _ = resolve(link)
    if isinstance(found, Exception):
        raise found
    return found


def resolve(link: Link) -> tuple[torch.nn.Module | Exception, bool]:
    """Return the module or exception of :func:`target`, and whether the result depends on the caller.

    The result depends on the caller if Python has replaced a parent by a module that has another child of the same name. The C#
    ``forward`` of the replaced parent calls the original child, and other code calls the child of the replacement.
    """
    epoch, cached = link.cached_target
    if epoch == dirty_tracking.epoch() and (module := cached()) is not None:
        return module, False
    epoch = dirty_tracking.epoch()
    found, depends = _find(link)
    if not (depends or isinstance(found, Exception)):
        link.cached_target = (epoch, weakref.ref(found))
    return found, depends


def read_source(link: Link) -> tuple[torch.nn.Module, bool]:
    """Return the module whose tensors and entries C# reads, and whether the result depends on the caller.

    Raises the exceptions of :func:`target` and :func:`source`.
    """
    found, depends = resolve(link)
    if isinstance(found, Exception):
        raise found
    mirror = link.mirror()
    return source(link, found), depends or (mirror is not None and reads_differ(link, link.source_in(found), mirror))


def source(link: Link, target: torch.nn.Module) -> torch.nn.Module:
    """Return the module whose tensors and entries C# reads: the mirror while its C# ``forward`` runs, else ``link.source_in(target)``.

    Raises TypeError if the link's module is a collection without ``forward``, and ``target`` is not a collection of the same kind.
    """
    mirror, replacement = link.mirror(), link.source_in(target)
    return replacement if mirror is None or replacement is mirror or not link.is_running() else mirror


def _find(link: Link) -> tuple[torch.nn.Module | Exception, bool]:
    found: dict[str, torch.nn.Module | None] = {}
    collections = []
    depends = False
    for reference, name in link.parents:
        parent = reference()
        if parent is None:
            continue
        if parent.is_collection:
            collections.append((parent, name))
            continue
        child, differs = _child(parent, name)
        depends |= differs
        if child is not MISSING:
            found[parent.path_of(name)] = child
    if not found and collections:
        found, depends = _find_entry(link, collections)
    if None in found.values():
        return AttributeError(f"module '{link.path}' was deleted in Python, but .NET calls it"), depends
    if len({id(module) for module in found.values()}) > 1:
        error = RuntimeError(
            f"{' and '.join(found)} are one module in .NET: replace the module at each of these paths, or at none"
        )
        return error, depends
    for module in found.values():
        return module, depends  # type: ignore[return-value]  # not None, which is handled above
    mirror = link.mirror()
    if mirror is None:
        message = f"Python has freed module '{link.path}', but .NET uses it: keep a reference to the model in Python"
        return ReferenceError(message), depends
    return mirror, depends


def _child(parent: Link, name: str) -> tuple[Any, bool]:
    """Return a parent's child, and whether the result depends on the caller.

    The child is None if the parent has no child of that name, MISSING if the parent no longer exists in Python.
    """
    mirror = parent.mirror()
    own = MISSING if mirror is None else mirror._modules.get(name)
    found, depends = resolve(parent)
    if found is mirror or isinstance(found, Exception):
        return own, depends
    # C# reads the children of the replacement, so writes to these must change the epoch.
    dirty_tracking.track(found)
    child = found._modules.get(name)
    if mirror is None or child is own:
        return child, depends
    if child is None and contains(found, mirror):
        return own, depends
    return (own if parent.is_running() else child), True


def _find_entry(link: Link, places: list[tuple[Link, str]]) -> tuple[dict[str, torch.nn.Module | None], bool]:
    """Return the modules that a call of a collection's entry reaches, by path, and whether the result depends on the caller.

    ``places`` are the collections that have the entry in C#, each with the entry's name there.

    If one of the collections still has the entry in Python, under any name, the result is the entry alone. Otherwise, the result has, for
    each collection, the module that is now under the entry's name. It has None instead if there is no such module, or if that module is
    another entry of the C# collection, moved to this name.
    """
    mirror = link.mirror()
    found: dict[str, torch.nn.Module | None] = {}
    depends = False
    for parent, name in places:
        try:
            container, differs = read_source(parent)
        except (AttributeError, RuntimeError, ReferenceError, TypeError):
            continue
        depends |= differs
        entries = container._modules
        path = parent.path_of(name)
        entry = entries.get(name)
        if mirror is not None and (entry is mirror or any(module is mirror for module in entries.values())):
            return {path: mirror}, depends
        other = link_of(entry) if entry is not None else None
        has_moved = other is not None and any(reference() is parent for reference, _ in other.parents)
        found[path] = None if has_moved else entry
    return found, depends
