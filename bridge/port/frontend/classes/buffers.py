"""The part of a class's constructor that computes tensors outside of the ``state_dict``: non-persistent buffers and plain tensors."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import nn

from bridge.port.observe.models.construction import Given
from bridge.port.observe.observations import Method
from bridge.port.observe.runs import observe_function as watch_function
from bridge.port.observe.sources import build_function as tree_of
from bridge.port.observe.sources import read_method as method_of


@dataclass(frozen=True, slots=True)
class Computed:
    """The statements that compute some buffers, as a method that returns these buffers.

    ``registered`` maps the name of each buffer to its expression, ``before`` to the number of statements before it.
    ``watched`` holds the method and the functions that it calls, with observations.
    """

    method: Method
    registered: Mapping[str, ast.expr]
    before: Mapping[str, int]
    watched: dict[types.FunctionType, Method]


def computed(
    kind: type[nn.Module],
    names: Sequence[str],
    instances: Sequence[nn.Module],
    given: Given,
    replaced: Collection[str] = (),
) -> list[Computed]:
    """Return the parts of ``kind``'s constructor, or of methods that it calls, that compute these buffers with the same values again.

    Those that methods ``replaced`` may be drawn at random: an instance begins with any numbers, and goes on with what it computed.
    """
    found: list[Computed] = []
    for method in _run_when_made(kind) if names else ():
        done = {name for one in found for name in one.registered}
        wanted = [name for name in names if name not in done]
        while wanted and (made := _of_method(method, wanted, instances, given)) is not None:
            right = [name for name in made.registered if name in _same_values(made, instances, given, replaced)]
            if len(right) == len(made.registered):
                found.append(made)
                break
            wanted = right
    return found


def _run_when_made(kind: type[nn.Module]) -> list[Method]:
    """Return the constructor, and the methods that it calls without arguments, directly or through one another."""
    init = method_of(kind.__init__)
    found = [init] if init is not None else []
    for method in found:
        for node in ast.walk(method.tree):
            callee = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else None
            if isinstance(callee, ast.Attribute) and ast.unparse(callee.value) == "self":
                made = method_of(getattr(kind, callee.attr, None))
                if made is not None and all(one.function is not made.function for one in found):
                    found.append(made)
    return [one for one in found if one.function.__code__.co_freevars in ((), ("__class__",))]


#: Methods of lists, dictionaries and sets that change these.
_CHANGING: Final = frozenset({"append", "extend", "insert", "update", "setdefault", "add", "sort", "reverse"})
_BUFFERS: Final = ("nn.Buffer", "torch.nn.Buffer", "Buffer")


def _set_by(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Return the name of the buffer that a statement makes or fills, and the expression of its value; None for another statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "self.register_buffer" and len(call.args) > 1:
        return (str(call.args[0].value), call.args[1]) if isinstance(call.args[0], ast.Constant) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "copy_":
        target, value = call.func.value, call.args[0]
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) in _BUFFERS and value.args:
            value = value.args[0]
    else:
        return None
    own = isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
    return (target.attr, value) if own and isinstance(target, ast.Attribute) else None


def _of_method(init: Method, names: Sequence[str], instances: Sequence[nn.Module], given: Given) -> Computed | None:
    """Return the statements of a method that compute some of these buffers; None if it sets none, or if they read an unknown argument."""
    registered: dict[str, ast.expr] = {}
    places: dict[str, int] = {}
    statements = _reached(init.tree.body, instances)
    placeless = _Placeless(names, instances, init.function.__globals__)
    for place, statement in enumerate(statements):
        made = _set_by(copy.deepcopy(statement))
        if made is not None and made[0] in names and not ast.unparse(made[1]).startswith("torch.empty"):
            registered[made[0]], places[made[0]] = placeless.visit(made[1]), place
    if not registered:
        return None
    leading = _leading_to(statements[: max(places.values())], registered.values())
    body = [(place, placeless.visit(copy.deepcopy(one))) for place, one in leading]
    before = {name: sum(place < places[name] for place, _ in body) for name in registered}
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
    tree = tree_of("buffers", ["self", *taken], [*(one for _, one in body), result])
    method = _made(init, ast.fix_missing_locations(tree))
    return Computed(method, registered, before, {})


def _reached(statements: Sequence[ast.stmt], instances: Sequence[nn.Module]) -> list[ast.stmt]:
    """Return the statements with each ``if`` by an attribute of ``self`` replaced by the branch that all instances take."""
    made: list[ast.stmt] = []
    for one in statements:
        taken = {_holds(one.test, module) for module in instances} if isinstance(one, ast.If) else {None}
        if not isinstance(one, ast.If) or len(taken) > 1 or None in taken:
            made.append(one)
        else:
            made += _reached(one.body if True in taken else one.orelse, instances)
    return made


def _holds(test: ast.expr, module: nn.Module) -> bool | None:
    """Return the truth of ``self.flag``, ``not self.flag``, or ``self.name is not None`` for a module; None for another test."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        held = _holds(test.operand, module)
        return None if held is None else not held
    compared = isinstance(test, ast.Compare) and ast.unparse(test).endswith((" is None", " is not None"))
    place = test.left if isinstance(test, ast.Compare) and compared else test
    if not isinstance(place, ast.Attribute) or ast.unparse(place.value) != "self" or place.attr == "training":
        return None
    if place.attr not in _names([module]):
        return None
    value = getattr(module, place.attr)
    if isinstance(test, ast.Compare):
        return (value is None) == isinstance(test.ops[0], ast.Is)
    return value if isinstance(value, bool) else None


def _names(instances: Sequence[nn.Module]) -> list[str]:
    first = instances[0]
    return [*first._parameters, *first._buffers, *first._modules, *vars(first)]


def _same_values(made: Computed, instances: Sequence[nn.Module], given: Given, replaced: Collection[str]) -> set[str]:
    """Return the names of the buffers for which each instance gets the same values again, and store observations of the run in ``made``.

    Those ``replaced`` later may also be random: of the same shape, and with other values in each of two runs.
    """
    values: list[Any] = []
    taken = [one.arg for one in made.method.tree.args.args[1:]]

    def run() -> None:
        for one in instances:
            values.append(made.method.function(one, **{name: given[one][name] for name in taken}))

    with suppress(Exception):  # statements of the user's constructor, run alone, may raise anything
        with torch.no_grad(), torch.random.fork_rng(devices=()):
            made.watched.update(watch_function(made.method, run))
            first = values[-len(instances) :]
            run()
            second = values[-len(instances) :]
        return {
            name
            for place, name in enumerate(made.registered)
            if all(
                _equal(tensors[place], getattr(one, name))
                or (name in replaced and _is_drawn(tensors[place], again[place], getattr(one, name)))
                for one, tensors, again in zip(instances, first, second, strict=True)
            )
        }
    return set()


def _is_drawn(first: Any, second: Any, held: Any) -> bool:
    """Return whether two runs gave tensors with other values, of the shape and dtype of the tensor ``held``."""
    drawn = (first, second, held)
    alike = all(isinstance(one, torch.Tensor) and (one.shape, one.dtype) == (held.shape, held.dtype) for one in drawn)
    return alike and not torch.equal(first, second)


def _equal(made: Any, buffer: torch.Tensor | None) -> bool:
    return (made is None and buffer is None) or (
        isinstance(made, torch.Tensor)
        and buffer is not None
        and made.dtype == buffer.dtype
        and torch.equal(made, buffer)
    )


class _Placeless(ast.NodeTransformer):
    """A transformer that replaces ``self.buffer.device`` by None and ``self.buffer.dtype`` by its dtype: the buffer is not made yet."""

    def __init__(self, names: Sequence[str], instances: Sequence[nn.Module], space: Mapping[str, Any]) -> None:
        self._asked: dict[str, ast.expr] = {f"self.{name}.device": ast.Constant(None) for name in names}
        word = next((word for word, value in space.items() if value is torch), "")
        for name in names if word else ():
            kinds = {getattr(getattr(one, name, None), "dtype", None) for one in instances}
            if len(kinds) == 1 and None not in kinds:
                kind = str(kinds.pop()).rpartition(".")[2]
                self._asked[f"self.{name}.dtype"] = ast.Attribute(ast.Name(word, ast.Load()), kind, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = self._asked.get(ast.unparse(node))
        return self.generic_visit(node) if found is None else ast.copy_location(copy.deepcopy(found), node)


def _leading_to(statements: Sequence[ast.stmt], expressions: Any) -> list[tuple[int, ast.stmt]]:
    """Return the statements that set variables that the expressions need, each with its index."""
    needed = {node.id for one in expressions for node in ast.walk(one) if isinstance(node, ast.Name)}
    found: list[tuple[int, ast.stmt]] = []
    for place, statement in reversed(list(enumerate(statements))):
        nodes = list(ast.walk(statement))
        stored = set(filter(None, map(_changed, nodes)))
        if stored & needed:
            needed |= {node.id for node in nodes if isinstance(node, ast.Name)}
            found.insert(0, (place, statement))
    return found


def _changed(node: ast.AST) -> str:
    """Return the name of the variable that a node sets, or whose value it changes; an empty string for another node."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return node.value.id if isinstance(node.value, ast.Name) else ""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        changes = function.attr in _CHANGING or (function.attr.endswith("_") and not function.attr.startswith("_"))
        return function.value.id if changes else ""
    return ""


def _made(init: Method, tree: ast.FunctionDef) -> Method:
    module = ast.fix_missing_locations(ast.Module([tree], []))
    space: dict[str, Any] = {}
    exec(compile(module, init.file, "exec"), init.function.__globals__, space)  # a part of the model's own source
    return Method(space["buffers"], tree, init.file, init.line, {}, original=init.function)
