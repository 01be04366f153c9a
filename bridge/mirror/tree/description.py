"""The module tree of a model, as .NET describes it in JSON: a node for each module, with its class, tensors, children and settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bridge.mirror.tree.cycles import find_cycle

Node = dict[str, Any]


class ModuleTree:
    """A module and its descendants, as .NET describes them. A module that is a child of several modules has one node.

    Attributes:
        nodes: The nodes, the root's first. A child that represents a Python module (a proxy) has no node.
        root: The module id of the root.
    """

    def __init__(self, text: bytes) -> None:
        self.nodes: list[Node] = json.loads(text)
        self.root: int = self.nodes[0]["id"]
        self._by_id = {node["id"]: node for node in self.nodes}

    def check(self) -> None:
        """Raise ValueError if a module contains itself."""
        if (problem := find_cycle(self.root, self._children)) is not None:
            raise ValueError(f"{self.nodes[0]['full']} {problem}.")

    def _children(self, id: int) -> Iterable[tuple[str, int]]:
        return self._by_id[id]["children"] if id in self._by_id else ()

    def paths(self, prefix: str = "") -> dict[int, str]:
        """Return the module paths by id. A module with several paths has the first one, depth first, as in ``named_modules``."""
        paths: dict[int, str] = {}
        stack = [(self.root, prefix)]
        while stack:
            id, path = stack.pop()
            if id in paths or id not in self._by_id:
                continue
            paths[id] = path
            stack += [(child, f"{path}.{name}" if path else name) for name, child in reversed([*self._children(id)])]
        return paths

    def registrations(self) -> Iterator[tuple[Node, str, int | None]]:
        """Yield the tensors and modules to register, in the order in which PyTorch's constructors would register them.

        ``(node, "", None)`` stands for the module's own parameters and buffers, ``(node, name, id)`` for its child ``name``. The
        tensors and children of a child precede the child itself: ``self.fc = nn.Linear(…)`` registers the layer's parameters, then
        the layer.
        """
        seen = set()
        stack: list[tuple[int, str, int | None]] = [(self.root, "", None)]
        while stack:
            id, name, child = stack.pop()
            if child is not None:
                yield self._by_id[id], name, child
            elif id in self._by_id and id not in seen:
                seen.add(id)
                yield self._by_id[id], "", None
                for name, child in reversed([*self._children(id)]):
                    stack += [(id, name, child), (child, "", None)]

    def descendants(self, id: int) -> list[int]:
        """Return the ids of a module's descendants, each once, depth first."""
        found: dict[int, None] = {}
        stack = [child for _, child in self._children(id)][::-1]
        while stack:
            other = stack.pop()
            if other not in found:
                found[other] = None
                stack += [child for _, child in self._children(other)][::-1]
        return list(found)

    def warnings(self) -> Iterator[str]:
        """Yield .NET's warnings about the model, and one for each renamed child: a C# Sequential can have several children of one name."""
        yield from self.nodes[0]["notes"]
        paths = self.paths()
        for node in self.nodes:
            for name, other in node["renamed"]:
                where = f"'{paths[node['id']]}'" if paths[node["id"]] else "the model"
                yield f"{where} ({node['full']}) has several children named '{name}': Python names one of them '{other}'"
