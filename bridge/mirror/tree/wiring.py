"""The last step in the creation of mirrors (the Python modules of C# modules): setting their links, training flags and C# hooks.

A *link* is Python's data about one C# module.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

import torch

from bridge.clr import DotNetRuntime
from bridge.mirror.link import Link, by_id, linked
from bridge.mirror.synchronization.update import synchronize
from bridge.mirror.tree.description import ModuleTree, Node

# The mirrors of modules in static C# fields, by module id. Kept alive, since they own tensors that must outlive the first model that
# uses the modules.
_static: dict[int, torch.nn.Module] = {}


def wire(
    runtime: DotNetRuntime, tree: ModuleTree, nodes: Sequence[Node], mirrors: Mapping[int, torch.nn.Module | None]
) -> None:
    """Connect the links of new mirrors, set training flags, synchronize .NET, and add the hooks that C# constructors have registered."""
    for node in nodes:
        _connect_children(by_id(node["id"]), node)
    for node in nodes:
        runtime.exports.link(node["id"])
    for node in nodes:
        mirror = _mirror_of(node, mirrors)
        mirror.__dict__["training"] = node["training"]
        synchronize(linked(mirror))
        runtime.exports.adopt_hooks(node["id"])
    for node in nodes:
        by_id(node["id"]).descendants = [by_id(id) for id in tree.descendants(node["id"])]
    _static.update((node["id"], _mirror_of(node, mirrors)) for node in nodes if node["static"])


def _connect_children(link: Link, node: Node) -> None:
    for name, child in node["children"]:
        by_id(child).parents.append((weakref.ref(link), name))
    link.children = tuple((name, by_id(child)) for name, child in node["children"])


def add_parent(child: Link, parent: Link, name: str) -> None:
    """Add a parent to a child's link, unless the child has this parent and name already."""
    if all(reference() is not parent or other != name for reference, other in child.parents):
        child.parents.append((weakref.ref(parent), name))


def _mirror_of(node: Node, mirrors: Mapping[int, torch.nn.Module | None]) -> torch.nn.Module:
    mirror = mirrors[node["id"]]
    assert mirror is not None  # a new mirror
    return mirror
