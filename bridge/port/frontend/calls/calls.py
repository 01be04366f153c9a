"""Calls: the called function is found without a run wherever its name or its class determines it."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import logging
import os
import types
import typing
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend import attributes
from bridge.port.frontend.calls import (
    built_layers,
    builtins,
    container_calls,
    formats,
    functions_as_values,
    module_calls,
)
from bridge.port.frontend.calls.arguments import Guards, bound, guarded, in_places
from bridge.port.frontend.calls.arguments import named as named_arguments
from bridge.port.frontend.calls.callees import NOTHING, is_torch, method_of, named
from bridge.port.frontend.calls.functions_as_values import itself
from bridge.port.frontend.calls.libraries import einops_calls, numpy_calls, torch_calls
from bridge.port.frontend.classes import entries, settings
from bridge.port.frontend.construction import layers
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import as_observed, as_seen, observed_type
from bridge.port.frontend.values import is_read, literal, none, there
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    BuiltinCall,
    Compare,
    Conditional,
    ContainerCall,
    Expression,
    Function,
    FunctionCall,
    Lambda,
    Literal,
    Local,
    MethodCall,
    ModuleCall,
    Not,
    Self,
    TorchCall,
    TupleLiteral,
    ValueCall,
)
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    FLOAT,
    NONE,
    STR,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    FunctionOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
)
from bridge.port.observe.custom_gradients import differentiable
from bridge.port.observe.sources import is_method, unwrap
from bridge.port.observe.substitutes import substitute

#: Methods of ``nn.Module`` that iterate over parameters, buffers or modules, with the types of their results.
_HELD: Final[dict[str, Type]] = {
    "parameters": IteratorOf(TENSOR),
    "buffers": IteratorOf(TENSOR),
    "named_parameters": IteratorOf(TupleOf((STR, TENSOR))),
    "named_buffers": IteratorOf(TupleOf((STR, TENSOR))),
    "children": IteratorOf(ModuleOf(nn.Module)),
    "modules": IteratorOf(ModuleOf(nn.Module)),
    "named_children": IteratorOf(TupleOf((STR, ModuleOf(nn.Module)))),
}
#: The names of the items of ``itertools.product``.
_ORDER: Final = ("first", "second", "third", "fourth")
#: Methods of ``nn.Module`` that give the children of a dictionary of modules, each with the method of the dictionary that does.
_CHILDREN: Final = {"children": "values", "named_children": "items"}
_WARNINGS: Final = ("warning", "warning_once", "warn", "error")


def lower(context: Context, node: ast.Call) -> Expression:
    """Lower a call; a result that may be of several types is cast to the type that it had in the runs."""
    return as_seen(context, node, _lowered(context, node))


def _lowered(context: Context, node: ast.Call) -> Expression:
    function = node.func
    if (held := entries.lower(context, node)) is not None:
        return held
    if (item := settings.lower_get(context, node)) is not None:
        return item
    if (callee := named(context, function)) is not NOTHING:
        return _of_object(context, node, substitute(callee))
    if (
        isinstance(function, ast.Call)
        and isinstance(kind := named(context, function.func), type)
        and issubclass(kind, nn.Module)
    ):
        return _of_built(context, node, built_layers.lower(context, function, kind))
    if (listed := built_layers.lower_listed(context, node, module_calls.lower)) is not None:
        return listed
    if not isinstance(function, ast.Attribute):
        return _of_value(context, node, context.expression(function))
    if (
        isinstance(function.value, ast.Call)
        and isinstance(function.value.func, ast.Name)
        and function.value.func.id == "super"
    ):
        return _inherited(context, node, function)
    if isinstance(function.value, ast.Name) and function.value.id == context.receiver != "":
        return _own_method(context, node, function)
    return _method(context, node, function, there(context.expression(function.value)))


# -- Methods ---------------------------------------------------------------------------------------------------------------


def _method(context: Context, node: ast.Call, function: ast.Attribute, value: Expression) -> Expression:
    """Lower a call of a method of a value."""
    name = function.attr
    if value.type == TENSOR:
        return torch_calls.lower_method(context, node, value, name)
    if value.type == FLOAT and name == "is_integer":
        return BuiltinCall(name, (value,), type=BOOL, origin=context.origin(node))
    if isinstance(value.type, ModulesOf) and container_calls.is_container(value.type):
        if name in _CHILDREN and value.type.kind is nn.ModuleDict and not _has_repeated(context, function.value):
            return container_calls.lower(context, node, value, _CHILDREN[name])
        if name in ("items", "values", "keys", "children", "named_children"):
            return container_calls.lower(context, node, value, name)
        if name == "forward":
            return _direct(_of_value(context, node, value))
        if context.surroundings.constructs and container_calls.fills(value.type, name):
            return container_calls.lower(context, node, value, name)
        if context.surroundings.constructs and name in _HELD:
            return _held(context, node, value, name)
    elif name == "format" and isinstance(value, Literal) and isinstance(value.value, str):
        return formats.lower_method(context, node, value.value)
    elif container_calls.is_container(value.type):
        return container_calls.lower(context, node, value, name)
    elif (known := settings.lower_call(context, node, value.type)) is not None:
        return known
    value = as_observed(context, function.value, value)
    if isinstance(value.type, ModuleOf):
        return _of_other_module(context, node, function, value)
    if isinstance(value.type, ModulesOf):
        return _of_value(context, node, context.expression(function))
    raise Untranslatable(context.origin(node), f"a call of {name} of a {value.type}: '{ast.unparse(node)}'")


def _has_repeated(context: Context, node: ast.expr) -> bool:
    """Return whether a module in the runs has a child twice, which ``children`` gives once, or None in the place of a child."""
    owners = [one for one in context.observation(node).values if isinstance(one, nn.Module)]
    return any(None in one._modules.values() or len(set(one._modules.values())) < len(one._modules) for one in owners)


def _own_method(context: Context, node: ast.Call, function: ast.Attribute) -> Expression:
    """Lower ``self.name(…)``: a call of a method of the class, or of an attribute that is a child or a function."""
    found = method_of(context.surroundings.kind, function.attr)
    if isinstance(found, staticmethod):
        return _of_object(context, node, found.__func__)
    of_class = found.__func__ if isinstance(found, classmethod) else None
    if isinstance(of_class, types.FunctionType) and _ignores_class(context, of_class):
        return _called_method(context, node, itself(context, node), of_class)
    if isinstance(found, types.FunctionType):
        if function.attr in _HELD and is_torch(found):
            return _held(context, node, itself(context, node), function.attr)
        if function.attr == "apply" and is_torch(found) and context.surroundings.constructs:
            return _applied_to_all(context, node)
        return _called_method(context, node, itself(context, node), found)
    if found is not NOTHING and not callable(found):
        context.fail(node, f"'{ast.unparse(function)}', a {type(found).__name__}")
    return _of_value(context, node, attributes.of_self(context, function, function.attr))


def _ignores_class(context: Context, function: types.FunctionType) -> bool:
    """Return whether a classmethod that ran does not use its class, so that it can become a method of the module."""
    method = context.surroundings.methods.get(unwrap(function))
    if method is None or not method.tree.args.args:
        return False
    first = method.tree.args.args[0].arg
    return not any(isinstance(one, ast.Name) and one.id == first for one in ast.walk(method.tree))


def _of_other_module(context: Context, node: ast.Call, function: ast.Attribute, value: Expression) -> Expression:
    """Lower a call of a method, or of a child, of another module."""
    assert isinstance(value.type, ModuleOf)
    kind, name = value.type.kind, function.attr
    found = method_of(kind, name)
    if name == "forward" and not context.surroundings.is_own(kind):
        return _direct(module_calls.lower(context, node, value))
    if isinstance(found, staticmethod):
        return _of_object(context, node, found.__func__)
    if isinstance(found, types.FunctionType):
        if name in _HELD and is_torch(found):
            return _held(context, node, value, name)
        return _called_method(context, node, value, found)
    return _of_value(context, node, context.expression(function))


def _direct(call: Expression) -> Expression:
    """Return the call of a module as a direct call of its forward."""
    return replace(call, direct=True) if isinstance(call, ModuleCall) else call


def _held(context: Context, node: ast.Call, value: Expression, name: str) -> Expression:
    """Lower a call of a method in ``_HELD``, such as ``module.parameters()``."""
    if node.args or node.keywords:
        context.fail(node, f"'{ast.unparse(node)}'")
    found = _HELD[name]
    if context.surroundings.constructs and name in ("children", "modules"):
        found = IteratorOf(ANY_MODULE)
    return ContainerCall(value, name, (), type=found, origin=context.origin(node))


def _applied_to_all(context: Context, node: ast.Call) -> Expression:
    """Lower ``self.apply(function)``: a call of the function with each descendant of the module, and with the module itself."""
    if len(node.args) != 1 or node.keywords:
        context.fail(node, f"'{ast.unparse(node)}'")
    function = context.expression(node.args[0])
    if not isinstance(function.type, FunctionOf) or function.type.parameters != (ANY_MODULE,):
        context.fail(node, f"'{ast.unparse(node)}', of a {function.type}")
    return ContainerCall(itself(context, node), "apply", (function,), type=UNKNOWN, origin=context.origin(node))


def _inherited(context: Context, node: ast.Call, function: ast.Attribute) -> Expression:
    """Lower ``super().name(…)``: a call of the method of the next base class that has a method of that name."""
    kind = context.surroundings.kind
    owner = next((one for one in (kind.__mro__ if kind else ()) if context.method.function in vars(one).values()), None)
    if kind is None or owner is None:
        context.fail(node, f"'{ast.unparse(node.func)}', outside of a class")
    later = kind.__mro__[kind.__mro__.index(owner) + 1 :]
    found = next((vars(one)[function.attr] for one in later if function.attr in vars(one)), NOTHING)
    if not isinstance(found, types.FunctionType):
        context.fail(node, f"'{ast.unparse(node.func)}'")
    return _called_method(context, node, itself(context, node), found)


def _called_method(
    context: Context, node: ast.Call, target: Expression, found: types.FunctionType, first: int = 0
) -> Expression:
    """Lower a call of a function of the model's source as a method; the ``first`` leading arguments are the module itself."""
    origin, function = context.origin(node), _source(context, node, found)
    bases = context.surroundings.kind.__mro__ if context.surroundings.kind and isinstance(target, Self) else (object,)
    named = any(is_method(one, function) for one in bases) or bases == (object,)  # else a class has it by another name
    header = context.surroundings.function(function, origin, of_self=first > 0 or not named)
    guards: Guards = []
    given = bound(context, node, header, first, guards)
    made = MethodCall(target, function, given, type=_known(context, node, header.result), origin=origin)
    return guarded(made, guards)


def _known(context: Context, node: ast.Call, result: Type) -> Type:
    """Return the type of a call's result; from the runs if it is unknown, since the function calls itself and is not lowered yet."""
    return observed_type(context, node) if result == UNKNOWN else result


def _source(context: Context, node: ast.Call, found: types.FunctionType) -> types.FunctionType:
    """Return the function that the decorators wrap; decorators that change what it does are reported when that function is lowered."""
    inner = unwrap(found)
    if is_torch(inner) and inner not in context.surroundings.methods:
        context.fail(node, f"'{ast.unparse(node.func)}', a method of PyTorch's")
    assert isinstance(inner, types.FunctionType)
    return inner


# -- Values that are called ------------------------------------------------------------------------------------------------


def _of_value(context: Context, node: ast.Call, value: Expression) -> Expression:
    """Lower a call of a module, or of a function that is a value."""
    value = there(value)
    if isinstance(value, Literal) and callable(value.value):  # a setting that is a function
        return _of_object(context, node, substitute(value.value))
    if isinstance(value.type, (ModuleOf, ModulesOf)):
        return module_calls.lower(context, node, value)
    if not isinstance(value.type, FunctionOf):
        context.fail(node, f"a call of a {value.type}: '{ast.unparse(node)}'")
    if isinstance(value, Local) and value.name in context.nested:
        return _of_nested(context, node, value, value.type)
    if (only := _only(context, node, value.type)) is not None:
        return ValueCall(value, (only,), type=_known(context, node, value.type.result), origin=context.origin(node))
    given = in_places(context, node, value.type.parameters)
    return ValueCall(value, given, type=_known(context, node, value.type.result), origin=context.origin(node))


def _only(context: Context, node: ast.Call, found: FunctionOf) -> Expression | None:
    """Return the only item of a list that is spread as the argument of a function of one parameter; None for other arguments.

    A function whose parameter is a list takes any number of arguments (``*args``), and is given the list itself.
    """
    if node.keywords or len(node.args) != 1 or len(found.parameters) != 1 or not isinstance(node.args[0], ast.Starred):
        return None
    items = context.expression(node.args[0].value)
    if items.type == found.parameters[0] == ListOf(TENSOR):
        return items
    if not isinstance(items.type, ListOf) or items.type.element != found.parameters[0]:
        return None
    return BuiltinCall("single", (items,), type=found.parameters[0], origin=context.origin(node))


def _of_nested(context: Context, node: ast.Call, value: Local, found: FunctionOf) -> Expression:
    """Lower a call of a nested function, with the defaults of the parameters for which the call has no argument."""
    parameters, origin = context.nested[value.name], context.origin(node)
    given = {one.name: one.value for one in bound(context, node, Function(value.name, parameters, found.result, ()))}
    whole = [given.get(one.name, one.default) for one in parameters]
    if None in whole:
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    places = tuple(one for one in whole if one is not None)
    return ValueCall(value, places, type=_known(context, node, found.result), origin=origin)


def _of_built(context: Context, node: ast.Call, layer: Expression) -> Expression:
    """Lower ``nn.Softmax(dim=1)(x)``: a call of the layer's function with the tensors as its inputs."""
    assert isinstance(layer, Lambda)
    assert isinstance(layer.body, TorchCall)
    count = len(layer.parameters)
    given = [there(context.expression(one)) for one in node.args]
    given += [there(value) for _, value in named_arguments(context, node)]
    if len(given) != count or any(one.type != TENSOR for one in given):
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    pairs = zip(layer.body.arguments[:count], given, strict=True)
    inputs = tuple(replace(argument, value=value) for argument, value in pairs)
    return replace(layer.body, arguments=(*inputs, *layer.body.arguments[count:]), origin=context.origin(node))


# -- Objects that have a name ----------------------------------------------------------------------------------------------


def _of_object(context: Context, node: ast.Call, callee: Any) -> Expression:
    """Lower a call of an object that the source names."""
    if getattr(callee, "__name__", "") in torch_calls.TRACING and _of_library(callee):
        return Literal(False, type=BOOL, origin=context.origin(node))
    if context.surroundings.constructs and (made := layers.lower(context, node, callee)) is not None:
        return made
    owner = getattr(callee, "__self__", None)
    if (setting := settings.lower_call(context, node, ConstantOf(owner))) is not None:
        return setting
    if isinstance(callee, functools._lru_cache_wrapper) and (kept := _kept(context, node)) is not None:
        return kept
    known = _handler(callee)
    if known is not None:
        return known(context, node)
    module = getattr(callee, "__module__", None)
    if module == "builtins" and isinstance(callee, (type, types.BuiltinFunctionType)):
        return builtins.lower(context, node, callee.__name__)
    if module == "math":
        return builtins.lower(context, node, f"math.{callee.__name__}")
    if numpy_calls.is_known(callee):
        return numpy_calls.lower(context, node, callee)
    if einops_calls.is_known(callee):
        return einops_calls.lower(context, node, callee)
    if isinstance(callee, type) and issubclass(callee, nn.Module):
        return built_layers.lower(context, node, callee)
    if (made := numpy_calls.lower_taken(context, node, callee)) is not None:
        return made
    if (parts := _parts(callee)) is not None:
        return _record(context, node, parts, omits=issubclass(callee, dict))
    if isinstance(callee, types.FunctionType) and not is_torch(callee):
        return _function(context, node, callee)
    if _belongs_to_torch(callee) and not isinstance(callee, types.MethodType):  # as is autograd's Function.apply
        return torch_calls.lower(context, node, callee)
    if (
        found := functions_as_values.chosen(context, node, [*node.args, *(one.value for one in node.keywords)])
    ) is not None:
        return found
    name = getattr(callee, "__qualname__", type(callee).__name__)
    raise Untranslatable(context.origin(node), f"a call of {name}: '{ast.unparse(node)}'")


def _kept(context: Context, node: ast.Call) -> Expression | None:
    """Return the literal that a function that keeps its results gave for literals in all runs; None for another call."""
    values, given = context.observation(node).values, [*node.args, *(one.value for one in node.keywords)]
    plain = len(values) == 1 and all(isinstance(one, ast.Constant) for one in given)
    return literal(values[0], context.origin(node)) if plain else None


def _of_library(callee: Any) -> bool:
    """Return whether an object belongs to PyTorch or transformers."""
    return (getattr(callee, "__module__", None) or "").partition(".")[0] in ("torch", "transformers")


def _handler(callee: Any) -> Callable[[Context, ast.Call], Expression] | None:
    owner = getattr(callee, "__self__", None)
    if callee is warnings.warn or (isinstance(owner, logging.Logger) and callee.__name__ in _WARNINGS):
        return _warn
    if isinstance(callee, functools.partial):
        return lambda context, node: _of_object(context, _completed(context, node, callee), callee.func)
    if callee is OrderedDict:
        return lambda context, node: builtins.lower(context, node, "dict")
    if callee is inspect.signature:
        return _signature
    if owner is os.environ and callee.__name__ == "get":
        return _environment
    if callee is itertools.repeat:
        return _repeated
    if callee is differentiable:
        return _differentiable
    if callee is itertools.product:
        return _product
    if callee is typing.cast:
        return lambda context, node: context.expression(node.args[1])
    return None


def _completed(context: Context, node: ast.Call, callee: functools.partial[Any]) -> ast.Call:
    """Return the call of a partial as a call of its function with the arguments of both; the partial's arguments must be constants."""
    fixed = [*callee.args, *callee.keywords.values()]
    if any(literal(one, context.origin(node)) is None for one in fixed):
        context.fail(node, f"a call of a partial function whose arguments are no constants: '{ast.unparse(node)}'")
    given = {one.arg for one in node.keywords}
    named = [ast.keyword(name, ast.Constant(one)) for name, one in callee.keywords.items() if name not in given]
    whole = ast.Call(node.func, [*map(ast.Constant, callee.args), *node.args], [*node.keywords, *named])
    context.method.seen.update({whole: context.observation(node)} if node in context.method.seen else {})
    return ast.fix_missing_locations(ast.copy_location(whole, node))


def _repeated(context: Context, node: ast.Call) -> Expression:
    """Lower ``itertools.repeat(value, 2)`` as the tuple ``(value, value)``."""
    given = [context.expression(one) for one in node.args]
    count = given[1].value if len(given) == 2 and isinstance(given[1], Literal) else None
    if node.keywords or type(count) is not int or not is_read(given[0]):
        context.fail(node, f"'{ast.unparse(node)}'")
    found = TupleOf((given[0].type,) * count)
    return TupleLiteral((given[0],) * count, type=found, origin=context.origin(node))


def _differentiable(context: Context, node: ast.Call) -> Expression:
    """Lower a call of :func:`bridge.port.observe.custom_gradients.differentiable`."""
    found, inputs, backward = (context.expression(one) for one in node.args)
    if found.type != ListOf(TENSOR) or inputs.type != ListOf(TENSOR) or not isinstance(backward, Lambda):
        context.fail(node, f"the gradient of a {found.type} for a {inputs.type}")
    origin = context.origin(node)
    return BuiltinCall("differentiable", (found, inputs, backward), type=TENSOR, origin=origin)


def _product(context: Context, node: ast.Call) -> Expression:
    """Lower ``itertools.product(range(n), range(m))`` as the list ``[(first, second) for first in range(n) for second in range(m)]``."""
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    names = [next(name for name in (word, f"{word}_item") if name not in used) for word in _ORDER[: len(node.args)]]
    plain = all(isinstance(one, ast.Call) and named(context, one.func) is range for one in node.args)
    if node.keywords or not plain or not 1 < len(node.args) <= len(_ORDER):
        context.fail(node, f"'{ast.unparse(node)}'")
    sources = zip(names, node.args, strict=True)
    loops = [ast.comprehension(ast.Name(name, ast.Store()), source, [], 0) for name, source in sources]
    whole = ast.ListComp(ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load()), loops)
    return context.expression(ast.fix_missing_locations(ast.copy_location(whole, node)))


def _signature(context: Context, node: ast.Call) -> Expression:
    """Lower ``inspect.signature(function)`` as a record whose ``parameters`` have made-up names; only their number is right."""
    value, origin = context.expression(node.args[0]), context.origin(node)
    if node.keywords or len(node.args) != 1 or not isinstance(value.type, FunctionOf):
        context.fail(node, f"'{ast.unparse(node)}'")
    names = tuple(Literal(f"parameter{place}", type=STR, origin=origin) for place in range(len(value.type.parameters)))
    found = TupleLiteral(names, type=TupleOf((STR,) * len(names)), origin=origin)
    return TupleLiteral((found,), type=TupleOf((found.type,), ("parameters",)), origin=origin)


def _environment(context: Context, node: ast.Call) -> Expression:
    """Lower ``os.environ.get(name, default)``."""
    given = tuple(context.expression(one) for one in node.args)
    if node.keywords or any(one.type != STR for one in given):
        context.fail(node, f"'{ast.unparse(node)}'")
    found = STR if len(given) == 2 else OptionalOf(STR)
    return BuiltinCall("os.environ.get", given, type=found, origin=context.origin(node))


def _warn(context: Context, node: ast.Call) -> Expression:
    """Lower a warning; C# prints only its message."""
    message = ast.copy_location(ast.Call(node.func, node.args[:1], []), node)
    return builtins.lower(context, message, "warnings.warn")


def _belongs_to_torch(callee: Any) -> bool:
    """Return whether a function is PyTorch's, including functions written in C++ and methods of tensors."""
    owner = getattr(callee, "__self__", None)
    of_c = (
        isinstance(owner, (type, types.ModuleType))
        and "torch" in f"{owner.__module__ if isinstance(owner, type) else owner.__name__}"
    )
    of_tensors = getattr(torch.Tensor, getattr(callee, "__name__", ""), None) is callee
    return is_torch(callee) or of_c or of_tensors


def _function(context: Context, node: ast.Call, callee: types.FunctionType) -> Expression:
    """Lower a call of a function of the model's source: as a method if the first argument is the module itself."""
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Name) and first.id == context.receiver != "":
        return _called_method(context, node, itself(context, node), callee, 1)
    origin, function = context.origin(node), _source(context, node, callee)
    header = context.surroundings.function(function, origin)
    guards: Guards = []
    given = bound(context, node, header, guards=guards)
    made = FunctionCall(function, given, type=_known(context, node, header.result), origin=origin)
    return guarded(made, guards)


# -- Records ---------------------------------------------------------------------------------------------------------------


def _parts(callee: Any) -> dict[str, Any] | None:
    """Return the fields of a named tuple, a dataclass or a result of transformers, with their defaults; None for another object."""
    if not isinstance(callee, type):
        return None
    if issubclass(callee, tuple) and hasattr(callee, "_fields"):
        defaults: dict[str, Any] = getattr(callee, "_field_defaults", {})
        return {name: defaults.get(name, MISSING) for name in callee._fields}
    if is_dataclass(callee):
        return {one.name: one.default for one in fields(callee)}
    return None


def _record(context: Context, node: ast.Call, parts: dict[str, Any], *, omits: bool) -> Expression:
    """Lower a new record as a named tuple; it has the fields that it had in the runs, and the fields whose argument is not None.

    A result of transformers ``omits`` the fields that are None. C# throws where a field that was None in all runs has a value.
    """
    origin = context.origin(node)
    given: dict[str, Expression] = {}
    for name, one in zip(parts, node.args, strict=False):
        given[name] = context.expression(one)
    given |= dict(named_arguments(context, node))
    seen = observed_type(context, node)
    shown = seen.names if isinstance(seen, TupleOf) and seen.names else tuple(parts)
    guards: Guards = []
    if omits and (keys := _keys(context, node)) is not None:
        shown = keys
        for name, entry in given.items():
            if name not in keys and (test := _is_none(entry)) is not None:
                guards.append((test, f"a result with {name}, which no run gave"))
                given[name] = none(origin)
    names = [name for name in parts if name in shown or (name in given and given[name].type != NONE)]
    items = []
    for name in names:
        item = given.get(name) or literal(parts.get(name, MISSING), origin)
        if item is None:
            context.fail(node, f"'{ast.unparse(node)}' without {name}")
        items.append(item)
    found = TupleOf(tuple(one.type for one in items), tuple(names))
    return guarded(TupleLiteral(tuple(items), type=found, origin=origin), guards)


def _is_none(value: Expression) -> Expression | None:
    """Return the test whether a value is None, if the test has no effect and nothing is lost with the value; else None."""
    if isinstance(value, Conditional) and value.other.type == NONE and value.test.type == BOOL:
        return Not(value.test, type=BOOL, origin=value.origin) if is_read(value.test) and is_read(value.body) else None
    if not isinstance(value.type, OptionalOf) or not is_read(value):
        return None
    return Compare("is", value, none(value.origin), type=BOOL, origin=value.origin)


def _keys(context: Context, node: ast.Call) -> tuple[str, ...] | None:
    """Return the fields that a result of transformers had in all runs; None if it had other fields in some, or if no run showed it."""
    seen = context.observation(node)
    values = [*seen.values, *([] if seen.sample is None else [seen.sample])]
    keys = {tuple(one) for one in values if isinstance(one, dict)}
    return keys.pop() if len(keys) == 1 and all(isinstance(one, dict) for one in values) else None
