"""Makes the mirrors of a module tree."""

from __future__ import annotations

import json
import warnings
import weakref
from collections.abc import Iterator
from functools import cache, partial
from inspect import Parameter
from typing import Any, NoReturn

import torch

from bridge import tensors
from bridge.clr import DotNetRuntime
from bridge.mirror import dirty_tracking
from bridge.mirror.crossing import call_slot
from bridge.mirror.link import Link, by_id, known, linked
from bridge.mirror.module import Mirror, bases
from bridge.mirror.tensors.registration import made_on_cpu, parameter, placed, registered
from bridge.mirror.tree import builtins
from bridge.mirror.tree.attributes import Attributes
from bridge.mirror.tree.class_members import members
from bridge.mirror.tree.cycles import cycle
from bridge.mirror.tree.entries import CollectionLink, count, hang, place

# Mirrors of static modules by id: their tensors must not die with the first model that has them.
_static: dict[int, torch.nn.Module] = {}
_CPU = torch.device("cpu")
# What the class of a mirror depends on.
_DECLARED = ("full", "type", "holder", "callable", "hidden", "arguments", "members", "types", "documented")


def build(host: DotNetRuntime, assembly: str, type_name: str, arguments: str, forward_fires: bool) -> torch.nn.Module:
    """Makes the .NET module and mirrors its tree; ``arguments`` are as :func:`constructor_arguments.written` writes them.

    Raises DotNetError with .NET's own words when it cannot be made, and ValueError when a module contains itself."""
    exports = host.exports
    with made_on_cpu() as device:
        description = json.loads(exports.load(assembly, type_name, arguments, int(forward_fires)))
        mirror = _mirrored_or_forgotten(host, description, device)
    for note in (*description[0]["notes"], *_renamed(description)):
        warnings.warn(note, UserWarning, stacklevel=4)
    return mirror


def _renamed(description: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each child of a Sequential that has the name of an earlier one: Python's children have names of their own."""
    paths = _paths(description, "")
    for node in description:
        for name, other in node["renamed"]:
            where = f"'{paths[node['id']]}'" if paths[node["id"]] else "the model"
            yield f"{where} ({node['full']}) has several children named '{name}': in Python this one is '{other}'"


def extended(host: DotNetRuntime, id: int) -> None:
    """C# changed a collection: Python's gets its entries, and what is new a mirror."""
    link = by_id(id)
    assert isinstance(link, CollectionLink)
    container, _ = link.contents()
    description = json.loads(host.exports.describe(id))
    node = description[0]
    mirrors = _extended(host, description, link, container)
    if link.parameters:
        made = {}
        for name, number in node["parameters"]:
            tensor = _take(host, id, number)
            made[name] = (
                tensor if isinstance(tensor, torch.nn.Parameter) else torch.nn.Parameter(tensor, tensor.requires_grad)
            )
        place(link, container, made)
        host.exports.link(id)
        link.has(list(made), ())
    else:
        place(link, container, {name: mirrors[child] for name, child in node["children"]})
        link.has(*zip(*node["children"], strict=True) if node["children"] else ((), ()))
        link.children = tuple((name, by_id(child)) for name, child in node["children"])
        for name, child in link.children:
            hang(link, child, name)
    dirty_tracking.advance()
    link.synchronize()


def _extended(
    host: DotNetRuntime, description: list[dict[str, Any]], link: Link, container: torch.nn.Module
) -> dict[int, torch.nn.Module | None]:
    ids = {node["id"] for node in description} | {child for node in description for _, child in node["children"]}
    known_ones = {id: by_id(id).mirror() for id in ids if id in known} | {link.id: container}
    _mirrored_or_forgotten(host, description, prefix=link.path, mirrors=known_ones)
    return known_ones


def _copied(reference: weakref.ref[Link], deep: bool) -> tuple[torch.nn.Module, list[tuple[Link, Link]]]:
    """A mirror, without parameters and buffers, of a copy that .NET makes of a mirrored module, with or without what is below it.

    And the links of what was copied, each with that of its copy.
    """
    link = reference()
    assert link is not None  # it is the link that makes this call
    description = json.loads(link.host.exports.copy(link.id, deep))
    if deep:
        made = _mirrored_or_forgotten(link.host, description)
        originals = [
            (known[node["original"]](), by_id(node["id"])) for node in description if node["original"] in known
        ]
        pairs = [(old, new) for old, new in originals if old is not None]
        copies = {id(old): weakref.ref(new) for old, new in pairs}
        for old, new in pairs:
            if new is not old:
                new.ties = {
                    name: [(copies[id(other())], its) for other, its in others if id(other()) in copies]
                    for name, others in old.ties.items()
                }
        return made, pairs
    root = description[0]
    mirror = _new(link.host, root, "")
    own = linked(mirror)
    # What is below is the original's, also where Python has put other modules in its place.
    own.below = link.below
    for name, child in root["children"]:
        by_id(child).sites.append((weakref.ref(own), name))
    own.children = link.children
    link.host.exports.link(root["id"])
    own.synchronize()
    return mirror, [(link, own)]


def _mirrored_or_forgotten(
    host: DotNetRuntime,
    description: list[dict[str, Any]],
    device: torch.device = _CPU,
    prefix: str = "",
    mirrors: dict[int, torch.nn.Module | None] | None = None,
) -> torch.nn.Module:
    try:
        return _mirrored(host, description, device, prefix, mirrors)
    except BaseException:
        for node in description:
            if node["id"] not in known:
                host.exports.forget(node["id"])
        raise


def _mirrored(
    host: DotNetRuntime,
    description: list[dict[str, Any]],
    device: torch.device,
    prefix: str,
    mirrors: dict[int, torch.nn.Module | None] | None,
) -> torch.nn.Module:
    """``mirrors`` are those that there are by ids, and take the new ones; without them each must live."""
    root = description[0]["id"]
    children = {node["id"]: node["children"] for node in description}
    if (found := cycle(root, lambda id: children.get(id, []))) is not None:
        raise ValueError(f"{description[0]['full']} {found}.")
    paths = _paths(description, prefix)
    if mirrors is None:
        mirrors = {node["id"]: _living(node, paths[node["id"]]) for node in description if node["mirrored"]}
    new = [node for node in description if node["id"] not in mirrors]
    shared: dict[int, torch.Tensor] = {}
    places: dict[int, list[tuple[Link, str]]] = {}
    made = {node["id"] for node in new}
    for node, name, child in _construction(description):
        if node["id"] not in made:
            continue
        if child is not None:
            held = mirrors[node["id"]]
            assert held is not None  # it was made before what is below it
            there = mirrors[child]
            # A copy registers nothing in PyTorch either.
            held._modules[name] = there if node["original"] else registered("module", held, name, there)
            continue
        mirror = mirrors[node["id"]] = _new(host, node, paths[node["id"]])
        order = list(mirror._parameters)
        for name, number in node["parameters"]:
            if number is None:  # a copy: Python gives it copies of what it has
                continue
            if number not in shared:
                shared[number] = _take(host, root, number)
            mirror._parameters.pop(name, None)  # a built-in's constructor made one on the meta device
            shared[number] = parameter(mirror, name, shared[number], device)
        for name in order:
            mirror._parameters[name] = mirror._parameters.pop(name)
        count(mirror)
        if isinstance(mirror, torch.nn.RNNBase):
            mirror._init_flat_weights()  # the list that it keeps of its parameters
        for name, number, persistent in node["buffers"]:
            if number is None:
                continue
            if number not in shared:
                shared[number] = placed(_take(host, root, number), device)
            mirror._buffers.pop(name, None)
            mirror.register_buffer(name, shared[number], persistent)
        for name, number, *_ in (*node["parameters"], *node["buffers"]):
            if number is not None:
                places.setdefault(number, []).append((linked(mirror), name))
    for tied in places.values():
        for link, name in tied:
            if others := [(weakref.ref(other), its) for other, its in tied if (other, its) != (link, name)]:
                link.ties[name] = others
    found_all = {id: mirror for id, mirror in mirrors.items() if mirror is not None}
    _connect(host, new, found_all)
    below = {node["id"]: [child for _, child in node["children"]] for node in description}
    for node in new:
        linked(found_all[node["id"]]).below = [by_id(other) for other in _descendants(node["id"], below)]
    _static.update((node["id"], found_all[node["id"]]) for node in new if node["static"])
    return found_all[root]


def _new(host: DotNetRuntime, node: dict[str, Any], path: str) -> torch.nn.Module:
    """A mirror without parameters, buffers and children: for a built-in an object of PyTorch's class."""
    names = tuple(name for name, *_ in (*node["parameters"], *node["buffers"]))
    arguments = [(name, optional) for name, optional, *_ in node["arguments"]] if node["callable"] else None
    if node["holder"] is None:
        link = Link(host, node["id"], path, names, arguments)
    else:
        of_parameters = node["holder"] in ("ParameterList", "ParameterDict")
        link = CollectionLink(host, node["id"], path, names, arguments, of_parameters)
        entries = node["parameters" if of_parameters else "children"]
        link.has([name for name, *_ in entries], [] if of_parameters else [child for _, child in entries])
    # A default that Python cannot write is left out.
    link.defaults = tuple(default[0] if default else Parameter.empty for _, _, *default in node["arguments"])
    link.plain = node["plain"]
    link.copied = partial(_copied, weakref.ref(link))
    registered = (*names, *(name for name, _ in node["children"]))
    built_in = builtins.make(node["type"], node["properties"], registered) if node["built_in"] else None
    if built_in is None:
        kind = _class(json.dumps({name: node[name] for name in _DECLARED}))
        if kind.__call__ is Mirror.__call__:
            call_slot.take(kind, host.exports)
        return kind(link)
    link.belong(built_in)
    link.attributes = Attributes(
        host, node["id"], built_in, builtins.properties_of(node["type"]), node["properties"], names
    )
    return built_in


def _living(node: dict[str, Any], path: str) -> torch.nn.Module:
    """The mirror of a module that an earlier model has too: one that C# made once and uses twice. Both models then share it."""
    link = known[node["id"]]() if node["id"] in known else None
    mirror = link.mirror() if link is not None else None
    if mirror is None:
        raise ReferenceError(
            f"module '{path}' ({node['full']}) was another model's, whose mirror of it is gone with its tensors;"
            " keep that model, keep the module in a static field of a module's class, or make a new one"
        )
    return mirror


def _connect(host: DotNetRuntime, new: list[dict[str, Any]], mirrors: dict[int, torch.nn.Module]) -> None:
    for node in new:
        mirror = mirrors[node["id"]]
        for name, child in node["children"]:
            by_id(child).sites.append((weakref.ref(linked(mirror)), name))
        linked(mirror).children = tuple((name, by_id(child)) for name, child in node["children"])
    exports = host.exports
    for node in new:
        exports.link(node["id"])
    for node in new:
        mirror = mirrors[node["id"]]
        mirror.__dict__["training"] = node["training"]
        linked(mirror).synchronize()
        exports.adopt_hooks(node["id"])


def _take(host: DotNetRuntime, root: int, number: int) -> torch.Tensor:
    return tensors.take(host.exports.take(root, number))


def _construction(description: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str, int | None]]:
    """Yield each module before what is below it, and each of its children, by name and id, when all that is below the child is made.

    In this order PyTorch's constructors register: ``self.fc = nn.Linear(…)`` registers the layer's parameters, and then the layer.
    """
    nodes = {node["id"]: node for node in description}
    seen = set()
    root = description[0]["id"]
    # What is made, or registered: a child by the module that has it.
    stack: list[tuple[int, str, int | None]] = [(root, "", None)]
    while stack:
        id, name, child = stack.pop()
        if child is not None:
            yield nodes[id], name, child
        elif id in nodes and id not in seen:
            seen.add(id)
            yield nodes[id], "", None
            for name, child in reversed(nodes[id]["children"]):
                stack += [(id, name, child), (child, "", None)]


def _descendants(id: int, below: dict[int, list[int]]) -> list[int]:
    """The modules below one, each once, depth first."""
    found: dict[int, None] = {}
    stack = below[id][::-1]
    while stack:
        other = stack.pop()
        if other not in found:
            found[other] = None
            stack += below.get(other, [])[::-1]
    return list(found)


def _paths(description: list[dict[str, Any]], prefix: str) -> dict[int, str]:
    """Module paths by id: each module under the first path that leads to it, depth first (PyTorch's order)."""
    nodes = {node["id"]: node for node in description}
    paths: dict[int, str] = {}
    stack = [(description[0]["id"], prefix)]
    while stack:
        id, path = stack.pop()
        if id in paths or id not in nodes:
            continue
        paths[id] = path
        stack += [(child, f"{path}.{name}" if path else name) for name, child in reversed(nodes[id]["children"])]
    return paths


@cache
def _class(declared: str) -> type[Mirror]:
    """The class of the mirrors of modules that are described in this way; JSON, since it is looked up."""
    node = json.loads(declared)
    base = (Mirror,) if node["holder"] is None else bases(node["holder"])
    added = {"__module__": "bridge.mirror", **members(node, base, Mirror.forward)}
    if node["hidden"]:

        def forward(self: Mirror, *args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(
                f"{node['full']} cannot be called: its forward is private; make it public or internal"
            )

        added["forward"] = forward
    elif not node["callable"]:  # a list or a dictionary: PyTorch says so in its own words (I-16)
        added["forward"] = torch.nn.Module.forward
    return type(node["type"], base, added)
