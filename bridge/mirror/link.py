"""The links between .NET modules and their mirrors (the Python modules), and the table of all links."""

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

#: Weak references to links by module id. Each call from .NET looks up a link, and a WeakValueDictionary would be slower.
links_by_id: dict[int, weakref.ref[Link]] = {}
# Links of shallow copies, by the ``id()`` of the copy. A shallow copy shares its original's dictionaries, which hold the original's link.
_shallow_copies: dict[int, Link] = {}


class Link:
    """Python's data about one .NET module.

    A link lives as long as its mirror or the mirror of a module above it lives.

    Attributes:
        id: The number of the module in .NET.
        path: The module path, for messages.
        names: The names of the parameters and buffers, in .NET's order.
        dotted: Those of the names that have dots (``bridge.mirror.tensors.dotted_names``).
        arguments: The name of each parameter of ``forward``, and whether it has a default; None if there is no C# ``forward`` to call.
        overloads: The parameters, as in ``arguments``, of each overload of ``forward``; empty if there is only one.
        defaults: The default of each parameter; ``inspect.Parameter.empty`` if there is none, or if Python cannot express it.
        signature: The signature of ``forward`` in C#, for messages.
        has_no_call: Whether the C# class has no ``call``, so that C# runs its ``forward`` without hooks.
        mirror: A weak reference to the mirror.
        parents: Weak references to the links of the modules that have this module as a child, each with the child's name.
        children: The name and the link of each child.
        descendants: The links of all modules below this module in .NET.
        ties: The tensors that have several names in C#. Maps a name of such a tensor to its other names, as pairs: a weak reference to
            the link of the module that has the tensor under the other name, and that name.
        attributes: The hyper-parameters of the mirror if its class is PyTorch's own, or those of the Python module if ``is_proxy`` is true;
            otherwise None.
        runs_in_python: Whether Python must run calls of the module. ``synchronize`` sets the flag, and tells .NET.
        copy: A function that copies the .NET module, with its descendants if the argument is true. It returns the copy's mirror and, for
            each copied module, a pair: the original's link and the copy's link.
    """

    #: Whether the module is a collection (Sequential, ModuleList, ParameterDict …), whose entries C# enumerates.
    is_collection = False
    #: Whether the link is that of a proxy, a C# object that represents a Python module in .NET.
    is_proxy = False

    defaults: tuple[Any, ...] = ()
    overloads: tuple[tuple[tuple[str, bool], ...], ...] = ()
    signature = "forward"
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
        self.dotted = tuple(name for name in names if "." in name)
        self.arguments = arguments
        self.mirror: weakref.ref[torch.nn.Module] = lambda: None  # type: ignore[assignment]  # until a mirror is attached
        self.parents: list[tuple[weakref.ref[Link], str]] = []
        self.descendants: list[Link] = []
        self.ties: dict[str, list[tuple[weakref.ref[Link], str]]] = {}
        #: The objects whose addresses .NET has, kept alive as long as .NET may read them.
        self.pins: tuple[Any, ...] = ()
        #: Held while .NET gets new addresses; reentrant, since a signal handler may run meanwhile.
        self.lock = threading.RLock()
        #: A cache of ``placement.target``: the epoch in which the target was found, and a weak reference to the target. The epoch is a
        #: number that every write to parameters, buffers or children changes (``dirty_tracking``).
        self.cached_target = (-1, self.mirror)
        links_by_id[id] = weakref.ref(self)
        runtime.exports.paths[id] = path
        weakref.finalize(self, _forget, runtime, id).atexit = False

    def attach(self, mirror: torch.nn.Module) -> None:
        """Make ``mirror`` the mirror of this link, and detect later writes to it (:meth:`track`)."""
        self._set_mirror(mirror)
        capi.separate_attributes(mirror)
        self.track(mirror)

    def attach_shallow_copy(self, mirror: torch.nn.Module, state: dict[str, Any]) -> None:
        """Give the attributes ``state`` to this link's mirror, which is a shallow copy of the module that has them.

        Copy and original share the dictionaries in ``state``, as in PyTorch. :func:`link_of` still finds this link.
        """
        _shallow_copies[id(mirror)] = self
        vars(mirror).update(state)

    def attach_python_module(self, module: torch.nn.Module) -> None:
        """Make this the link of a Python module that a C# object represents."""
        self.is_proxy = True
        self._set_mirror(module)
        dirty_tracking.track(module)

    def _set_mirror(self, module: torch.nn.Module) -> None:
        self.mirror = weakref.ref(module, partial(_release, weakref.ref(self), id(module)))

    def release(self) -> None:
        """Make .NET stop reading the mirror, which is being freed, and drop the objects that were kept alive for .NET."""
        before = self.pins
        self.runtime.exports.detach_mirror(self.id)
        # Another thread may have synchronized the link with the mirror's replacement, and set new pins. The lock is not taken: objects may
        # be freed at any time, so waiting here could deadlock.
        if self.pins is before:
            self.pins = ()

    def track(self, mirror: torch.nn.Module) -> None:
        """Detect later writes to the mirror's parameters, buffers and children (``dirty_tracking``): .NET then reads the mirror again.

        For a recurrent layer, writes to its lists of weights are detected too.
        """
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
        """Return whether the module's C# ``forward`` runs on this thread."""
        return self.arguments is not None and bool(self.runtime.exports.is_running(self.id))

    def source_in(self, target: torch.nn.Module) -> torch.nn.Module:
        """Return the module from which C# reads tensors and collection entries when it is not inside the mirror's C# ``forward``.

        ``target`` is the mirror, or the module that replaced the mirror.
        """
        return target

    def send_entries(self, container: torch.nn.Module) -> bool:
        """Send C# the entries of ``container``, and return whether Python must run the collection's calls.

        Only the override in CollectionLink sends anything. This method returns False.
        """
        return False

    def path_of(self, name: str) -> str:
        """Return the module path of a child, parameter or buffer."""
        return f"{self.path}.{name}" if self.path else name


def link_of(module: torch.nn.Module) -> Link | None:
    """Return the link of a mirror; None for any other module, even if it shares a mirror's dictionaries."""
    state = module.__dict__
    for name in MODULE_DICTS:
        link: Link | None = getattr(state.get(name), "link", None)
        if link is not None and link.mirror() is module:
            return link
    link = _shallow_copies.get(id(module))
    return link if link is not None and link.mirror() is module else None


def is_mirror(module: object) -> bool:
    """Return whether an object is the mirror of a .NET module."""
    return isinstance(module, torch.nn.Module) and link_of(module) is not None


def linked(module: torch.nn.Module) -> Link:
    """Return the link of a mirror. Raises TypeError for any other module."""
    link = link_of(module)
    if link is None:
        raise TypeError(f"this {type(module).__name__} is not a .NET module")
    return link


def links(root: torch.nn.Module) -> list[Link]:
    """Return the links of a module and its descendants in .NET, in .NET's order. Modules that Python has replaced are included."""
    link = linked(root)
    return [link, *link.descendants]


def by_id(id: int) -> Link:
    """Return the link of a module id. Raises ReferenceError when the link was freed."""
    link = links_by_id[id]() if id in links_by_id else None
    if link is None:
        raise ReferenceError("Python has freed this module, but .NET uses it: keep a reference to the model in Python")
    return link


def _release(reference: weakref.ref[Link], address: int, _: object) -> None:
    link = reference()
    if link is not None:
        link.release()
        if _shallow_copies.get(address) is link:
            del _shallow_copies[address]


def _forget(runtime: DotNetRuntime, id: int) -> None:
    links_by_id.pop(id, None)
    runtime.exports.forget(id)
    runtime.exports.paths.pop(id, None)
