"""Return an alias instead of the input itself: TorchSharp's Sequential disposes a child's input once the child has returned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Final

import torch

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Expression, Statement
from bridge.port.ir.types import TENSOR, ModuleOf

#: PyTorch's methods that may return the tensor itself.
_ITSELF: Final = frozenset({"to", "type", "type_as", "contiguous", "requires_grad_"})


def alias_inputs(function: nodes.Function) -> nodes.Function:
    """Return the forward of a child of a Sequential, which now returns an alias wherever it may return its input."""
    names = frozenset(one.name for one in function.parameters if one.type == TENSOR)
    body, _ = _block(function.body, names)
    return replace(function, body=body) if body != function.body else function


def _block(body: Iterable[Statement], names: frozenset[str]) -> tuple[tuple[Statement, ...], frozenset[str]]:
    """Return the statements, and the variables that may be the input after them; ``names`` are the variables that may be before them."""
    made = []
    for statement in body:
        changed, names = _statement(statement, names)
        made.append(changed)
    return tuple(made), names


def _statement(statement: Statement, names: frozenset[str]) -> tuple[Statement, frozenset[str]]:
    if isinstance(statement, nodes.Return):
        value = statement.value
        return (replace(statement, value=_alias(value)) if value and _may_be(value, names) else statement), names
    if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.LocalTarget):
        name = frozenset({statement.target.name})
        return statement, names | name if _may_be(statement.value, names) else names - name
    if isinstance(statement, nodes.NestedFunction):
        return statement, names
    blocks = {one.name: getattr(statement, one.name) for one in fields(statement) if one.name in ("body", "other")}
    if not blocks:
        return statement, names
    if not isinstance(statement, nodes.If):  # a loop: the end of an iteration leads to the start of the next
        names = names.union(*(_block(one, names)[1] for one in blocks.values()))
    done = {name: _block(block, names) for name, block in blocks.items()}
    after = frozenset[str]().union(*(found for _, found in done.values()))
    changed: dict[str, Any] = {name: block for name, (block, _) in done.items() if block != blocks[name]}
    return replace(statement, **changed) if changed else statement, after


def _may_be(value: Expression, names: frozenset[str]) -> bool:
    """Return whether a value may be the input itself; ``names`` are the variables that may be the input."""
    if isinstance(value, nodes.Local):
        return value.name in names
    if isinstance(value, nodes.Conditional):
        return _may_be(value.body, names) or _may_be(value.other, names)
    if isinstance(value, (nodes.Convert, nodes.Bind)):
        return _may_be(value.value, names)
    if isinstance(value, nodes.Logical):
        return any(_may_be(one, names) for one in value.values)
    given = getattr(value, "arguments", ())
    if isinstance(value, nodes.TorchCall):
        first = value.receiver or (given[0].value if given else None)
        return first is not None and _is_in_place(value) and _may_be(first, names)
    of_pytorch = isinstance(value, nodes.ModuleCall) and (
        not isinstance(value.module.type, ModuleOf) or value.module.type.kind.__module__.startswith("torch.nn.")
    )
    called = isinstance(value, (nodes.ModuleCall, nodes.MethodCall, nodes.FunctionCall)) and not of_pytorch
    return called and any(_may_be(one.value, names) for one in given)


def _is_in_place(call: nodes.TorchCall) -> bool:
    """Return whether a call may return the tensor that it is given."""
    name = str(getattr(call.function, "__name__", ""))
    inplace = next((one.value for one in call.arguments if one.name == "inplace"), None)
    if inplace is not None:
        return not isinstance(inplace, nodes.Literal) or bool(inplace.value)
    return name in _ITSELF or (name.endswith("_") and not name.endswith("__"))


def _alias(value: Expression) -> Expression:
    return nodes.TorchCall(torch.ops.aten.alias, value, (), type=TENSOR, origin=value.origin)
