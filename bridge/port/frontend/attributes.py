"""Attributes of the module itself, of other modules, of tensors and of records, and constants in Python modules."""

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
    ConstantOf,
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
#: Settings of PyTorch's layers that TorchSharp's layers have as properties of the same name.
_OF_CONVOLUTIONS: Final[dict[str, Type]] = {
    **dict.fromkeys(("in_channels", "out_channels", "groups"), INT),
    **dict.fromkeys(("kernel_size", "stride", "dilation"), SIZES),
}
_OF_STATISTICS: Final[dict[str, Type]] = {
    **dict.fromkeys(("running_mean", "running_var"), TENSOR),
    **dict.fromkeys(("affine", "track_running_stats"), BOOL),
    "num_features": INT,
    "eps": FLOAT,
}
#: Layers whose weight or statistics are None if an argument of the constructor says so.
_NORMS: Final = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)
_SETTINGS_OF_LAYERS: Final[dict[type[nn.Module], dict[str, Type]]] = {
    nn.Linear: {"in_features": INT, "out_features": INT},
    nn.modules.conv._ConvNd: _OF_CONVOLUTIONS,
    nn.modules.batchnorm._NormBase: _OF_STATISTICS,
    nn.LayerNorm: {"eps": FLOAT, "elementwise_affine": BOOL, "normalized_shape": SIZES},
    nn.GroupNorm: {"num_groups": INT, "eps": FLOAT, "affine": BOOL},
    nn.modules.dropout._DropoutNd: {"p": FLOAT},
    nn.LeakyReLU: {"negative_slope": FLOAT},
}


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
        return none(origin)  # a part that is None in all runs, so that the record's type lacks it
    if isinstance(value.type, (ModuleOf, ModulesOf)):
        return _of_module(context, node, as_observed(context, node.value, value))
    raise Untranslatable(context.origin(node), f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")


def of_self(context: Context, node: ast.AST, name: str) -> Expression:
    """Return an attribute of the module itself: a field (not nullable if that is proven), a setting, a property's value or a method."""
    origin = context.origin(node)
    if name == "training":
        return Training(type=BOOL, origin=origin)
    if name == "__class__" and context.surroundings.constructs and context.surroundings.kind is not None:
        kind = context.surroundings.kind
        return Literal(kind, type=ConstantOf(kind), origin=origin)
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
    """Return an attribute such as ``torch.finfo(dtype).min`` as a literal; None for other attributes.

    Raises Untranslatable unless the dtype is a literal, or was the same in all runs.
    """
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
    """Return an attribute of another module (a child, parameter or setting), typed by the module's class, else by the runs."""
    origin = context.origin(node)
    if node.attr == "training":
        return Training(value, type=BOOL, origin=origin)
    found = observed_type(context, node)
    if isinstance(value.type, ModulesOf):  # a child by its name
        place = literal(_place(context, node, value.type), origin)
        assert place is not None
        return Item(value, place, type=value.type.element if found == UNKNOWN else found, origin=origin)
    kind = value.type.kind if isinstance(value.type, ModuleOf) else nn.Module
    if context.surroundings.constructs:
        return _of_new(context, node, value, kind)
    known = context.surroundings.member(kind, node.attr, origin)
    if known != UNKNOWN:
        found = known
    elif not context.surroundings.is_own(kind) and node.attr in _OF_LAYERS:
        found = OptionalOf(TENSOR) if node.attr == "bias" and found != TENSOR else TENSOR
    if found == UNKNOWN and not context.surroundings.is_own(kind):
        found = _property_of_layer(kind, node.attr)
    if found == TENSOR and context.surroundings.is_translated and _may_lack(kind, node.attr):
        found = OptionalOf(TENSOR)  # other arguments of the constructor may make it None
    if found == UNKNOWN and (setting := _unread(context, node, kind)) is not None:
        return setting
    if found == UNKNOWN:
        context.fail(node, f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")
    if not (found in (INT, FLOAT, BOOL, STR) or isinstance(found, TupleOf)):
        return Property(value, node.attr, type=found, origin=origin)
    return _setting(context, node, value, kind, found)


def _setting(
    context: Context, node: ast.Attribute, value: Expression, kind: type[nn.Module], found: Type
) -> Expression:
    """Return a setting of another module: a property if C# has it, else the literal that it is in all modules of the class."""
    origin = context.origin(node)
    is_own = context.surroundings.is_own(kind)
    if not is_own and (known_type := _property_of_layer(kind, node.attr)) != UNKNOWN:
        return Property(value, node.attr, type=known_type, origin=origin)
    if is_own and context.surroundings.member(kind, node.attr, origin) != UNKNOWN:
        return Property(value, node.attr, type=found, origin=origin)
    values = context.surroundings.settings(kind, node.attr)
    known = literal(values[0], origin) if len(values) == 1 else None
    if known is None and (not is_own or context.surroundings.is_translated):
        context.fail(node, f"the setting {node.attr} of a {value.type}, which C# does not have")
    return known or Property(value, node.attr, type=found, origin=origin)


def _property_of_layer(kind: type[nn.Module], name: str) -> Type:
    """Return the type of a setting that TorchSharp's layer has as a property; UNKNOWN for other attributes."""
    found = (kinds[name] for one, kinds in _SETTINGS_OF_LAYERS.items() if issubclass(kind, one) and name in kinds)
    return next(found, UNKNOWN)


def _may_lack(kind: type[nn.Module], name: str) -> bool:
    """Return whether an argument of the layer's constructor can make the tensor ``name`` of the layer None."""
    of_norms = name in ("weight", "running_mean", "running_var") and issubclass(kind, _NORMS)
    return of_norms or (name == "bias" and nn.Module is not kind and kind.__module__.startswith("torch."))


def _of_new(context: Context, node: ast.Attribute, value: Expression, kind: type[nn.Module]) -> Expression:
    """Return an attribute of another module that a constructor reads; the runs' values are not used, since other arguments change them."""
    origin = context.origin(node)
    if kind is nn.Module or kind is object:
        context.fail(node, f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")
    found = context.surroundings.member(kind, node.attr, origin)
    if found == UNKNOWN and not context.surroundings.is_own(kind):
        found = _property_of_layer(kind, node.attr)
        if found == UNKNOWN and node.attr in _OF_LAYERS:
            found = _OF_LAYERS[node.attr]
        if found == TENSOR and _may_lack(kind, node.attr):
            found = OptionalOf(TENSOR)
    constant = literal(method_of(kind, node.attr), origin) if found == UNKNOWN else None
    if constant is None and found == UNKNOWN:
        context.fail(node, f"the attribute {node.attr} of a {value.type}: '{ast.unparse(node)}'")
    return constant or Property(value, node.attr, type=found, origin=origin)


def _unread(context: Context, node: ast.Attribute, kind: type[nn.Module]) -> Expression | None:
    """Return an attribute that no run read: a literal, if all modules of a class of the model have the same value; else None."""
    values = context.surroundings.settings(kind, node.attr) if context.surroundings.is_own(kind) else []
    only = values[0] if len(values) == 1 else None  # None also stands for a missing attribute
    return None if only is None else literal(only, context.origin(node))


def _place(context: Context, node: ast.Attribute, found: ModulesOf) -> int | str:
    """Return the key of a child: its name; in a Sequential or ModuleList its index, which must be the same in all instances."""
    owners = [one for one in context.observation(node.value).values if isinstance(one, nn.Module)]
    if not issubclass(found.kind, (nn.Sequential, nn.ModuleList)):
        if any(node.attr not in {**one._modules, **one._parameters} for one in owners):
            context.fail(node, f"'{ast.unparse(node)}', which is no child")
        return node.attr
    places = {list(one._modules).index(node.attr) if node.attr in one._modules else -1 for one in owners}
    if len(places) != 1 or places == {-1} or context.surroundings.is_translated:
        context.fail(node, f"the place of {node.attr} in '{ast.unparse(node.value)}'")
    return places.pop()
