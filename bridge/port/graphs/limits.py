"""Parts of a forward that the graph of one run fixes although another call may need others; a graph with such parts is not used."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeGuard

import torch
from torch import nn

from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_foreign, unwrap

#: Functions that test types: in C#, the declared types give their results.
_OF_TYPES: Final = frozenset({"isinstance", "hasattr", "callable", "is_tensor", "is_floating_point"})
_SIZES: Final = frozenset({"shape", "size", "dim", "ndim", "numel", "dtype", "device"})
_NUMBERS: Final = frozenset({"int", "float", "round", "max", "min", "ceil", "floor", "sqrt", "log", "log2"})


def find_limits(
    forward: Method,
    methods: Mapping[types.FunctionType, Method],
    kind: type[nn.Module],
    escapes: Iterable[str] = (),
) -> Iterator[tuple[ast.AST | None, str]]:
    """Yield a node (None for an argument or a place in another function) and a sentence for each value or branch that would be fixed.

    These are arguments that are no tensors, assignments to ``self``, the mode outside of dropout, and tests that depend on arguments;
    and the ``escapes`` of sizes, by place.
    """
    for name, value in sorted(_given(forward).items()):
        if not _is_of_tensors(value):
            yield None, f"it would fix {name}, a {type(value).__name__} that is given"
    for method in _called(forward, methods, kind):
        yield from ((node, why) for node, why in _in_method(method, method is forward))
    for place in dict.fromkeys(escapes):
        yield None, f"it would fix a number computed from sizes, at {place}"


def _given(method: Method) -> dict[str, Any]:
    """Return one given value for each argument, if possible a value that is not made of tensors."""
    found: dict[str, Any] = {}
    for call in method.given:
        for name, value in call.items():
            if name not in found or not _is_of_tensors(value):
                found[name] = value
    return found


def _is_of_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return all(map(_is_of_tensors, value))
    if isinstance(value, Mapping):
        return all(map(_is_of_tensors, value.values()))
    return value is None or isinstance(value, torch.Tensor)


def _called(forward: Method, methods: Mapping[types.FunctionType, Method], kind: type[nn.Module]) -> list[Method]:
    """Return forward, the methods that it names as ``self.name``, and the functions that it names, directly or through one another."""
    found = [forward]
    for method in found:
        for node in ast.walk(method.tree):
            named = unwrap(_named(node, kind, method.function.__globals__))
            other = methods.get(named) if isinstance(named, types.FunctionType) else None
            if other is not None and other not in found and not is_foreign(other.function):
                found.append(other)
    return found


def _named(node: ast.AST, kind: type[nn.Module], space: Mapping[str, Any]) -> Any:
    """Return the value of ``self.method``, ``function`` or ``module.function``; None for another node."""
    if _is_of_self(node) and isinstance(node, ast.Attribute):
        named = getattr(kind, node.attr, None)
        return named.fget if isinstance(named, property) else named
    if isinstance(node, ast.Name):
        return space.get(node.id)
    owner = space.get(node.value.id) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) else None
    return (
        getattr(owner, node.attr, None)
        if isinstance(owner, types.ModuleType) and isinstance(node, ast.Attribute)
        else None
    )


def _in_method(method: Method, is_forward: bool) -> Iterator[tuple[ast.AST, str]]:
    varying = _varying(method, is_forward)
    followed = _modes_of_dropout(method)
    for node in ast.walk(method.tree):
        if _is_of_self(node) and isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                yield node, f"it would not assign self.{node.attr}"
            elif node.attr == "training" and node not in followed:
                yield node, "it would fix the mode"
        if _is_mixed(node, method) and _varies(node.right, varying):
            yield node, f"it would fix '{ast.unparse(node)}'"
        for test in _tests(node):
            if _varies(test, varying):
                yield test, f"it would fix '{ast.unparse(test)}'"


def _is_mixed(node: ast.AST, method: Method) -> TypeGuard[ast.BinOp]:
    """Return whether a node computes with a float at the left of an int: Python gives a plain float, also for a size that is followed."""
    return (
        isinstance(node, ast.BinOp) and _types(node.left, method) == {"float"} and "int" in _types(node.right, method)
    )


def _types(node: ast.expr, method: Method) -> set[str]:
    """Return the types that were observed for an expression."""
    if isinstance(node, ast.Constant):
        return {type(node.value).__name__}
    seen = method.seen.get(node)
    return set() if seen is None else set(seen.types)


def _modes_of_dropout(method: Method) -> set[ast.expr]:
    """Return the arguments of calls of dropout, in which a graph follows the mode (``self.training``)."""
    calls = [node for node in ast.walk(method.tree) if isinstance(node, ast.Call)]
    dropouts = [node for node in calls if ast.unparse(node.func).rpartition(".")[2] == "dropout"]
    return {one for node in dropouts for one in (*node.args, *(keyword.value for keyword in node.keywords))}


def _is_of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _tests(node: ast.AST) -> Iterable[ast.expr]:
    """Return the expressions of a node that decide which code runs, or how often, or whose result is a number or bool, not a tensor."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        return (node.test,)
    if isinstance(node, (ast.For, ast.comprehension)):
        return (node.iter, *getattr(node, "ifs", ()))
    if isinstance(node, ast.Match):
        return (node.subject,)
    if isinstance(node, ast.Compare) and not _is_of_types(node) and _is_of_numbers(node):
        return (node,)
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("math."):
        name = ast.unparse(node.func).removeprefix("math.")
    return (node,) if name in _NUMBERS and isinstance(node, ast.Call) else ()


def _is_of_numbers(node: ast.Compare) -> bool:
    """Return whether a comparison gives no tensor, since it compares identities or sizes."""
    attributes = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return bool(attributes & _SIZES) or any(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops)


def _varies(test: ast.expr, varying: set[str]) -> bool:
    """Return whether a test, or a part of it, depends on the values of ``varying`` variables, and not only on their types."""
    if isinstance(test, ast.BoolOp):
        return any(_varies(one, varying) for one in test.values)
    if isinstance(test, ast.UnaryOp):
        return _varies(test.operand, varying)
    return not _is_of_types(test) and bool(_names(test) & varying)


def _is_of_types(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return all(isinstance(one, (ast.Is, ast.IsNot)) for one in test.ops) and any(
            isinstance(one, ast.Constant) for one in test.comparators
        )
    name = ast.unparse(test.func).rpartition(".")[2] if isinstance(test, ast.Call) else ""
    return name in _OF_TYPES


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _varying(method: Method, is_forward: bool) -> set[str]:
    """Return the variables that depend on arguments, without modules and, outside of forward, numbers and strings that never differed."""
    values: dict[str, list[Any]] = {}
    for call in method.given:
        for name, value in call.items():
            values.setdefault(name, []).append(value)
    found = {
        name
        for name, several in values.items()
        if is_forward or not all(isinstance(one, (int, float, str, bool)) and one == several[0] for one in several)
    }
    found = {name for name in found if not all(isinstance(one, nn.Module) for one in values[name])}
    while True:
        more = {name for names, value in _assigned(method.tree) if _names(value) & found for name in names} - found
        if not more:
            return found
        found |= more


def _assigned(tree: ast.AST) -> Iterator[tuple[set[str], ast.AST]]:
    """Yield the names of each target, with the value that is assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield _stored(target), node.value
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield _stored(node.target), node.value
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield _stored(node.target), node.iter


def _stored(target: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
