"""Calls of PyTorch's functions and of tensors' methods: arguments by PyTorch's names, and the type of the result."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import torch
from torch import _jit_internal, nn

from bridge.port.frontend.calls.arguments import named as named_arguments
from bridge.port.frontend.calls.libraries.torch_schemas import Signature, bind, fits, is_flag, result_of, signatures
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.values import as_sizes, is_free, is_read, there
from bridge.port.ir.nodes import (
    Argument,
    Expression,
    Item,
    ListLiteral,
    Literal,
    Property,
    Spread,
    TorchCall,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, SIZES, TENSOR, UNKNOWN, ListOf, TupleOf, Type, join

#: Functions and methods that take sizes, in a tuple or one by one.
_OF_SIZES: Final = frozenset(
    {
        "view",
        "reshape",
        "expand",
        "repeat",
        "zeros",
        "ones",
        "empty",
        "rand",
        "randn",
        "as_strided",
        "new_zeros",
        "new_ones",
        "new_empty",
    }
)
#: Functions that ask whether the model is being compiled or exported.
TRACING: Final = frozenset(
    {
        "is_scripting",
        "is_tracing",
        "is_compiling",
        "is_dynamo_compiling",
        "is_exporting",
        "is_in_onnx_export",
        "is_fx_tracing",
        "is_torchdynamo_compiling",
        "is_torchdynamo_exporting",
        "is_torch_fx_proxy",
        "is_fake_tensor",
        "is_jit_tracing",
        "has_torch_function",
        "has_torch_function_unary",
        "has_torch_function_variadic",
    }
)


def lower(context: Context, node: ast.Call, callee: Any) -> Expression:
    """Lower a call of a function of PyTorch's."""
    name = str(getattr(callee, "__name__", ""))
    origin = context.origin(node)
    if name in TRACING:
        return Literal(False, type=BOOL, origin=origin)
    if callee is torch.is_tensor:
        return _is_tensor(context, node)
    places, named = arguments_of(context, node)
    if callee is torch.autograd.Variable and len(places) == 1 and isinstance(places[0], Expression):
        return places[0]
    if getattr(callee, "__module__", "") == nn.init.__name__ and places and isinstance(places[0], Expression):
        places[0] = there(places[0])  # a parameter such as a bias, which Python requires not to be None
    receiver = None
    if _is_method(callee) and places and isinstance(places[0], Expression):  # torch.Tensor.view(x, -1)
        receiver = there(places[0])
        places = places[1:]
    return _called(context, node, callee, receiver, places, named)


def lower_method(context: Context, node: ast.Call, receiver: Expression, name: str) -> Expression:
    """Lower a call of a tensor's method."""
    origin = context.origin(node)
    callee = getattr(torch.Tensor, name, None)
    if callee is None:
        context.fail(node, f"a tensor has no {name}: '{ast.unparse(node)}'")
    places, named = arguments_of(context, node)
    if name == "size":
        sizes = Property(receiver, "shape", type=SIZES, origin=origin)
        index = next(iter([*places, *named.values()]), None)
        return Item(sizes, index, type=INT, origin=origin) if isinstance(index, Expression) else sizes
    called = _called(context, node, callee, receiver, places, named)
    return replace(called, type=INT) if name == "stride" and (places or named) else called


def _is_method(callee: Any) -> bool:
    return getattr(torch.Tensor, getattr(callee, "__name__", ""), None) is callee


def _is_tensor(context: Context, node: ast.Call) -> Expression:
    value = context.expression(node.args[0])
    if not is_free(value) or value.type == UNKNOWN or TENSOR in (getattr(value.type, "inner", None),):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return Literal(value.type == TENSOR, type=BOOL, origin=context.origin(node))


def arguments_of(context: Context, node: ast.Call) -> tuple[list[Expression | Spread], dict[str, Expression]]:
    """Lower the arguments of a call of PyTorch's, in order; the items of a spread tuple become arguments of their own."""
    places: list[Expression | Spread] = []
    for one in node.args:
        if not isinstance(one, ast.Starred):
            places.append(context.expression(one))
            continue
        value = there(context.expression(one.value))
        if isinstance(value, TupleLiteral) and isinstance(value.type, TupleOf):
            places += value.items
        elif isinstance(value.type, TupleOf) and is_read(value):
            items = enumerate(value.type.items)
            places += [TupleItem(value, at, type=kind, origin=value.origin) for at, kind in items]
        else:
            places.append(Spread(value, origin=context.origin(one)))
    return places, dict(named_arguments(context, node))


def _called(
    context: Context,
    node: ast.Call,
    callee: Any,
    receiver: Expression | None,
    places: Sequence[Expression | Spread],
    named: Mapping[str, Expression],
) -> Expression:
    if getattr(callee, "__name__", "") in _OF_SIZES:
        places = [one if isinstance(one, Spread) else _with_sizes(one) for one in _counted(places)]
        named = {name: _with_sizes(one) for name, one in named.items()}
    signature, given = _bound(context, node, callee, receiver is not None, places, named)
    types = {
        "item": lambda: _type_of_item(context, node),
        "tolist": lambda: _type_of_list(context, node),
    }
    name = str(getattr(callee, "__name__", ""))
    found = (
        types[name]()
        if name in types and receiver is not None
        else _type_of_result(context, node, callee, signature, given)
    )
    spread = {one.name for one in signature.parameters if one.spread}
    order = list(given)[: len(given) - len(named)]
    arguments = tuple(
        Argument(one, value if one in spread else as_sizes(value), one in order, origin=value.origin)
        for one, value in given.items()
    )
    return TorchCall(
        callee, receiver, arguments, signature.names, _rank(context, node), type=found, origin=context.origin(node)
    )


def _counted(items: Sequence[Expression | Spread]) -> list[Expression | Spread]:
    """Return sizes of which some, but not all, are tensors of one int, with the ints of these tensors."""
    kinds = {one.type for one in items if isinstance(one, Expression)}
    if kinds != {INT, TENSOR} or any(isinstance(one, Spread) for one in items):
        return list(items)
    return [_as_size(one) if isinstance(one, Expression) and one.type == TENSOR else one for one in items]


def _as_size(value: Expression) -> Expression:
    return TorchCall(torch.Tensor.item, value, (), (), 0, type=INT, origin=value.origin)


def _with_sizes(value: Expression) -> Expression:
    """Return a tuple or list of sizes with the ints of those that are tensors; any other value as it is."""
    if isinstance(value.type, TupleOf) and set(value.type.items) == {INT, TENSOR} and is_read(value):
        parts = enumerate(value.type.items)
        each = tuple(TupleItem(value, at, type=kind, origin=value.origin) for at, kind in parts)
        value = TupleLiteral(each, type=value.type, origin=value.origin)
    if not isinstance(value, (TupleLiteral, ListLiteral)):
        return value
    items = tuple(_counted(value.items))
    return value if items == value.items else TupleLiteral(items, type=SIZES, origin=value.origin)


def _bound(
    context: Context,
    node: ast.Call,
    callee: Any,
    method: bool,
    places: Sequence[Expression | Spread],
    named: Mapping[str, Expression],
) -> tuple[Signature, dict[str, Expression]]:
    """Return the first signature that fits the arguments' types, else the first that fits their number, with the arguments by name."""
    found = signatures(callee, method)
    candidates = [(one, given) for one in found if (given := bind(one, places, named)) is not None]
    fitting = [(one, given) for one, given in candidates if fits(one, given)]
    if fitting or candidates:
        return (fitting or candidates)[0]
    if any(isinstance(one, Spread) for one in places):
        context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
    if found and len(found[0].parameters) > 1:
        context.fail(
            node, f"PyTorch's {getattr(callee, '__name__', callee)} with these arguments: '{ast.unparse(node)}'"
        )
    by_place = {f"argument{number}": one for number, one in enumerate(places) if not isinstance(one, Spread)}
    return Signature((), result_of(callee)), {**by_place, **named}


def _type_of_result(
    context: Context, node: ast.Call, callee: Any, signature: Signature, given: Mapping[str, Expression]
) -> Type:
    """Return the type of a call's result: from the signature, else from the runs."""
    dispatched = callee in _jit_internal.boolean_dispatched if isinstance(callee, type(lower)) else False
    pair = dispatched and is_flag(given.get("return_indices"))
    if pair:
        return TupleOf((TENSOR, TENSOR))
    flags = ("return_inverse", "return_counts", "return_complex")
    if any(is_flag(given.get(one)) for one in flags[:2]):
        count = 1 + sum(is_flag(given.get(one)) for one in flags[:2])
        return TupleOf((TENSOR,) * count)
    found = signature.result
    if found in (UNKNOWN, NONE):
        seen = observed_type(context, node)
        found = found if seen == UNKNOWN else seen
    if found == UNKNOWN:
        found = result_of(callee)
    if found == UNKNOWN:
        shown = ", ".join(sorted(context.observation(node).types))
        call = f"'{ast.unparse(node)}'"
        context.fail(
            node, f"{call} gives a value of type {shown}" if shown else f"what {call} gives, which no run showed"
        )
    return found


def _rank(context: Context, node: ast.Call) -> int:
    """Return the number of dimensions of the first tensor of the call in the runs, or -1 if it is not known."""
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    for one in (*owner, *node.args):
        seen = context.observation(one)
        if "Tensor" in seen.types:
            return len(seen.shape) if seen.types == {"Tensor"} and isinstance(seen.sample, torch.Tensor) else -1
    return -1


def _type_of_item(context: Context, node: ast.Call) -> Type:
    """Return the type of ``x.item()``: the type that it had in the runs, else that of the tensor's dtype."""
    seen = observed_type(context, node)
    if seen in (INT, FLOAT, BOOL):
        return seen
    assert isinstance(node.func, ast.Attribute)
    sample = context.observation(node.func.value).sample
    if not isinstance(sample, torch.Tensor):
        context.fail(node, f"'{ast.unparse(node)}' is an int or a float, which no run showed")
    return FLOAT if sample.is_floating_point() else BOOL if sample.dtype == torch.bool else INT


def _type_of_list(context: Context, node: ast.Call) -> Type:
    """Return the type of ``x.tolist()``: nested lists, one level for each dimension of the tensor."""
    seen = observed_type(context, node)
    if join([seen, UNKNOWN]) != UNKNOWN and seen != ListOf(UNKNOWN):
        return seen
    assert isinstance(node.func, ast.Attribute)
    known = context.observation(node.func.value)
    if not isinstance(known.sample, torch.Tensor):
        context.fail(node, f"'{ast.unparse(node)}', which no run showed")
    found: Type = FLOAT if known.sample.is_floating_point() else BOOL if known.sample.dtype == torch.bool else INT
    for _ in known.shape:
        found = ListOf(found)
    return found
