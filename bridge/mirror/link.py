"""The Python end of a mirrored module: what .NET knows of it, and which module is in its place now."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import torch

from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.clr.start import capi
from bridge.mirror import dirty_tracking
from bridge.mirror.dirty_tracking import TRACKED, Tracked, TrackedList
from bridge.mirror.tree.attributes import Attributes
from bridge.output.sentences import indefinite
from bridge.tensors import is_tensor

#: Links by module id, weakly; a plain dictionary, since every listened call looks into it.
known: dict[int, weakref.ref[Link]] = {}
# Links of shallow copies by the ids of their mirrors: such a copy has the very dictionaries of its original, which have that one's link.
_sharing: dict[int, Link] = {}

_MISSING = object()
_COMPUTED, _REPLACED, _TRAINING, _MISSING_FLAG, _DEPENDS, _INTERCEPTED = (
    boundary.flag("LinkFlags", name)
    for name in ("computed", "replaced", "training", "missing", "depends_on_caller", "intercepted")
)
# PyTorch's steps of a call, where an object has one of its own.
_STEPS = ("_compiled_call_impl", "_call_impl")
_NOTHING: dict[str, Any] = {}


class Link:
    """Belongs to one .NET module, as long as its mirror, or one that it was loaded below, lives.

    ``names`` are the module's parameters and buffers in .NET's order, ``arguments`` the parameters of ``forward`` and whether each has
    a default (None if it cannot be called), ``defaults`` the defaults themselves (see ``tree``),
    ``plain`` says that C# has no ``call`` for it, so that C# runs it without its hooks,
    ``sites`` the places where the module hangs in the tree, ``below`` the links of the modules that .NET has below it,
    ``children`` those of its children by name, ``attributes`` the hyper-parameters of a built-in, ``replaced`` says that calls went to
    Python when .NET was last informed, ``ties`` for a tensor's name the other places that have the same tensor in C#,
    ``stands_in`` that the module is Python's, and C#'s only represents it; ``copied`` makes a mirror of a copy of the .NET module,
    with what is below it or alone, and gives the links of originals and copies.
    """

    #: C# walks what the module has (see ``entries``).
    lists = False
    stands_in = False

    defaults: tuple[Any, ...] = ()
    plain = False
    replaced = False
    children: tuple[tuple[str, Link], ...] = ()
    attributes: Attributes | None = None
    copied: Callable[[bool], tuple[torch.nn.Module, list[tuple[Link, Link]]]]

    def __init__(
        self,
        host: DotNetRuntime,
        id: int,
        path: str,
        names: tuple[str, ...],
        arguments: Sequence[tuple[str, bool]] | None,
    ) -> None:
        self.host = host
        self.id = id
        self.path = path
        self.names = names
        self.arguments = arguments
        self.mirror: weakref.ref[torch.nn.Module] = lambda: None  # type: ignore[assignment]  # until a mirror has it
        self.sites: list[tuple[weakref.ref[Link], str]] = []
        self.below: list[Link] = []
        self.ties: dict[str, list[tuple[weakref.ref[Link], str]]] = {}
        # What .NET got last, which lives as long as .NET may read it. The lock is held while .NET is updated, and a signal
        # handler may come in between.
        self._pins: tuple[Any, ...] = ()
        self._updating = threading.RLock()
        self._seen = (-1, self.mirror)
        known[id] = weakref.ref(self)
        host.exports.paths[id] = path
        weakref.finalize(self, _forget, host, id).atexit = False

    def belong(self, mirror: torch.nn.Module) -> None:
        """From now on the link is this module's."""
        self.mirror = weakref.ref(mirror, partial(_left, weakref.ref(self), id(mirror)))
        capi.detach(mirror)
        self._track(mirror)

    def share(self, mirror: torch.nn.Module, state: dict[str, Any]) -> None:
        """Gives the mirror the attributes of another one, whose dictionaries both have from now on, as copy.copy does."""
        _sharing[id(mirror)] = self
        vars(mirror).update(state)

    def represent(self, module: torch.nn.Module) -> None:
        """In C# the link's module represents this one, which stays as it is."""
        self.stands_in = True
        self.mirror = weakref.ref(module, partial(_left, weakref.ref(self), id(module)))
        dirty_tracking.watch(module)

    def leave(self) -> None:
        """The mirror is about to be freed: .NET does not read it any more, and what it read of it is no longer kept alive."""
        before = self._pins
        self.host.exports.leave(self.id)
        # Another thread may have given .NET what is in the mirror's place meanwhile. No lock: this runs wherever something is freed,
        # and could wait for a thread that waits for this one.
        if self._pins is before:
            self._pins = ()

    def target(self) -> torch.nn.Module:
        """The module that a call of this one reaches now: its mirror, or what was put in its place.

        Found anew only when the epoch has moved, or where it depends on the caller. Raises AttributeError when the module was deleted
        from its parent, and RuntimeError when it hangs in several places and was replaced in some of them only: in .NET it is one object,
        so this is impossible.
        """
        epoch, seen = self._seen
        if epoch == dirty_tracking.epoch() and (module := seen()) is not None:
            return module
        found, _ = self.resolved()
        if isinstance(found, Exception):
            raise found
        return found

    def resolved(self) -> tuple[torch.nn.Module | Exception, bool]:
        """What :meth:`target` returns or raises, and whether that depends on the caller: code that still runs in a replaced module goes
        on with what that has."""
        epoch, seen = self._seen
        if epoch == dirty_tracking.epoch() and (module := seen()) is not None:
            return module, False
        epoch = dirty_tracking.epoch()
        found, depends = self._find()
        if not (depends or isinstance(found, Exception)):
            self._seen = (epoch, weakref.ref(found))
        return found, depends

    def contents(self) -> tuple[torch.nn.Module, bool]:
        """The module whose tensors and entries C# has, and whether that depends on the caller. Raises as :meth:`target` does."""
        target, depends = self.resolved()
        if isinstance(target, Exception):
            raise target
        source, mirror = self._source(target), self.mirror()
        return source, depends or (mirror is not None and self._differs(self._taken(target), mirror))

    def _source(self, target: torch.nn.Module) -> torch.nn.Module:
        """Whose tensors and entries C# has: while the replaced module's own forward runs, what hangs in its place does not matter."""
        mirror, there = self.mirror(), self._taken(target)
        return there if mirror is None or there is mirror or not self._runs() else mirror

    def _taken(self, target: torch.nn.Module) -> torch.nn.Module:
        """What C# takes of a module in this one's place."""
        return target

    def _runs(self) -> bool:
        """The caller runs in the forward of the module."""
        return self.arguments is not None and bool(self.host.exports.is_running(self.id))

    def enter(self, container: torch.nn.Module) -> bool:
        """Gives C# the entries of a collection. Returns whether C# represents some entry only."""
        return False

    def _find(self) -> tuple[torch.nn.Module | Exception, bool]:
        found: dict[str, torch.nn.Module | None] = {}
        listed = []
        depends = False
        for site, name in self.sites:
            parent = site()
            if parent is not None and parent.lists:
                listed.append((parent, name))
            elif parent is not None:
                child, differs = parent._child(name)
                depends |= differs
                if child is not _MISSING:
                    found[f"{parent.path}.{name}" if parent.path else name] = child
        if not found and listed:
            found, depends = self._listed(listed)
        if None in found.values():
            return AttributeError(f"module '{self.path}' was deleted in Python, but .NET calls it"), depends
        if len({id(module) for module in found.values()}) > 1:
            error = RuntimeError(f"{' and '.join(found)} are the same module in .NET: replace all of them or none")
            return error, depends
        for there in found.values():
            return there, depends  # type: ignore[return-value]  # None was refused above
        mirror = self.mirror()
        if mirror is None:
            return ReferenceError(f"the mirror of module '{self.path}' was collected"), depends
        return mirror, depends

    def _child(self, name: str) -> tuple[Any, bool]:
        """What the caller finds below the module at a name, and whether that depends on the caller; None for nothing, _MISSING if the
        module itself is gone."""
        mirror = self.mirror()
        own = _MISSING if mirror is None else mirror._modules.get(name)
        target, depends = self.resolved()
        if target is mirror or isinstance(target, Exception):
            return own, depends
        # What is written below it counts from now on.
        dirty_tracking.watch(target)
        there = target._modules.get(name)
        if mirror is None or there is own:
            return there, depends
        if there is None and _wraps(target, mirror):
            return own, depends
        return (own if self._runs() else there), True

    def lack(self, name: str) -> NoReturn:
        """Raises for a parameter or buffer that C# reads: AttributeError if the module has none now, TypeError if it is
        no tensor, RuntimeError if it is None."""
        module, _ = self.contents()
        path = f"{self.path}.{name}" if self.path else name
        if not hasattr(module, name):
            where = f"'{self.path}'" if self.path else "the model"
            raise AttributeError(
                f"C# reads '{path}', but in Python {where} is of class {type(module).__name__}, which has no '{name}'"
            )
        value = getattr(module, name)
        if value is not None and not is_tensor(value):
            kind = f"{indefinite(type(value).__name__)} in Python ({type(module).__name__}), not a tensor"
            raise TypeError(f"C# reads '{path}', which is {kind}")
        raise RuntimeError(f"C# reads '{path}', which is None in Python ({type(module).__name__})")

    def _listed(self, places: list[tuple[Link, str]]) -> tuple[dict[str, torch.nn.Module | None], bool]:
        """What a reference that C# kept to an entry reaches: the entry, wherever it is in its collection, or what replaced it."""
        own = self.mirror()
        found: dict[str, torch.nn.Module | None] = {}
        depends = False
        for parent, name in places:
            try:
                contents, differs = parent.contents()
            except (AttributeError, RuntimeError, ReferenceError, TypeError):
                continue
            depends |= differs
            modules = contents._modules
            path = f"{parent.path}.{name}"
            there = modules.get(name)
            if own is not None and (there is own or any(module is own for module in modules.values())):
                return {path: own}, depends
            # Another entry may have moved to this place.
            link = link_of(there) if there is not None else None
            moved = link is not None and any(site() is parent for site, _ in link.sites)
            found[path] = None if moved else there
        return found, depends

    def synchronize(self, compute: bool = False, version: int = -1) -> None:
        """Tells .NET what the mirror, or what is in its place, has now.

        With ``compute`` also what is computed at each access (parametrizations).
        ``version`` is that of the mirror's attributes, from before this call; -1 for a mirror that was just made.
        """
        epoch = dirty_tracking.epoch()
        mirror = self.mirror()
        # What .NET compares with: from before anybody looks.
        shown, kind, state = mirror, type(mirror), _NOTHING if mirror is None else mirror.__dict__
        if mirror is not None:
            self._track(mirror)
        target, depends = self.resolved()
        if missing := isinstance(target, Exception):
            source, replaced = mirror, True  # so that a call comes here and is informed
            if isinstance(target, AttributeError) and self.names and not self.lists:
                # C# elsewhere that reads a weight of a deleted child is informed too.
                source, depends = mirror if self._runs() else None, True
        else:
            try:
                source = self._source(target)
            except TypeError:  # raised where C# walks it
                source, missing = mirror, True
            # A forward assigned on the instance is Python's, so a bare call must come here too (C-2).
            replaced = self.stands_in or target is not mirror or "forward" in target.__dict__
        if source is not mirror and source is not None and (self.names or self.lists):
            # C# that reads the weight of a replaced child reads the new child's, whose writes count from now on.
            dirty_tracking.watch(source)
        if self.lists and source is not None:
            shown, kind, state = source, type(source), source.__dict__
            replaced |= self.enter(source)
        names = self.names
        objects, computed = self._tensors(source, names, compute)
        if not (missing or depends or mirror is None or isinstance(target, Exception)):
            depends = self._differs(self._taken(target), mirror)
        replaced |= depends
        # A built-in that lacks one raises what PyTorch raises.
        replaced |= any(item is _MISSING for item in objects)
        lacking = [item is _MISSING for item in objects]
        objects = [None if item is _MISSING else item for item in objects]
        if self.ties:
            self._untie(names, objects)
        if self.attributes is not None and mirror is not None:
            replaced |= self.attributes.changed(mirror, objects) or not (self.lists or self.intact(mirror))
        if replaced is not self.replaced:
            # What is around it computes in Python too, if it is PyTorch's.
            self.replaced = replaced
            dirty_tracking.advance()
        own, how = (
            [getattr(shown, name) if shown is not None else _NOTHING for name in names]
            for names in (dirty_tracking.OWN, dirty_tracking.HOW)
        )
        dictionaries = [*own, state, *how]
        addresses = (ctypes.c_int64 * max(len(objects), 1))(
            *[-1 if lacks else 0 if item is None else id(item) for item, lacks in zip(objects, lacking, strict=True)]
        )
        itself = id(mirror) if mirror is not None else 0
        watched = (ctypes.c_int64 * 11)(*map(id, dictionaries), id(kind), itself if shown is mirror else 0, itself)
        exports = self.host.exports
        flags = (
            computed * _COMPUTED
            | replaced * _REPLACED
            | missing * _MISSING_FLAG
            | bool((state if source is None else source.__dict__).get("training")) * _TRAINING
            | depends * _DEPENDS
            | any(state.get(name) is not None for name in _STEPS) * _INTERCEPTED
        )
        with self._updating:
            before = self._pins
            self._pins = (objects, dictionaries, kind, before)
            taken = exports.bind_link(
                self.id, epoch, ctypes.addressof(addresses), ctypes.addressof(watched), version, flags, len(objects)
            )
            self._pins = (objects, dictionaries, kind) if taken else before
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
        if self.stands_in:
            dirty_tracking.watch(mirror)
            return
        state = mirror.__dict__
        shares = _sharing.get(id(mirror)) is self
        for name in TRACKED:
            if getattr(state[name], "link", None) is not self and not (shares and isinstance(state[name], Tracked)):
                state[name] = Tracked(state[name], self)
        if self.attributes is not None:
            for name in self.attributes.lists:
                if type(state.get(name)) is list:
                    state[name] = TrackedList(state[name])

    def _tensors(self, source: torch.nn.Module | None, names: tuple[str, ...], compute: bool) -> tuple[list[Any], bool]:
        """The tensors that the module has by these names, or _MISSING; and whether some are computed at each access."""
        objects: list[Any] = []
        computed = False
        for name in names:
            value: Any = _MISSING
            for module in self._holders(source):
                value = _value(module, name) if module is not None else _MISSING
                if value is _MISSING and module is not None and self._computes(module, name):
                    value = self._computed(module, name) if compute else None
                    computed = True
                if value is not _MISSING:
                    break
            if value is not None and value is not _MISSING and not is_tensor(value):
                if not self.stands_in:
                    raise TypeError(
                        f"'{self.path}.{name}' is {indefinite(type(value).__name__)}, but .NET needs a tensor or None"
                    )
                # Only the C# that reads it does.
                value = _MISSING
            objects.append(value)
        return objects, computed

    def _differs(self, there: torch.nn.Module, mirror: torch.nn.Module) -> bool:
        """Whether C# that still runs in the replaced mirror has other tensors or entries than C# that does not."""
        # A built-in's own forward is PyTorch's where C# does not compute it in one go.
        if (
            there is mirror
            or self.stands_in
            or self.arguments is None
            or (self.attributes is not None and not self.lists)
        ):
            return False
        return self.lists or any(
            self._among(there, name) is not self._among(mirror, name)
            or any(hasattr(type(module), name) for module in (there, mirror))
            for name in self.names
        )

    def _computes(self, module: torch.nn.Module, name: str) -> bool:
        """Whether a module gives a tensor at each access: a parametrization, a property, a wrapper that passes attributes on."""
        plain = self.stands_in or module is not self.mirror()
        return hasattr(type(module), name) or (plain and hasattr(module, name))

    def _computed(self, module: torch.nn.Module, name: str) -> Any:
        if not self.stands_in:
            return getattr(module, name)
        # The C# class's names are not all the module's: where a property raises, so does the C# that reads it (see lack).
        with contextlib.suppress(Exception):
            return getattr(module, name)
        return _MISSING

    def _holders(self, source: torch.nn.Module | None) -> Iterator[torch.nn.Module | None]:
        """Where a tensor is looked for: what hangs in the mirror's place, and a mirror that it wraps and whose forward is C#'s."""
        yield source
        mirror = self.mirror()
        if mirror is None or source is mirror or source is None or self.attributes is not None:
            return
        if _wraps(source, mirror):
            yield mirror

    def _untie(self, names: tuple[str, ...], objects: list[torch.Tensor | None]) -> None:
        """A tensor that is one in C# is two once Python has put another one at one of its places."""
        for number, (name, value) in enumerate(zip(names, objects, strict=True)):
            for other, its in self.ties.get(name, ()):
                link = other()
                if link is None or link._now(its) is value:
                    continue
                self.host.exports.untie(self.id, number)
                for reference, known in self.ties.pop(name):
                    if (tied := reference()) is not None:
                        tied.ties[known] = [
                            place for place in tied.ties[known] if place[0]() is not self or place[1] != name
                        ]
                break

    def _now(self, name: str) -> object:
        """The tensor of that name that C# would get; None for one that is computed."""
        try:
            return self._among(self.contents()[0], name)
        except (AttributeError, RuntimeError, ReferenceError, TypeError):
            return None

    def _among(self, source: torch.nn.Module, name: str) -> object:
        for module in self._holders(source):
            if module is not None and (value := _value(module, name)) is not _MISSING:
                return value
        return None


def _value(module: torch.nn.Module, name: str) -> Any:
    # As an attribute is found: a property of the class comes first, then what the object itself has, then its parameters.
    if hasattr(getattr(type(module), name, None), "__set__"):
        return _MISSING
    for held in (module.__dict__, module._parameters, module._buffers):
        value = held.get(name, _MISSING)
        if value is not _MISSING:
            return value
    return _MISSING


def _wraps(module: torch.nn.Module, other: torch.nn.Module) -> bool:
    return any(found is other for found in module.modules())


def link_of(module: torch.nn.Module) -> Link | None:
    """The link of a mirrored module; None for any other, also for a copy that has the very dictionaries of a mirrored one."""
    state = module.__dict__
    for name in TRACKED:
        link: Link | None = getattr(state.get(name), "link", None)
        if link is not None and link.mirror() is module:
            return link
    link = _sharing.get(id(module))
    return link if link is not None and link.mirror() is module else None


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


def _left(reference: weakref.ref[Link], address: int, _: object) -> None:
    link = reference()
    if link is not None:
        link.leave()
        if _sharing.get(address) is link:
            del _sharing[address]


def _forget(host: DotNetRuntime, id: int) -> None:
    known.pop(id, None)
    host.exports.forget(id)
    host.exports.paths.pop(id, None)
