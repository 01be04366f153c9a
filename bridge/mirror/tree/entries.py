"""Collections: what C# walks, indexes and counts is what Python has in them, and what C# adds Python has too.

The mirror of a C# collection is PyTorch's own (of a class that derives from one, a Mirror that is one too). What Python puts into it has an
object in C#: a mirrored module its own, any other one that represents it, whose calls go to Python.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from typing import Any, Final

from torch import nn

from bridge.clr import DotNetRuntime
from bridge.mirror import dirty_tracking
from bridge.mirror.link import Link, link_of
from bridge.mirror.tensors.registration import registered
from bridge.mirror.tree import builtins
from bridge.mirror.tree.attributes import Attributes

PARAMETERS: Final = (nn.ParameterList, nn.ParameterDict)
MODULES: Final = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


class CollectionLink(Link):
    """The link of a collection of modules, or of parameters."""

    lists = True

    def __init__(
        self,
        host: DotNetRuntime,
        id: int,
        path: str,
        names: tuple[str, ...],
        arguments: Sequence[tuple[str, bool]] | None,
        parameters: bool,
    ) -> None:
        super().__init__(host, id, path, names, arguments)
        self._kinds: tuple[type[nn.Module], ...] = PARAMETERS if parameters else MODULES
        self._items = len(names) if parameters else 0
        self._sent: tuple[tuple[str, ...], tuple[int, ...]] | None = None
        self._fitting: set[int] = set()
        # What represents Python's modules lives as long as C# may have it as an entry.
        self._stand_ins: dict[int, Link] = {}

    @property
    def parameters(self) -> bool:
        """It has parameters, not modules."""
        return self._kinds is PARAMETERS

    def _taken(self, target: nn.Module) -> nn.Module:
        """The collection there; where C# has a module that is called, its own entries, since a module there may wrap it.

        Raises TypeError for a module that is none where C# only walks one.
        """
        if isinstance(target, self._kinds):
            return target
        if self.arguments is None:
            raise TypeError(
                f"C# walks '{self.path}', which is of class {type(target).__name__} in Python, not a collection"
            )
        mirror = self.mirror()
        return target if mirror is None else mirror

    def enter(self, container: nn.Module) -> bool:
        """Gives C# the entries. Returns whether some entry is Python's alone.

        Raises DotNetError when C# has no object for one, TypeError when it would overlook one.
        """
        with self._updating:
            if self.parameters:
                self._enter_parameters(container)
                return False
            children = dict(container._modules)
            empty = [name for name, child in children.items() if child is None]
            if empty and isinstance(self.mirror(), nn.Sequential) and self.attributes is None:
                raise TypeError(f"'{self.path}.{empty[0]}' is None in Python, and C# would go on without it")
            used: dict[int, Link] = {}
            numbers = tuple(0 if child is None else self._number(name, child, used) for name, child in children.items())
            self._send(tuple(children), numbers)
            before, self._stand_ins = self._stand_ins, used
            if gone := [link for key, link in before.items() if used.get(key) is not link]:
                # A call that walks the entries it had before goes on with them.
                self.host.exports.keep(*gone)
            return bool(used or empty)

    def has(self, names: Sequence[str], numbers: Sequence[int]) -> None:
        """C# has these entries: names, and the ids of modules."""
        if self.parameters:
            self.names = (*names, *self.names[self._items :])
            self._items = len(names)
        else:
            self._sent = tuple(names), tuple(numbers)

    def _enter_parameters(self, container: nn.Module) -> None:
        names = parameter_names(container)
        if names == self.names[: self._items]:
            return
        values = [container._parameters.get(name) for name in names]
        self._send(names, tuple(0 if value is None else id(value) for value in values))
        self._sent = None
        self.names = (*names, *self.names[self._items :])
        self._items = len(names)

    def _send(self, names: tuple[str, ...], numbers: tuple[int, ...]) -> None:
        if (names, numbers) == self._sent:
            return
        self.host.exports.bind_entries(self.id, json.dumps(list(zip(names, numbers, strict=True))))
        self._sent = names, numbers
        # What C# reaches at a name may be another module now.
        dirty_tracking.advance()

    def _number(self, name: str, child: nn.Module, used: dict[int, Link]) -> int:
        """The id of the C# module that is the entry of that name."""
        link = link_of(child)
        # Of a module that something else has replaced where it hung before, C#'s own object is that other one.
        if link is not None and link.resolved()[0] is not child:
            link = None
        if link is not None and (link.id in self._fitting or self.host.exports.fits(self.id, link.id)):
            self._fitting.add(link.id)
            return link.id
        known = self._stand_ins.get(id(child))
        path = f"{self.path}.{name}" if self.path else name
        if known is None or known.mirror() is not child:
            known = stand_in(self.host, child, path, collection=self.id)
        elif known.path != path and id(child) not in used:
            # Its place in the list is another one now.
            known.path = self.host.exports.paths[known.id] = path
        used[id(child)] = known
        return known.id


def stand_in(host: DotNetRuntime, child: nn.Module, path: str, *, collection: int = 0, hook: int = 0) -> Link:
    """The link of a new C# object that represents a module of Python's, as an entry of a collection or for a hook with types.

    What C# reads of its tensors are the module's attributes of those names. C# may use the object as long as the link lives.
    Raises DotNetError when C# has no object for it.
    """
    exports = host.exports
    classes = [kind.__name__ for kind in type(child).__mro__ if builtins.torch_class(kind.__name__) is kind]
    buffers = [(name, False, name not in child._non_persistent_buffers_set) for name in child._buffers]
    tensors = [*((name, True, True) for name in child._parameters), *buffers]
    described = {"type": type(child).__name__, "classes": classes, "tensors": tensors}
    made = json.loads(exports.stand_in(collection, hook, json.dumps(described)))
    number, names = made["id"], tuple(made["names"])
    link = (
        Link(host, number, path, names, None)
        if made["entries"] is None
        else CollectionLink(host, number, path, names, None, made["entries"] == "parameters")
    )
    if isinstance(link, CollectionLink) and link.parameters:
        # It was made empty.
        link.names, link._items = (), 0
    sources = builtins.properties_of(classes[0]) if classes else {}
    present = [name for name, *_ in tensors if getattr(child, name) is not None]
    link.attributes = Attributes(host, number, child, sources, vars(child), present)
    for name, value in vars(child).items():
        if isinstance(value, (bool, int, float, str, tuple)):
            exports.set_property(number, sources[name][1] if name in sources else name, value)
    link.represent(child)
    exports.link(number)
    link.synchronize()
    return link


def parameter_names(container: nn.Module) -> tuple[str, ...]:
    """The names of a collection's parameters, in order."""
    if isinstance(container, nn.ParameterList):
        return tuple(map(str, range(len(container))))
    return tuple(container.keys() if isinstance(container, nn.ParameterDict) else container._parameters)


def count(container: nn.Module) -> None:
    """PyTorch's collections of parameters note what they have besides."""
    if isinstance(container, nn.ParameterList):
        container._size = sum(name.isdigit() for name in container._parameters)
    elif isinstance(container, nn.ParameterDict):
        container._keys = dict.fromkeys(container._parameters)


def place(link: CollectionLink, container: nn.Module, entries: dict[str, Any]) -> None:
    """Gives Python's collection the entries that C# has."""
    kind = "parameter" if link.parameters else "module"
    held = container._parameters if link.parameters else container._modules
    # What was there already is not registered again.
    there = set(map(id, held.values()))
    entries = {
        name: entry if id(entry) in there else registered(kind, container, name, entry)
        for name, entry in entries.items()
    }
    held.clear()
    held.update(entries)
    count(container)


def hang(link: Link, child: Link, name: str) -> None:
    """The module hangs at that place too."""
    if all(site() is not link or other != name for site, other in child.sites):
        child.sites.append((weakref.ref(link), name))
