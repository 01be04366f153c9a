"""Calls of modules, of the model's own methods and functions, and of functions that are values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.building import refused
from bridge.port.csharp.calls.fitting import Fitting, is_sequence, known, receiver
from bridge.port.csharp.calls.layers import class_name
from bridge.port.csharp.calls.member_table import Member, Parameter, overloads
from bridge.port.csharp.calls.members import Call, resolve
from bridge.port.csharp.calls.results import adapted
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import TENSOR, VOID, array
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

#: The call of a module that takes a tensor and returns a tensor.
_PLAIN: Final = Member("call", "", TENSOR, (Parameter(TENSOR, "input"),))
#: Arguments that TorchSharp's layers do not have, each with the value with which it changes no result in PyTorch.
_WITHOUT_EFFECT: Final[Mapping[type[nn.Module], Mapping[str, bool]]] = {
    nn.MultiheadAttention: {"average_attn_weights": True, "is_causal": False}
}


def lower(emission: Emission, node: ir.ModuleCall | ir.MethodCall | ir.FunctionCall | ir.ValueCall) -> tree.Expression:
    """Return a call of a layer, of a module, method or function of the model, or of a function that is a value. Raises Untranslatable."""
    if isinstance(node, ir.ModuleCall):
        return lower_module_call(emission, node)
    if isinstance(node, ir.MethodCall):
        return lower_method_call(emission, node)
    return (
        lower_function_call(emission, node) if isinstance(node, ir.FunctionCall) else lower_value_call(emission, node)
    )


def lower_module_call(emission: Emission, node: ir.ModuleCall) -> tree.Expression:
    """Return ``module.call(arguments)``, with its result converted to the type that it has in Python. Raises Untranslatable."""
    return adapted(emission, node, *raw(emission, node))


def raw(emission: Emission, node: ir.ModuleCall) -> tuple[tree.Expression, tree.Type]:
    """Return the call and its type in TorchSharp, where an LSTM, for example, returns three results. Raises Untranslatable.

    If the module is no layer of PyTorch's, the type is given as void, so that the result is not converted.
    """
    kind = node.module.type.kind if isinstance(node.module.type, (types.ModuleOf, types.ModulesOf)) else nn.Module
    target = tree.Member(receiver(emission, node.module), "forward" if node.direct else "call")
    if kind in emission.headers:
        arguments = _all(emission, emission.headers[kind], node)
        if len(arguments) > ir.MOST_ARGUMENTS:
            most = ir.MOST_ARGUMENTS
            raise refused(node, f"a call with {len(arguments)} arguments, of which TorchSharp's modules take {most}")
        return tree.Call(target, arguments), VOID
    if not kind.__module__.startswith("torch.nn"):
        words = tuple(tree.Argument(emission.expression(one.value)) for one in node.arguments)
        return tree.Call(target, words), VOID
    return _of_layer(emission, node, kind, target)


def lower_method_call(emission: Emission, node: ir.MethodCall) -> tree.Expression:
    """Return the call of a method of the model."""
    name = emission.method_name(node.function)
    own = isinstance(node.target, ir.Self)
    hidden = own and name in emission.names  # by a local variable
    target = tree.Name("this") if hidden else None if own else receiver(emission, node.target)
    function = tree.Name(name) if target is None else tree.Member(target, name)
    return tree.Call(function, _given(emission, node))


def lower_function_call(emission: Emission, node: ir.FunctionCall) -> tree.Expression:
    """Return the call of a function of the model's source that is no method."""
    return tree.Call(emission.function_name(node.function, node.origin), _given(emission, node))


def lower_value_call(emission: Emission, node: ir.ValueCall) -> tree.Expression:
    """Return the call of a function that is a value."""
    wanted = node.function.type.parameters if isinstance(node.function.type, types.FunctionOf) else ()
    expected = [*wanted, *(one.type for one in node.arguments[len(wanted) :])]
    words = [_fitted(emission, one, kind) for one, kind in zip(node.arguments, expected, strict=False)]
    return tree.Call(emission.expression(node.function), tuple(map(tree.Argument, words)))


# -- Layers of PyTorch's ---------------------------------------------------------------------------------------------------


def _of_layer(
    emission: Emission, node: ir.ModuleCall, kind: type[nn.Module], target: tree.Expression
) -> tuple[tree.Expression, tree.Type]:
    name = class_name(kind)
    given = {one.name: one.value for one in node.arguments}
    for argument, unchanged in _WITHOUT_EFFECT.get(kind, {}).items():
        value = given.pop(argument, None)
        if value is not None and not (isinstance(value, ir.Literal) and value.value is unchanged):
            raise refused(node, f"{name} with {argument}, which TorchSharp's {name} does not take")
    order, defaults = _parameters(kind)
    members = overloads("call", name) or (_PLAIN,)
    found = resolve(emission, members, Call(given, order or tuple(given), defaults))
    if found is None:
        listed = ", ".join(f"{one.name}: {one.value.type}" for one in node.arguments) or "none"
        raise refused(node, f"TorchSharp's {name} is not called with these arguments: {listed}")
    # No argument is passed by name: a module may be called through a base class, which names the parameters differently.
    if any(one.name for one in found.arguments):
        found = resolve(emission, members, Call(_completed(given, order, defaults), order, defaults, whole=True))
    if found is None:
        raise refused(node, f"TorchSharp's {name} is not called with arguments by name")
    return tree.Call(target, found.arguments), found.member.result


def _completed(
    given: Mapping[str, ir.Expression], order: Sequence[str], defaults: Mapping[str, Any]
) -> dict[str, ir.Expression]:
    """Return the given arguments in order, with PyTorch's defaults for all other parameters before the last given one."""
    last = max(order.index(name) for name in given)
    return {name: given.get(name, known(defaults.get(name))) for name in order[: last + 1]}


def _parameters(kind: type[nn.Module]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of the parameters of a layer's forward, and their defaults."""
    if kind is nn.Module or issubclass(kind, nn.Sequential):
        return ("input",), {}
    kinds = inspect.Parameter
    found = list(inspect.signature(kind.forward).parameters.values())[1:]
    named = [one for one in found if one.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    return tuple(one.name for one in named), {one.name: one.default for one in named if one.default is not one.empty}


# -- The model's own functions ---------------------------------------------------------------------------------------------


def _fitted(emission: Emission, value: ir.Expression, kind: types.Type) -> tree.Expression:
    """Return an argument; for a parameter of type SIZES, a list of ints is converted to an array."""
    if kind == types.UNKNOWN:
        return emission.expression(value)
    wanted = emission.type_of(kind)
    found = Fitting(emission).fit(value, wanted) if kind == types.SIZES else None
    return emission.expression(value) if found is None else found.expression


def _all(emission: Emission, parameters: Sequence[ir.Parameter], node: ir.ModuleCall) -> tuple[tree.Argument, ...]:
    """Return an argument for each parameter of a forward, since ``call`` has no optional parameters."""
    given = {one.name: one.value for one in node.arguments}
    made: list[tree.Argument] = []
    for one in parameters:
        value = given.get(one.name, one.default)
        if value is None:
            raise refused(node, f"a call without {one.name}")
        made += _arguments(emission, one, value, "")
    return tuple(made)


def _given(emission: Emission, node: ir.MethodCall | ir.FunctionCall) -> tuple[tree.Argument, ...]:
    """Return the arguments of a call, by name if Python passes them by name, or if an earlier argument is left out."""
    parameters = {one.name: one for one in emission.headers.get(node.function, ())}
    order, made = list(parameters), list[tree.Argument]()
    for place, one in enumerate(node.arguments):
        parameter = parameters.get(one.name, ir.Parameter(one.name, one.value.type))
        in_order = one.positional and (not order or order[place : place + 1] == [one.name])
        made += _arguments(emission, parameter, one.value, "" if in_order else one.name)
    return tuple(made)


def _arguments(emission: Emission, parameter: ir.Parameter, value: ir.Expression, name: str) -> list[tree.Argument]:
    if not parameter.spread:
        return [tree.Argument(_fitted(emission, value, parameter.type), name)]
    items = is_sequence(value)
    if items is not None and not any(isinstance(one, ir.Spread) for one in items):
        return [tree.Argument(emission.expression(one)) for one in items if isinstance(one, ir.Expression)]
    element = getattr(parameter.type, "element", types.TENSOR)
    found = Fitting(emission).fit(value, array(emission.type_of(element, value.origin)))
    return [tree.Argument(emission.expression(value) if found is None else found.expression)]
