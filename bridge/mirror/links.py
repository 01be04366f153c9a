"""The Python end of a mirrored module: what .NET knows of it, and which module is in its place now."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import torch

from bridge.clr import Host, boundary, capi
from bridge.mirror import watching
from bridge.mirror.attributes import Attributes
from bridge.mirror.watching import Tracked, TrackedList
from bridge.tensors import is_tensor

#: Links by module id, weakly; a plain dictionary, since every listened call looks into it.
known: dict[int, weakref.ref[Link]] = {}
#: The dictionaries of a module whose writes advance the epoch.
TRACKED = ("_parameters", "_buffers", "_modules")

_MISSING = object()
_COMPUTED, _REPLACED, _TRAINING = (boundary.flag("LinkFlags", name) for name in ("computed", "replaced", "training"))
_NOTHING: dict[str, Any] = {}


class Link:
    """Belongs to one .NET module, as long as its mirror, or one that it was loaded below, lives.

    ``names`` are the module's parameters and buffers in .NET's order, ``arguments`` the parameters of ``forward`` and whether each has
    a default (None if it cannot be called), ``defaults`` the defaults themselves (see ``tree``),
    ``plain`` says that C# has no ``call`` for it, so that C# runs it without its hooks,
    ``sites`` the places where the module hangs in the tree, ``below`` the links of the modules that .NET has below it,
    ``children`` those of its children by name, ``attributes`` the hyper-parameters of a built-in, ``replaced`` says that calls went to
    Python when .NET was last informed; ``copied`` makes a mirror of a copy of the .NET module, with what is below it or
    alone.
    """

    defaults: tuple[Any, ...] = ()
    plain = False
    replaced = False
    children: tuple[tuple[str, Link], ...] = ()
    attributes: Attributes | None = None
    copied: Callable[[bool], torch.nn.Module]

    def __init__(
        self, host: Host, id: int, path: str, names: tuple[str, ...], arguments: Sequence[tuple[str, bool]] | None
    ) -> None:
        self.host = host
        self.id = id
        self.path = path
        self.names = names
        self.arguments = arguments
        self.mirror: weakref.ref[torch.nn.Module] = lambda: None  # type: ignore[assignment]  # until a mirror has it
        self.sites: list[tuple[weakref.ref[Link], str]] = []
        self.below: list[Link] = []
        # What .NET got last, which lives as long as .NET may read it. The lock is held while .NET is updated, and a signal
        # handler may come in between.
        self._pins: tuple[Any, ...] = ()
        self._telling = threading.RLock()
        self._seen = (-1, self.mirror)
        known[id] = weakref.ref(self)
        host.exports.paths[id] = path
        weakref.finalize(self, _forget, host, id).atexit = False

    def belong(self, mirror: torch.nn.Module) -> None:
        """From now on the link is this module's."""
        self.mirror = weakref.ref(mirror, partial(_left, weakref.ref(self)))
        capi.detach(mirror)
        self._track(mirror)

    def leave(self) -> None:
        """The mirror is about to be freed: what .NET reads of it is no longer kept alive, and .NET does not read it any more."""
        self.host.exports.leave(self.id)
        self._pins = ()

    def target(self) -> torch.nn.Module:
        """The module that a call of this one reaches now: its mirror, or what was put in its place.

        Found anew only when the epoch has moved. Raises AttributeError when the module was deleted from its parent, and RuntimeError
        when it hangs in several places and was replaced in some of them only: in .NET it is one object, so this is impossible.
        """
        epoch, seen = self._seen
        if epoch == watching.epoch():
            module = seen()
            if module is not None:
                return module
        epoch = watching.epoch()
        module = self._find()
        self._seen = (epoch, weakref.ref(module))
        return module

    def _find(self) -> torch.nn.Module:
        found: dict[str, torch.nn.Module | None] = {}
        for site, name in self.sites:
            parent = site()
            mirror = parent.mirror() if parent is not None else None
            if parent is not None and mirror is not None:
                found[f"{parent.path}.{name}" if parent.path else name] = mirror._modules.get(name)
        if None in found.values():
            raise AttributeError(f"module '{self.path}' was deleted in Python, but .NET calls it")
        if len({id(module) for module in found.values()}) > 1:
            raise RuntimeError(f"{' and '.join(found)} are the same module in .NET: replace all of them or none")
        for there in found.values():
            return there  # type: ignore[return-value]  # None was refused above
        mirror = self.mirror()
        if mirror is None:
            raise ReferenceError(f"the mirror of module '{self.path}' was collected")
        return mirror

    def lack(self, name: str) -> NoReturn:
        """Raises for a parameter or buffer that C# reads: AttributeError if the module has none now, RuntimeError if it is None."""
        module = self._find()
        path = f"{self.path}.{name}" if self.path else name
        if not hasattr(module, name):
            where = f"'{self.path}'" if self.path else "the model"
            raise AttributeError(
                f"C# reads '{path}', but in Python {where} is of class {type(module).__name__}, which has no '{name}'"
            )
        raise RuntimeError(f"C# reads '{path}', which is None in Python ({type(module).__name__})")

    def synchronize(self, compute: bool = False, version: int = -1) -> None:
        """Tells .NET what the mirror, or what is in its place, has now.

        With ``compute`` also what is computed at each access (parametrizations).
        ``version`` is that of the mirror's attributes, from before this call; -1 for a mirror that was just made.
        """
        epoch = watching.epoch()
        mirror = self.mirror()
        # What .NET compares with: from before anybody looks.
        kind, state = type(mirror), _NOTHING if mirror is None else mirror.__dict__
        if mirror is not None:
            self._track(mirror)
        source = mirror
        try:
            source = target = self.target()
            # A forward assigned on the instance is Python's, so a bare call must come here too (C-2).
            replaced = target is not mirror or "forward" in target.__dict__
        except (AttributeError, RuntimeError, ReferenceError):
            replaced = True  # so that a call comes here and is informed
        if source is not mirror and source is not None and self.names:
            # C# that reads the weight of a replaced child reads the new child's, whose writes count from now on.
            for name in TRACKED[:2]:
                if not isinstance(source.__dict__[name], Tracked):
                    source.__dict__[name] = Tracked(source.__dict__[name])
        objects, computed = self._tensors(source, compute) if source is not None else ([None] * len(self.names), False)
        # A built-in that lacks one raises what PyTorch raises.
        replaced |= any(item is _MISSING for item in objects)
        objects = [None if item is _MISSING else item for item in objects]
        if self.attributes is not None and mirror is not None:
            replaced |= self.attributes.changed(mirror, objects) or not self.intact(mirror)
        if replaced is not self.replaced:
            # What is around it computes in Python too, if it is PyTorch's.
            self.replaced = replaced
            watching.advance()
        own, how = (
            [getattr(mirror, name) if mirror is not None else _NOTHING for name in names]
            for names in (watching.OWN, watching.HOW)
        )
        dictionaries = [*own, state, *how]
        addresses = (ctypes.c_int64 * max(len(objects), 1))(*[0 if item is None else id(item) for item in objects])
        watched = (ctypes.c_int64 * 10)(*map(id, dictionaries), id(kind), 0 if mirror is None else id(mirror))
        exports = self.host.exports
        flags = computed * _COMPUTED | replaced * _REPLACED | bool(state.get("training")) * _TRAINING
        with self._telling:
            before = self._pins
            self._pins = (objects, dictionaries, kind, before)
            exports.bind_link(self.id, epoch, ctypes.addressof(addresses), ctypes.addressof(watched), version, flags)
            self._pins = (objects, dictionaries, kind)
        # Only now may what .NET had before be freed, since that may run code.
        del before

    def intact(self, mirror: torch.nn.Module) -> bool:
        """Whether the children of a mirror, and what is below them, are those that C# has, and C# computes them all."""
        found = mirror._modules
        if len(found) != len(self.children):
            return False
        for name, link in self.children:
            child = found.get(name)
            if child is None or child is not link.mirror() or link.replaced or not link.intact(child):
                return False
        return True

    def _track(self, mirror: torch.nn.Module) -> None:
        """Makes the dictionaries of the mirror those that advance the epoch and have the link: whoever rebound them used plain ones."""
        state = mirror.__dict__
        for name in TRACKED:
            if getattr(state[name], "link", None) is not self:
                state[name] = Tracked(state[name], self)
        if self.attributes is not None:
            for name in self.attributes.lists:
                if type(state.get(name)) is list:
                    state[name] = TrackedList(state[name])

    def _tensors(self, mirror: torch.nn.Module, compute: bool) -> tuple[list[Any], bool]:
        """The tensors that the module has by the link's names, or _MISSING; and whether some are computed at each access."""
        objects: list[Any] = []
        computed = False
        for name in self.names:
            # As an attribute is found: what the object itself has comes before its parameters.
            value = mirror.__dict__.get(name, _MISSING)
            if value is _MISSING:
                value = mirror._parameters.get(name, _MISSING)
            if value is _MISSING:
                value = mirror._buffers.get(name, _MISSING)
            if value is _MISSING and hasattr(type(mirror), name):
                # A parametrization: a property of the module's class.
                value = getattr(mirror, name) if compute else None
                computed = True
            if value is not None and value is not _MISSING and not is_tensor(value):
                raise TypeError(f"'{self.path}.{name}' is a {type(value).__name__}, but .NET needs a tensor or None")
            objects.append(value)
        return objects, computed


def link_of(module: torch.nn.Module) -> Link | None:
    """The link of a mirrored module; None for any other, also for a copy that has the very dictionaries of a mirrored one."""
    state = module.__dict__
    for name in TRACKED:
        link: Link | None = getattr(state.get(name), "link", None)
        if link is not None and link.mirror() is module:
            return link
    return None


def is_mirror(module: object) -> bool:
    """Whether an object is the Python side of a .NET module: one of PyTorch's own classes for a built-in, else a Mirror."""
    return isinstance(module, torch.nn.Module) and link_of(module) is not None


def linked(module: torch.nn.Module) -> Link:
    """The link of a mirrored module. Raises TypeError for any other."""
    link = link_of(module)
    if link is None:
        raise TypeError(f"this {type(module).__name__} is not a .NET module")
    return link


def links(root: torch.nn.Module) -> list[Link]:
    """The links of a model, or of a part of one, in the order in which .NET described its modules, wherever they hang now."""
    link = linked(root)
    return [link, *link.below]


def by_id(id: int) -> Link:
    """The link of a module. Raises ReferenceError when it is gone."""
    link = known[id]() if id in known else None
    if link is None:
        raise ReferenceError("the mirror of this module was collected")
    return link


def _left(reference: weakref.ref[Link], _: object) -> None:
    link = reference()
    if link is not None:
        link.leave()


def _forget(host: Host, id: int) -> None:
    known.pop(id, None)
    host.exports.forget(id)
    host.exports.paths.pop(id, None)
