"""Creation of mirrors (the Python modules of C# modules) for a new model, for a copy, and for modules that C# adds to a collection.

A *link* is Python's data about one C# module. I-16 is a clause of the contract (docs/contract.md).
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from inspect import Parameter
from typing import Any, NoReturn

import torch

from bridge import tensors
from bridge.clr import DotNetRuntime
from bridge.mirror.crossing import call_slot
from bridge.mirror.link import Link, by_id, linked, links_by_id
from bridge.mirror.module import Mirror, collection_bases
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.placement import read_source
from bridge.mirror.synchronization.update import synchronize
from bridge.mirror.tensors.dotted_names import check_dotted_names, make_holder
from bridge.mirror.tensors.registration import call_registration_hooks, move_to_default, register_parameter
from bridge.mirror.tree import builtins
from bridge.mirror.tree.attributes import Attributes
from bridge.mirror.tree.class_members import members
from bridge.mirror.tree.description import ModuleTree, Node
from bridge.mirror.tree.entries import CollectionLink, replace_entries, update_count
from bridge.mirror.tree.wiring import add_parent, wire

_CPU = torch.device("cpu")
# The keys of a module's description that determine its mirror class.
_CLASS_KEYS = (
    "full",
    "type",
    "holder",
    "callable",
    "hidden",
    "arguments",
    "members",
    "types",
    "constructors",
    "declarations",
    "documented",
)


def create_mirrors(
    runtime: DotNetRuntime,
    tree: ModuleTree,
    mirrors: dict[int, torch.nn.Module | None],
    device: torch.device = _CPU,
    prefix: str = "",
) -> list[Node]:
    """Create a mirror, with tensors and children, for each module of the tree that ``mirrors`` lacks. Add the mirror to ``mirrors``.

    CPU tensors are moved to ``device``; ``prefix`` is the module path of the tree's root. Returns the nodes of the new mirrors.
    """
    nodes = [node for node in tree.nodes if node["id"] not in mirrors]
    new_ids = {node["id"] for node in nodes}
    paths = tree.paths(prefix)
    shared = _SharedTensors(runtime, tree.root, device)
    for node, name, child in tree.registrations():
        if node["id"] not in new_ids:
            continue
        if child is None:
            mirror = mirrors[node["id"]] = _create_mirror(runtime, node, paths[node["id"]])
            shared.register(mirror, node)
        else:
            parent, module = mirrors[node["id"]], mirrors[child]
            assert parent is not None  # parents are created before their descendants
            # For a copy, no registration hooks are called, as in PyTorch.
            parent._modules[name] = (
                module if node["original"] else call_registration_hooks("module", parent, name, module)
            )
    shared.tie()
    return nodes


def find_mirrors(tree: ModuleTree) -> dict[int, torch.nn.Module | None]:
    """Return the mirrors of those modules of a tree that belong to an earlier model too, by module id.

    Raises ReferenceError if one of these mirrors was collected.
    """
    paths = tree.paths()
    return {node["id"]: _existing_mirror(node, paths[node["id"]]) for node in tree.nodes if node["mirrored"]}


def _existing_mirror(node: Node, path: str) -> torch.nn.Module:
    link = links_by_id[node["id"]]() if node["id"] in links_by_id else None
    mirror = link.mirror() if link is not None else None
    if mirror is None:
        module = f"module '{path}'" if path else "the root module"
        raise ReferenceError(
            f"{module} ({node['full']}) also belongs to another model, which Python has freed together with the module's tensors;"
            " keep a reference to that model in Python, keep the module in a static field of a module class in C#, or create a new module"
        )
    return mirror


@contextmanager
def forget_on_failure(runtime: DotNetRuntime, tree: ModuleTree) -> Iterator[None]:
    """Make .NET forget the modules of the tree that have no link, if the block raises."""
    try:
        yield
    except BaseException:
        for node in tree.nodes:
            if node["id"] not in links_by_id:
                runtime.exports.forget(node["id"])
        raise


class _SharedTensors:
    """The parameters and buffers of a tree, by .NET's numbers. Modules may share a tensor."""

    def __init__(self, runtime: DotNetRuntime, root: int, device: torch.device) -> None:
        self._runtime, self._root, self._device = runtime, root, device
        self._tensors: dict[int, torch.Tensor] = {}
        self._owners: dict[int, list[tuple[Link, str]]] = {}

    def register(self, mirror: torch.nn.Module, node: Node) -> None:
        """Register a module's parameters and buffers, except those without a number: a copy gets them from its original later."""
        order = list(mirror._parameters)
        for name, number in node["parameters"]:
            if number is not None:
                tensor = (
                    self._tensors[number] if number in self._tensors else take_tensor(self._runtime, self._root, number)
                )
                holder, own = make_holder(mirror, name)
                # The constructor of PyTorch's class may have created a parameter of this name on the meta device.
                holder._parameters.pop(own, None)
                self._tensors[number] = register_parameter(holder, own, tensor, self._device)
        for name in order:
            mirror._parameters[name] = mirror._parameters.pop(name)
        update_count(mirror)
        if isinstance(mirror, torch.nn.RNNBase):
            mirror._init_flat_weights()  # updates the layer's list of weights
        for name, number, persistent in node["buffers"]:
            if number is not None:
                if number not in self._tensors:
                    self._tensors[number] = move_to_default(
                        take_tensor(self._runtime, self._root, number), self._device
                    )
                holder, own = make_holder(mirror, name)
                holder._buffers.pop(own, None)
                holder.register_buffer(own, self._tensors[number], persistent)
        for name, number, *_ in (*node["parameters"], *node["buffers"]):
            if number is not None:
                self._owners.setdefault(number, []).append((linked(mirror), name))

    def tie(self) -> None:
        """Record in ``Link.ties``, for each name of a tensor, the tensor's other names."""
        for owners in self._owners.values():
            for link, name in owners:
                if others := [(weakref.ref(owner), other) for owner, other in owners if (owner, other) != (link, name)]:
                    link.ties[name] = others


def take_tensor(runtime: DotNetRuntime, root: int, number: int) -> torch.Tensor:
    """Return a tensor by its number in .NET's description of the module with the id ``root``."""
    return tensors.take(runtime.exports.described_tensor(root, number))


def _create_mirror(runtime: DotNetRuntime, node: Node, path: str) -> torch.nn.Module:
    """Create the mirror of a module. The caller sets its tensors and children.

    Until then, an instance of PyTorch's class has the tensors and children of its constructor, on the meta device; a Mirror has none.
    """
    link = _create_link(runtime, node, path)
    tensor_and_child_names = (*link.names, *(name for name, _ in node["children"]))
    built_in = builtins.make(node["type"], node["properties"], tensor_and_child_names) if node["built_in"] else None
    if built_in is None:
        kind = _mirror_class(json.dumps({key: node[key] for key in _CLASS_KEYS}))
        if kind.__call__ is Mirror.__call__:
            call_slot.install(kind, runtime.exports)
        return kind(link)
    link.attach(built_in)
    sources = builtins.properties_of(node["type"])
    link.attributes = Attributes(runtime, node["id"], built_in, sources, node["properties"], link.names)
    return built_in


def _create_link(runtime: DotNetRuntime, node: Node, path: str) -> Link:
    names = tuple(name for name, *_ in (*node["parameters"], *node["buffers"]))
    check_dotted_names(names, (name for name, _ in node["children"]), node["holder"] is not None, node["full"])
    arguments = [(name, optional) for name, optional, *_ in node["arguments"]] if node["callable"] else None
    if node["holder"] is None:
        link = Link(runtime, node["id"], path, names, arguments)
    else:
        holds_parameters = node["holder"] in ("ParameterList", "ParameterDict")
        link = CollectionLink(runtime, node["id"], path, names, arguments, holds_parameters)
        entries = node["parameters" if holds_parameters else "children"]
        link.set_entries([name for name, *_ in entries], [] if holds_parameters else [child for _, child in entries])
    link.defaults = tuple(default[0] if default else Parameter.empty for _, _, *default in node["arguments"])
    link.overloads = tuple(tuple((name, optional) for name, optional, *_ in overload) for overload in node["overloads"])
    link.signature = node["signature"]
    link.has_no_call = node["plain"]
    link.copy = partial(_copy, weakref.ref(link))
    return link


@cache
def _mirror_class(description: str) -> type[Mirror]:
    """Return the mirror class for a description in JSON, which is the key of the cache."""
    node = json.loads(description)
    base = (Mirror,) if node["holder"] is None else collection_bases(node["holder"])
    namespace = {"__module__": "bridge.mirror", **members(node, base, Mirror.forward)}
    if node["hidden"]:

        def forward(self: Mirror, *args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(
                f"{node['full']} cannot be called: its forward is private; make it public or internal"
            )

        namespace["forward"] = forward
    elif not node["callable"]:  # a call, for instance of a ModuleList, raises PyTorch's own error (I-16)
        namespace["forward"] = torch.nn.Module.forward
    return type(node["type"], base, namespace)


def _copy(reference: weakref.ref[Link], deep: bool) -> tuple[torch.nn.Module, list[tuple[Link, Link]]]:
    """Copy a .NET module, with its descendants if ``deep`` is true. This is the implementation of ``Link.copy``.

    Returns the copy's mirror, whose parameters and buffers the caller must set. Also returns, for each copied module, a pair: the
    original's link and the copy's link.
    """
    link = reference()
    assert link is not None  # the caller has a reference
    tree = ModuleTree(link.runtime.exports.copy(link.id, deep))
    return _mirror_deep_copy(link, tree) if deep else _mirror_shallow_copy(link, tree)


def _mirror_deep_copy(link: Link, tree: ModuleTree) -> tuple[torch.nn.Module, list[tuple[Link, Link]]]:
    with forget_on_failure(link.runtime, tree):
        tree.check()
        mirrors = find_mirrors(tree)
        wire(link.runtime, tree, create_mirrors(link.runtime, tree, mirrors), mirrors)
    found = [
        (links_by_id[node["original"]](), by_id(node["id"])) for node in tree.nodes if node["original"] in links_by_id
    ]
    pairs = [(old, new) for old, new in found if old is not None]
    copies = {id(old): weakref.ref(new) for old, new in pairs}
    for old, new in pairs:
        if new is not old:
            new.ties = {
                name: [(copies[id(owner())], other) for owner, other in ties if id(owner()) in copies]
                for name, ties in old.ties.items()
            }
    mirror = mirrors[tree.root]
    assert mirror is not None
    return mirror, pairs


def _mirror_shallow_copy(link: Link, tree: ModuleTree) -> tuple[torch.nn.Module, list[tuple[Link, Link]]]:
    node = tree.nodes[0]
    mirror = _create_mirror(link.runtime, node, "")
    copy = linked(mirror)
    # The copy shares the children of its original, including modules that Python code has assigned to replace children.
    copy.descendants, copy.children = link.descendants, link.children
    for name, child in node["children"]:
        by_id(child).parents.append((weakref.ref(copy), name))
    link.runtime.exports.link(node["id"])
    synchronize(copy)
    return mirror, [(link, copy)]


def update_collection(runtime: DotNetRuntime, id: int) -> None:
    """Give a collection in Python the current entries of the C# collection, with mirrors for new modules. Called by .NET after a change."""
    link = by_id(id)
    assert isinstance(link, CollectionLink)
    container, _ = read_source(link)
    tree = ModuleTree(runtime.exports.describe(id))
    node = tree.nodes[0]
    mirrors = _mirror_entries(runtime, tree, link, container)
    if link.holds_parameters:
        entries = {name: _as_parameter(take_tensor(runtime, id, number)) for name, number in node["parameters"]}
        replace_entries(link, container, entries)
        runtime.exports.link(id)
        link.set_entries(list(entries), ())
    else:
        replace_entries(link, container, {name: mirrors[child] for name, child in node["children"]})
        link.set_entries([name for name, _ in node["children"]], [child for _, child in node["children"]])
        link.children = tuple((name, by_id(child)) for name, child in node["children"])
        for name, child in link.children:
            add_parent(child, link, name)
    dirty_tracking.advance()
    synchronize(link)


def _mirror_entries(
    runtime: DotNetRuntime, tree: ModuleTree, link: Link, container: torch.nn.Module
) -> dict[int, torch.nn.Module | None]:
    """Return the mirrors of a collection and its descendants by id. Create the mirrors of new modules."""
    ids = {node["id"] for node in tree.nodes} | {child for node in tree.nodes for _, child in node["children"]}
    mirrors = {id: by_id(id).mirror() for id in ids if id in links_by_id} | {link.id: container}
    with forget_on_failure(runtime, tree):
        tree.check()
        wire(runtime, tree, create_mirrors(runtime, tree, mirrors, prefix=link.path), mirrors)
    return mirrors


def _as_parameter(tensor: torch.Tensor) -> torch.nn.Parameter:
    return tensor if isinstance(tensor, torch.nn.Parameter) else torch.nn.Parameter(tensor, tensor.requires_grad)
