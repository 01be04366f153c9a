"""Attributes: of the module itself, of tensors, records and other modules, and constants of modules of Python."""

from __future__ import annotations

import ast
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls import functions_as_values
from bridge.port.frontend.calls.callees import NOTHING, is_torch, method_of, named
from bridge.port.frontend.classes import settings
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import as_observed, observed_type
from bridge.port.frontend.values import is_read, literal, none, there
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Convert, Expression, Item, Literal, Property, Training, TupleItem, TupleLiteral
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    PACKED,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
)

_PROPERTIES: Final[dict[Type, dict[str, Type]]] = {
    TENSOR: {
        "shape": SIZES,
        "dtype": DTYPE,
        "device": DEVICE,
        "ndim": INT,
        "T": TENSOR,
        "mT": TENSOR,
        "H": TENSOR,
        "mH": TENSOR,
        "data": TENSOR,
        "real": TENSOR,
        "imag": TENSOR,
        "grad": OptionalOf(TENSOR),
        "requires_grad": BOOL,
        "is_cuda": BOOL,
        "is_leaf": BOOL,
        "is_sparse": BOOL,
        "itemsize": INT,
    },
    DTYPE: {"is_floating_point": BOOL, "is_complex": BOOL, "itemsize": INT},
    DEVICE: {"type": STR, "index": OptionalOf(INT)},
    PACKED: {
        "data": TENSOR,
        "batch_sizes": TENSOR,
        "sorted_indices": OptionalOf(TENSOR),
        "unsorted_indices": OptionalOf(TENSOR),
    },
}
#: Parameters and buffers that PyTorch's layers have, or may have.
_OF_LAYERS: Final[dict[str, Type]] = {"weight": TENSOR, "bias": OptionalOf(TENSOR)}
#: How many modules an observation keeps; of more, not all are known.
_KEPT: Final = 4


def lower(context: Context, node: ast.Attribute) -> Expression:
    """Lower ``value.name``."""
    if isinstance(node.value, ast.Name) and node.value.id == context.receiver != "":
        return of_self(context, node, node.attr)
    if (limit := _limit(context, node)) is not None:
        return limit
    if (setting := settings.lower(context, node)) is not None:
        return setting
    origin = context.origin(node)
    if (found := named(context, node)) is not NOTHING:
        return literal(found, origin, "") or functions_as_values.lower(context, node, found)
    value = there(context.expression(node.value))
    if (known := _PROPERTIES.get(value.type, {}).get(node.attr)) is not None:
        return Property(value, node.attr, type=known, origin=origin)
    if isinstance(value.type, TupleOf) and node.attr in value.type.names:
        place = value.type.names.index(node.attr)
        if isinstance(value, TupleLiteral) and len(value.items) == 1 and isinstance(value.items[0], Expression):
            return value.items[0]
        return TupleItem(value, place, type=value.type.items[place], origin=origin)
    if (
        isinstance(value.type, TupleOf)
        and value.type.names
        and context.observation(node).types == {"NoneType"}
        and is_read(value)
    ):
        return none(origin)  # a part that is None wherever the record is made
    if isinstance(value.type, (ModuleOf, ModulesOf)):
        return _of_module(context, node, as_observed(context, node.value, value))
    raise Untranslatable(context.origin(node), f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")


def of_self(context: Context, node: ast.AST, name: str) -> Expression:
    """Return an attribute of the module itself: a field with what is proven of it, a setting, a property's value or a method."""
    origin = context.origin(node)
    if name == "training":
        return Training(type=BOOL, origin=origin)
    found = method_of(context.surroundings.kind, name)
    if isinstance(found, property):
        return functions_as_values.call_property(context, node, found)
    hides = callable(found) or isinstance(found, (staticmethod, classmethod))
    if hides and not is_torch(found):
        return functions_as_values.lower_method(context, node, name)
    value = context.surroundings.field(name, origin)  # an attribute may have the name of a method of PyTorch's
    if isinstance(value.type, OptionalOf) and context.scope.is_proven(f"self.{name}"):
        return Convert(value, proven=True, type=value.type.inner, origin=origin)
    return value


def _limit(context: Context, node: ast.Attribute) -> Expression | None:
    """Return ``torch.finfo(dtype).min`` and its like as a literal: by the dtype that is written, else by that of the runs."""
    call = node.value
    if not isinstance(call, ast.Call) or (kind := named(context, call.func)) not in (torch.finfo, torch.iinfo):
        return None
    given = context.expression(call.args[0]) if call.args else Literal(torch.get_default_dtype(), type=DTYPE)
    dtypes = {given.value} if isinstance(given, Literal) else _dtypes(context, call.args[0])
    if len(dtypes) != 1:
        context.fail(node, f"'{ast.unparse(node)}' of several dtypes, or of one that no run showed")
    limit: Any = getattr(kind(*dtypes), node.attr)
    return literal(limit, context.origin(node)) or context.fail(node, f"'{ast.unparse(node)}'")


def _dtypes(context: Context, node: ast.expr) -> set[torch.dtype]:
    return {one for one in context.observation(node).values if isinstance(one, torch.dtype)}


def _of_module(context: Context, node: ast.Attribute, value: Expression) -> Expression:
    """Return an attribute of another module: a child, a parameter or a setting, by its class or else by what it was."""
    origin = context.origin(node)
    if node.attr == "training":
        return Training(value, type=BOOL, origin=origin)
    found = observed_type(context, node)
    if isinstance(value.type, ModulesOf):  # a child by its name
        place = literal(_place(context, node, value.type), origin)
        assert place is not None
        return Item(value, place, type=value.type.element if found == UNKNOWN else found, origin=origin)
    kind = value.type.kind if isinstance(value.type, ModuleOf) else nn.Module
    known = context.surroundings.member(kind, node.attr, origin)
    if known != UNKNOWN:
        found = known
    elif not context.surroundings.is_own(kind) and node.attr in _OF_LAYERS:
        found = OptionalOf(TENSOR) if node.attr == "bias" and found != TENSOR else TENSOR
    if found == UNKNOWN:
        context.fail(node, f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")
    plain = found in (INT, FLOAT, BOOL, STR) or isinstance(found, TupleOf)
    if plain and len(values := _settings(context, node, kind)) == 1:
        return literal(values.pop(), origin) or Property(value, node.attr, type=found, origin=origin)
    return Property(value, node.attr, type=found, origin=origin)


def _place(context: Context, node: ast.Attribute, found: ModulesOf) -> int | str:
    """Return the key of a child by its name: of a chain or list its place, which is the same in all instances."""
    if not issubclass(found.kind, (nn.Sequential, nn.ModuleList)):
        return node.attr
    owners = [one for one in context.observation(node.value).values if isinstance(one, nn.Module)]
    places = {list(one._modules).index(node.attr) if node.attr in one._modules else -1 for one in owners}
    if len(places) != 1 or places == {-1}:
        context.fail(node, f"the place of {node.attr} in '{ast.unparse(node.value)}'")
    return places.pop()


def _settings(context: Context, node: ast.Attribute, kind: type[nn.Module]) -> set[Any]:
    """Return the values of a setting: of a class of the model, or of instances of a layer of PyTorch's, which does not change its own."""
    if context.surroundings.is_own(kind):
        return context.surroundings.settings(kind, node.attr)
    owners = [one for one in context.observation(node.value).values if isinstance(one, nn.Module)]
    foreign = 0 < len(owners) < _KEPT and not any(context.surroundings.is_own(type(one)) for one in owners)
    return {getattr(one, node.attr, None) for one in owners} if foreign else set()
