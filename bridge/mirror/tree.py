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
from bridge.clr import Host
from bridge.mirror import builtins
from bridge.mirror.adopting import made_on_cpu, parameter, placed
from bridge.mirror.attributes import Attributes
from bridge.mirror.cycles import cycle
from bridge.mirror.declared import members
from bridge.mirror.holders import HOLDERS
from bridge.mirror.links import Link, by_id, known, linked
from bridge.mirror.module import Mirror

# Mirrors of static modules by id: their tensors must not die with the first model that has them.
_static: dict[int, torch.nn.Module] = {}
_CPU = torch.device("cpu")
# What the class of a mirror depends on.
_DECLARED = ("full", "type", "holder", "callable", "hidden", "arguments", "members", "types", "documented")


def build(host: Host, assembly: str, type_name: str, arguments: str, forward_fires: bool) -> torch.nn.Module:
    """Makes the .NET module and mirrors its tree; ``arguments`` are as :func:`bridge.mirror.arguments.written` writes them.

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
    paths = _paths(description)
    for node in description:
        for name, other in node["renamed"]:
            where = f"'{paths[node['id']]}'" if paths[node["id"]] else "the model"
            yield f"{where} ({node['full']}) has several children named '{name}': in Python this one is '{other}'"


def _copied(reference: weakref.ref[Link], deep: bool) -> torch.nn.Module:
    """A mirror, without parameters and buffers, of a copy that .NET makes of a mirrored module, with or without what is below it."""
    link = reference()
    assert link is not None  # it is the link that makes this call
    description = json.loads(link.host.exports.copy(link.id, deep))
    if deep:
        return _mirrored_or_forgotten(link.host, description)
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
    return mirror


def _mirrored_or_forgotten(
    host: Host, description: list[dict[str, Any]], device: torch.device = _CPU
) -> torch.nn.Module:
    try:
        return _mirrored(host, description, device)
    except BaseException:
        for node in description:
            if node["id"] not in known:
                host.exports.forget(node["id"])
        raise


def _mirrored(host: Host, description: list[dict[str, Any]], device: torch.device) -> torch.nn.Module:
    root = description[0]["id"]
    children = {node["id"]: node["children"] for node in description}
    if (found := cycle(root, children.__getitem__)) is not None:
        raise ValueError(f"{description[0]['full']} {found}.")
    paths = _paths(description)
    mirrors = {node["id"]: _living(node, paths[node["id"]]) for node in description if node["mirrored"]}
    new = [node for node in description if node["id"] not in mirrors]
    shared: dict[int, torch.Tensor] = {}
    for node in new:
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
        if isinstance(mirror, torch.nn.RNNBase):
            mirror._init_flat_weights()  # the list that it keeps of its parameters
        for name, number, persistent in node["buffers"]:
            if number is None:
                continue
            if number not in shared:
                shared[number] = placed(_take(host, root, number), device)
            mirror._buffers.pop(name, None)
            mirror.register_buffer(name, shared[number], persistent)
    _connect(host, new, mirrors)
    below = {node["id"]: [child for _, child in node["children"]] for node in description}
    for node in new:
        linked(mirrors[node["id"]]).below = [linked(mirrors[other]) for other in _descendants(node["id"], below)]
    _static.update((node["id"], mirrors[node["id"]]) for node in new if node["static"])
    return mirrors[root]


def _new(host: Host, node: dict[str, Any], path: str) -> torch.nn.Module:
    """A mirror without parameters, buffers and children: for a built-in an object of PyTorch's class."""
    names = tuple(name for name, *_ in (*node["parameters"], *node["buffers"]))
    arguments = [(name, optional) for name, optional, *_ in node["arguments"]] if node["callable"] else None
    link = Link(host, node["id"], path, names, arguments)
    # A default that Python cannot write is left out.
    link.defaults = tuple(default[0] if default else Parameter.empty for _, _, *default in node["arguments"])
    link.plain = node["plain"]
    link.copied = partial(_copied, weakref.ref(link))
    registered = (*names, *(name for name, _ in node["children"]))
    built_in = builtins.make(node["type"], node["properties"], registered) if node["built_in"] else None
    if built_in is None:
        return _class(json.dumps({name: node[name] for name in _DECLARED}))(link)
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


def _connect(host: Host, new: list[dict[str, Any]], mirrors: dict[int, torch.nn.Module]) -> None:
    for node in new:
        mirror = mirrors[node["id"]]
        for name, child in node["children"]:
            mirror._modules[name] = mirrors[child]
            linked(mirrors[child]).sites.append((weakref.ref(linked(mirror)), name))
        linked(mirror).children = tuple((name, linked(mirrors[child])) for name, child in node["children"])
    exports = host.exports
    for node in new:
        exports.link(node["id"])
    for node in new:
        mirror = mirrors[node["id"]]
        mirror.__dict__["training"] = node["training"]
        linked(mirror).synchronize()
        exports.adopt_hooks(node["id"])


def _take(host: Host, root: int, number: int) -> torch.Tensor:
    return tensors.take(host.exports.take(root, number))


def _descendants(id: int, below: dict[int, list[int]]) -> list[int]:
    """The modules below one, each once, depth first."""
    found: dict[int, None] = {}
    stack = below[id][::-1]
    while stack:
        other = stack.pop()
        if other not in found:
            found[other] = None
            stack += below[other][::-1]
    return list(found)


def _paths(description: list[dict[str, Any]]) -> dict[int, str]:
    """Module paths by id: each module under the first path that leads to it, depth first (PyTorch's order)."""
    nodes = {node["id"]: node for node in description}
    paths: dict[int, str] = {}
    stack = [(description[0]["id"], "")]
    while stack:
        id, path = stack.pop()
        if id in paths:
            continue
        paths[id] = path
        stack += [(child, f"{path}.{name}" if path else name) for name, child in reversed(nodes[id]["children"])]
    return paths


@cache
def _class(declared: str) -> type[Mirror]:
    """The class of the mirrors of modules that are described in this way; JSON, since it is looked up."""
    node = json.loads(declared)
    base = Mirror if node["holder"] is None else HOLDERS[node["holder"]]
    added = {"__module__": "bridge.mirror", **members(node, base, Mirror.forward)}
    if node["hidden"]:

        def forward(self: Mirror, *args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(
                f"{node['full']} cannot be called: its forward is private; make it public or internal"
            )

        added["forward"] = forward
    elif not node["callable"]:  # a list or a dictionary: PyTorch says so in its own words (I-16)
        added["forward"] = torch.nn.Module.forward
    return type(node["type"], (base,), added)
