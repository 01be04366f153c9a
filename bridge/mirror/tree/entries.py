"""Collections (Sequential, ModuleList, ParameterDict …), whose entries are the same in Python and C#.

The mirror (the Python module) of a C# collection is an instance of PyTorch's class. If a user's C# class derives from a collection, its
mirror class derives from Mirror and PyTorch's class. C# enumerates the entries that the mirror has, and entries that C# adds are added to
the mirror. If Python adds the mirror of a .NET module that the C# collection can hold, C# sees that .NET module. For any other Python
module, C# sees a proxy: a C# object whose calls run the Python module. A *link* is Python's data about one C# module.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from torch import nn

from bridge.clr import DotNetRuntime
from bridge.mirror.link import Link, link_of
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.placement import resolve
from bridge.mirror.synchronization.update import synchronize
from bridge.mirror.tensors.registration import call_registration_hooks
from bridge.mirror.tree import builtins
from bridge.mirror.tree.attributes import Attributes

PARAMETERS: Final = (nn.ParameterList, nn.ParameterDict)
MODULES: Final = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


class CollectionLink(Link):
    """The link of a collection of modules or parameters."""

    is_collection = True

    def __init__(
        self,
        runtime: DotNetRuntime,
        id: int,
        path: str,
        names: tuple[str, ...],
        arguments: Sequence[tuple[str, bool]] | None,
        holds_parameters: bool,
    ) -> None:
        super().__init__(runtime, id, path, names, arguments)
        self._kinds: tuple[type[nn.Module], ...] = PARAMETERS if holds_parameters else MODULES
        #: The number of entries that are parameters. Their names are the first in ``names``, before those of other parameters and buffers.
        self._entry_count = len(names) if holds_parameters else 0
        # The names and ids of the entries that C# has.
        self._sent: tuple[tuple[str, ...], tuple[int, ...]] | None = None
        # The ids of modules that the C# collection has accepted as entries.
        self._accepted: set[int] = set()
        # Links of the proxies that are entries in C#, by the ``id()`` of their Python modules.
        self._proxies: dict[int, Link] = {}

    @property
    def holds_parameters(self) -> bool:
        """Return whether the entries are parameters; otherwise they are modules."""
        return self._kinds is PARAMETERS

    def source_in(self, target: nn.Module) -> nn.Module:
        """Return the module whose entries C# reads: ``target`` if it is a collection of the same kind, else the mirror.

        ``target`` is the mirror, or the module that replaced the mirror. The kinds are collections of modules and collections of
        parameters. Raises TypeError if ``target`` is not of the same kind and this collection has no ``forward``.
        """
        if isinstance(target, self._kinds):
            return target
        if self.arguments is None:
            raise TypeError(
                f"C# enumerates '{self.path}', which is of class {type(target).__name__} in Python, not a collection of "
                f"{'parameters' if self.holds_parameters else 'modules'}"
            )
        mirror = self.mirror()
        return target if mirror is None else mirror

    def send_entries(self, container: nn.Module) -> bool:
        """Send C# the entries of ``container``, and return whether Python must run the collection's calls.

        Python must run the calls if an entry is None, or is a proxy in C#.

        Raises DotNetError when C# cannot represent an entry, and TypeError when an entry is None and C# would skip it.
        """
        with self.lock:
            if self.holds_parameters:
                self._send_parameters(container)
                return False
            children = dict(container._modules)
            empty = [name for name, child in children.items() if child is None]
            if empty and isinstance(self.mirror(), nn.Sequential) and self.attributes is None:
                raise TypeError(
                    f"'{self.path}.{empty[0]}' is None in Python, and C# would skip it: assign a module or remove the entry"
                )
            used: dict[int, Link] = {}
            numbers = tuple(
                0 if child is None else self._entry_id(name, child, used) for name, child in children.items()
            )
            self._send(tuple(children), numbers)
            before, self._proxies = self._proxies, used
            if gone := [link for key, link in before.items() if used.get(key) is not link]:
                # A call in progress may still enumerate the previous entries.
                self.runtime.exports.keep(*gone)
            return bool(used or empty)

    def set_entries(self, names: Sequence[str], numbers: Sequence[int]) -> None:
        """Store the names, and for modules the ids, of the entries that C# has."""
        if self.holds_parameters:
            self.names = (*names, *self.names[self._entry_count :])
            self._entry_count = len(names)
        else:
            self._sent = tuple(names), tuple(numbers)

    def _send_parameters(self, container: nn.Module) -> None:
        names = parameter_names(container)
        if names == self.names[: self._entry_count]:
            return
        values = [container._parameters.get(name) for name in names]
        self._send(names, tuple(0 if value is None else id(value) for value in values))
        self._sent = None
        self.names = (*names, *self.names[self._entry_count :])
        self._entry_count = len(names)

    def _send(self, names: tuple[str, ...], numbers: tuple[int, ...]) -> None:
        if (names, numbers) == self._sent:
            return
        self.runtime.exports.bind_entries(self.id, json.dumps(list(zip(names, numbers, strict=True))))
        self._sent = names, numbers
        # A name may refer to another module now.
        dirty_tracking.advance()

    def _entry_id(self, name: str, child: nn.Module, used: dict[int, Link]) -> int:
        """Return the id of the C# module for an entry: the entry's .NET module, or a proxy, whose link is added to ``used``."""
        link = link_of(child)
        # If Python has replaced the entry elsewhere in the model, a call of the entry's .NET module runs the replacement. A call of a proxy
        # runs the entry.
        if link is not None and resolve(link)[0] is not child:
            link = None
        if link is not None and (link.id in self._accepted or self.runtime.exports.accepts_entry(self.id, link.id)):
            self._accepted.add(link.id)
            return link.id
        proxy = self._proxies.get(id(child))
        path = self.path_of(name)
        if proxy is None or proxy.mirror() is not child:
            proxy = create_proxy(self.runtime, child, path, collection=self.id)
        elif proxy.path != path and id(child) not in used:
            # The entry has moved to another name in the collection.
            proxy.path = self.runtime.exports.paths[proxy.id] = path
        used[id(child)] = proxy
        return proxy.id


def create_proxy(runtime: DotNetRuntime, child: nn.Module, path: str, *, collection: int = 0, hook: int = 0) -> Link:
    """Create a proxy, a C# object that represents a Python module, and return its link, which keeps the proxy alive.

    The caller gives either ``collection``, the id of the collection that has the module as an entry, or ``hook``, the number of the typed
    hook that gets the module. Raises DotNetError when C# cannot represent the module.
    """
    exports = runtime.exports
    classes = [kind.__name__ for kind in type(child).__mro__ if builtins.torch_class(kind.__name__) is kind]
    buffers = [(name, False, name not in child._non_persistent_buffers_set) for name in child._buffers]
    tensors = [*((name, True, True) for name in child._parameters), *buffers]
    description = {"type": type(child).__name__, "classes": classes, "tensors": tensors}
    created = json.loads(exports.create_proxy(collection, hook, json.dumps(description)))
    id, entries = created["id"], created["entries"]
    names: tuple[str, ...] = () if entries == "parameters" else tuple(created["names"])
    link = (
        Link(runtime, id, path, names, None)
        if entries is None
        else CollectionLink(runtime, id, path, names, None, entries == "parameters")
    )
    sources = builtins.properties_of(classes[0]) if classes else {}
    present = [name for name, *_ in tensors if getattr(child, name) is not None]
    link.attributes = Attributes(runtime, id, child, sources, vars(child), present)
    for name, value in vars(child).items():
        if isinstance(value, (bool, int, float, str, tuple)):
            exports.set_property(id, sources[name][1] if name in sources else name, value)
    link.attach_python_module(child)
    exports.link(id)
    synchronize(link)
    return link


def parameter_names(container: nn.Module) -> tuple[str, ...]:
    """Return the names of the parameters that a collection enumerates, in order."""
    if isinstance(container, nn.ParameterList):
        return tuple(map(str, range(len(container))))
    return tuple(container.keys() if isinstance(container, nn.ParameterDict) else container._parameters)


def update_count(container: nn.Module) -> None:
    """Update the size or the keys that PyTorch's parameter collections store beside ``_parameters``. Do nothing for other modules."""
    if isinstance(container, nn.ParameterList):
        container._size = sum(name.isdigit() for name in container._parameters)
    elif isinstance(container, nn.ParameterDict):
        container._keys = dict.fromkeys(container._parameters)


def replace_entries(link: CollectionLink, container: nn.Module, entries: dict[str, Any]) -> None:
    """Replace the entries of a collection in Python by the entries that C# has."""
    kind = "parameter" if link.holds_parameters else "module"
    current = container._parameters if link.holds_parameters else container._modules
    # Registration hooks are called only for new entries.
    present = set(map(id, current.values()))
    entries = {
        name: entry if id(entry) in present else call_registration_hooks(kind, container, name, entry)
        for name, entry in entries.items()
    }
    current.clear()
    current.update(entries)
    update_count(container)
