"""Buffers that are not in the ``state_dict``: the part of a class's constructor that computes them."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from bridge.port.making import Given
from bridge.port.watched import Method, method_of, watch_function


@dataclass(frozen=True, slots=True)
class Computed:
    """The statements that lead to some buffers, as a method that gives these; ``registered`` are the buffer's names by the expression that
    each is; ``watched`` is the method and what it calls, with what was seen."""

    method: Method
    registered: Mapping[str, ast.expr]
    before: Mapping[str, int]
    watched: Mapping[types.FunctionType, Method]


def computed(
    kind: type[nn.Module], names: Sequence[str], instances: Sequence[nn.Module], given: Given
) -> Computed | None:
    """How the constructor of ``kind`` computes these buffers; None where that cannot be found, or gives other values."""
    init = method_of(kind.__init__)
    if init is None or init.function.__code__.co_freevars not in ((), ("__class__",)):
        return None
    registered: dict[str, ast.expr] = {}
    places: dict[str, int] = {}
    for place, statement in enumerate(init.tree.body):
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "self.register_buffer" and len(call.args) > 1:
            name = call.args[0]
            if isinstance(name, ast.Constant) and name.value in names:
                registered[str(name.value)], places[str(name.value)] = call.args[1], place
    if registered.keys() != set(names):
        return None
    body = _leading_to(init.tree.body[: max(places.values())], registered.values())
    before = {name: sum(place < places[name] for place, _ in body) for name in names}
    first = [one for one in init.tree.args.args if one.arg == "self"]
    read = {
        node.id
        for one in (*(one for _, one in body), *registered.values())
        for node in ast.walk(one)
        if isinstance(node, ast.Name)
    }
    taken = [one.arg for one in (*init.tree.args.args, *init.tree.args.kwonlyargs) if one.arg in read - {"self"}]
    if not first or not all(name in given.get(one, {}) for one in instances for name in taken):
        return None
    result = ast.Return(ast.Tuple(list(registered.values()), ast.Load()))
    arguments = ast.arguments([], [ast.arg("self"), *map(ast.arg, taken)], None, [], [], None, [])
    tree = ast.FunctionDef("buffers", arguments, [*(one for _, one in body), result], [], None)
    method = _made(init, ast.fix_missing_locations(tree))
    values: list[Any] = []

    def run() -> None:
        values.clear()
        for one in instances:
            values.append(method.function(one, **{name: given[one][name] for name in taken}))

    with suppress(Exception):  # whatever the user's constructor raises outside of its place
        with torch.no_grad(), torch.random.fork_rng(devices=()):
            watched = watch_function(method, run)
        for one, tensors in zip(instances, values, strict=True):
            for word, tensor in zip(registered, tensors, strict=True):
                buffer = one._buffers[word]
                if buffer is None or tensor.dtype != buffer.dtype or not torch.equal(tensor, buffer):
                    return None
        return Computed(method, registered, before, watched)
    return None


def _leading_to(statements: Sequence[ast.stmt], expressions: Any) -> list[tuple[int, ast.stmt]]:
    """Those of the statements that set what the expressions read, with their places."""
    needed = {node.id for one in expressions for node in ast.walk(one) if isinstance(node, ast.Name)}
    found: list[tuple[int, ast.stmt]] = []
    for place, statement in reversed(list(enumerate(statements))):
        nodes = list(ast.walk(statement))
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        stored |= {
            node.value.id
            for node in nodes
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        }
        if stored & needed:
            needed |= {node.id for node in nodes if isinstance(node, ast.Name)}
            found.insert(0, (place, statement))
    return found


def _made(init: Method, tree: ast.FunctionDef) -> Method:
    module = ast.fix_missing_locations(ast.Module([tree], []))
    space: dict[str, Any] = {}
    exec(compile(module, init.file, "exec"), init.function.__globals__, space)  # a part of the model's own source
    return Method(space["buffers"], tree, init.file, init.line, {}, original=init.function)
