"""The link between a mirror and its .NET module, and the table of all links."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from bridge.clr import DotNetRuntime
from bridge.clr.start import capi
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.dirty_tracking import MODULE_DICTS, TrackedDict, TrackedList
from bridge.mirror.tree.attributes import Attributes

#: Links by module id, weakly. A plain dictionary, since each call from .NET looks into it.
known: dict[int, weakref.ref[Link]] = {}
# Links of shallow copies by the ids of their mirrors: a shallow copy shares its original's dictionaries, which hold the original's link.
_shallow_copies: dict[int, Link] = {}


class Link:
    """What Python knows of one .NET module.

    A link lives as long as its mirror, or as the mirror of a module that contains it.

    Attributes:
        id: The number by which .NET finds the module.
        path: The module path, for messages.
        names: The names of the parameters and buffers, in .NET's order.
        arguments: The name of each parameter of ``forward``, and whether it has a default; None if the module cannot be called.
        defaults: The defaults of these parameters; ``inspect.Parameter.empty`` for one that Python cannot write.
        has_no_call: The C# class has no ``call``, so C# runs its ``forward`` without hooks.
        mirror: A weak reference to the mirror.
        parents: The modules that have this one as a child, each with the child's name.
        children: The links of the children, by name.
        descendants: The links of all modules below this one in .NET.
        ties: For a tensor's name, the other modules and names that have the same tensor in C#.
        attributes: The hyper-parameters of a built-in module; None for any other.
        runs_in_python: Calls of the module went to Python when .NET was last informed.
        copy: Copies the .NET module, with all modules below it or alone; returns the copy's mirror, and the links of originals and copies.
    """

    #: C# enumerates the module's entries.
    is_collection = False
    #: The module is Python's, and a C# object represents it.
    is_proxy = False

    defaults: tuple[Any, ...] = ()
    has_no_call = False
    runs_in_python = False
    children: tuple[tuple[str, Link], ...] = ()
    attributes: Attributes | None = None
    copy: Callable[[bool], tuple[torch.nn.Module, list[tuple[Link, Link]]]]

    def __init__(
        self,
        runtime: DotNetRuntime,
        id: int,
        path: str,
        names: tuple[str, ...],
        arguments: Sequence[tuple[str, bool]] | None,
    ) -> None:
        self.runtime = runtime
        self.id = id
        self.path = path
        self.names = names
        self.arguments = arguments
        self.mirror: weakref.ref[torch.nn.Module] = lambda: None  # type: ignore[assignment]  # until a mirror has it
        self.parents: list[tuple[weakref.ref[Link], str]] = []
        self.descendants: list[Link] = []
        self.ties: dict[str, list[tuple[weakref.ref[Link], str]]] = {}
        #: The objects whose addresses .NET has, which must live as long as .NET may read them.
        self.pins: tuple[Any, ...] = ()
        #: Held while .NET is informed; reentrant, since a signal handler may run meanwhile.
        self.lock = threading.RLock()
        #: The module that a call reaches (see ``placement.target``), and the epoch in which it was found.
        self.cached_target = (-1, self.mirror)
        known[id] = weakref.ref(self)
        runtime.exports.paths[id] = path
        weakref.finalize(self, _forget, runtime, id).atexit = False

    def attach(self, mirror: torch.nn.Module) -> None:
        """Make a module the mirror of this link."""
        self._set_mirror(mirror)
        capi.detach(mirror)
        self.track(mirror)

    def attach_shallow_copy(self, mirror: torch.nn.Module, state: dict[str, Any]) -> None:
        """Give the mirror the attributes of another one; both share their dictionaries from now on, as after copy.copy."""
        _shallow_copies[id(mirror)] = self
        vars(mirror).update(state)

    def attach_python_module(self, module: torch.nn.Module) -> None:
        """Make this the link of a C# object that represents a module of Python's."""
        self.is_proxy = True
        self._set_mirror(module)
        dirty_tracking.track(module)

    def _set_mirror(self, module: torch.nn.Module) -> None:
        self.mirror = weakref.ref(module, partial(_release, weakref.ref(self), id(module)))

    def release(self) -> None:
        """Have .NET stop reading the mirror, which is about to be freed, and drop what was kept alive for .NET."""
        before = self.pins
        self.runtime.exports.detach_mirror(self.id)
        # Another thread may have informed .NET of the module that replaced the mirror meanwhile. Without the lock: this runs wherever
        # an object is freed, and could wait for a thread that waits for this one.
        if self.pins is before:
            self.pins = ()

    def track(self, mirror: torch.nn.Module) -> None:
        """Make the mirror's dictionaries tracked ones that hold the link; code that rebound them used plain ones."""
        if self.is_proxy:
            dirty_tracking.track(mirror)
            return
        state = mirror.__dict__
        is_shallow_copy = _shallow_copies.get(id(mirror)) is self
        for name in MODULE_DICTS:
            if getattr(state[name], "link", None) is not self and not (
                is_shallow_copy and isinstance(state[name], TrackedDict)
            ):
                state[name] = TrackedDict(state[name], self)
        if self.attributes is not None:
            for name in self.attributes.lists:
                if type(state.get(name)) is list:
                    state[name] = TrackedList(state[name])

    def is_running(self) -> bool:
        """Return whether the caller runs in the module's C# ``forward``."""
        return self.arguments is not None and bool(self.runtime.exports.is_running(self.id))

    def source_in(self, target: torch.nn.Module) -> torch.nn.Module:
        """Return the module whose tensors and entries C# reads where ``target`` has taken this module's place."""
        return target

    def send_entries(self, container: torch.nn.Module) -> bool:
        """Send C# the entries of a collection; return whether one of them is a Python module."""
        return False

    def path_of(self, name: str) -> str:
        """Return the module path of a child, parameter or buffer."""
        return f"{self.path}.{name}" if self.path else name


def link_of(module: torch.nn.Module) -> Link | None:
    """Return the link of a mirror; None for any other module, also for one that shares a mirror's dictionaries."""
    state = module.__dict__
    for name in MODULE_DICTS:
        link: Link | None = getattr(state.get(name), "link", None)
        if link is not None and link.mirror() is module:
            return link
    link = _shallow_copies.get(id(module))
    return link if link is not None and link.mirror() is module else None


def is_mirror(module: object) -> bool:
    """Return whether an object is the mirror of a .NET module: of PyTorch's own class for a built-in, else a Mirror."""
    return isinstance(module, torch.nn.Module) and link_of(module) is not None


def linked(module: torch.nn.Module) -> Link:
    """Return the link of a mirror. Raises TypeError for any other module."""
    link = link_of(module)
    if link is None:
        raise TypeError(f"this {type(module).__name__} is not a .NET module")
    return link


def links(root: torch.nn.Module) -> list[Link]:
    """Return the links of a model, or of a part of it, in .NET's order, wherever their mirrors are now."""
    link = linked(root)
    return [link, *link.descendants]


def by_id(id: int) -> Link:
    """Return the link of a module id. Raises ReferenceError when its mirror was collected."""
    link = known[id]() if id in known else None
    if link is None:
        raise ReferenceError("the mirror of this module was collected")
    return link


def _release(reference: weakref.ref[Link], address: int, _: object) -> None:
    link = reference()
    if link is not None:
        link.release()
        if _shallow_copies.get(address) is link:
            del _shallow_copies[address]


def _forget(runtime: DotNetRuntime, id: int) -> None:
    known.pop(id, None)
    runtime.exports.forget(id)
    runtime.exports.paths.pop(id, None)
