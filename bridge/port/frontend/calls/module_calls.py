"""Calls of modules. The type of the result comes from the forward of the model's own class, or from a layer's class or the runs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Final

from torch import nn

from bridge.port.frontend.calls.arguments import Guards, bound, guarded, named
from bridge.port.frontend.calls.callees import is_torch
from bridge.port.frontend.calls.libraries.torch_calls import arguments_of
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.values import is_read
from bridge.port.ir.nodes import (
    Argument,
    BuiltinCall,
    Conditional,
    Convert,
    Expression,
    Literal,
    ModuleCall,
    Spread,
)
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    NONE,
    PACKED,
    TENSOR,
    UNKNOWN,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
    join,
    required,
)
from bridge.port.observe.modules import forward_of, is_einops


def lower(context: Context, node: ast.Call, module: Expression) -> Expression:
    """Lower ``module(arguments)``."""
    origin = context.origin(node)
    if module.type == ANY_MODULE:
        return _of_any(context, node, module)
    if isinstance(module.type, ModuleOf) and _has_forward(context, module.type.kind):
        header = context.surroundings.function(context.surroundings.forward_of(module.type.kind), origin)
        guards: Guards = []
        given = bound(context, node, header, guards=guards)
        found = observed_type(context, node) if header.result == UNKNOWN else header.result
        return guarded(ModuleCall(module, given, type=found, origin=origin), guards)
    given = _of_layer(context, node, module.type)
    return ModuleCall(module, given, type=_result(context, node, module.type, given), origin=origin)


def _has_forward(context: Context, kind: type) -> bool:
    """Return whether a class is the model's own and does not inherit its forward from a layer of PyTorch's."""
    if not context.surroundings.is_own(kind):
        return False
    return not is_torch(context.surroundings.forward_of(kind))


def _of_any(context: Context, node: ast.Call, module: Expression) -> Expression:
    """Lower a call of a module that may be of several classes.

    The module is converted to the class that it had in the runs. If it had several classes, type tests choose one
    of several calls, one for each class.
    """
    origin = context.origin(node)
    seen = [one for one in context.observation(node.func).values if isinstance(one, nn.Module)]
    kinds = list(dict.fromkeys(context.surroundings.module_type(one) for one in seen))
    if not kinds or ANY_MODULE in kinds or not (len(kinds) == 1 or is_read(module)):
        context.fail(node, f"a call of modules of several classes: '{ast.unparse(node)}'")
    *tested, last = kinds
    made = lower(context, node, Convert(module, type=last, origin=origin))
    for kind in reversed(tested):
        body = lower(context, node, Convert(module, type=kind, origin=origin))
        found = join((body.type, made.type))
        if found is None or not isinstance(kind, (ModuleOf, ModulesOf)):
            context.fail(node, f"a call of modules that give values of several types: '{ast.unparse(node)}'")
        asked = (module, Literal(kind.kind, type=UNKNOWN, origin=origin))
        test = BuiltinCall("isinstance", asked, type=BOOL, origin=origin)
        made = Conditional(test, body, made, type=found, origin=origin)
    return made


def _of_layer(context: Context, node: ast.Call, module: Type) -> tuple[Argument, ...]:
    """Return the arguments of a call of PyTorch's layer, named as the parameters of the layer's forward."""
    names = _parameters(module)
    places, _ = arguments_of(context, ast.Call(node.func, node.args, []))
    given: list[Argument] = []
    for place, value in enumerate(places):
        if isinstance(value, Spread):
            context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
        name = names[place] if place < len(names) else f"argument{place}"
        given.append(Argument(name, value, True, origin=value.origin))
    given += [Argument(name, value, False, origin=value.origin) for name, value in named(context, node)]
    return tuple(given)


def _parameters(module: Type) -> list[str]:
    if not isinstance(module, ModuleOf) or module.kind is nn.Module:
        return ["input"]
    kinds = inspect.Parameter
    parameters = list(inspect.signature(forward_of(module.kind)).parameters.values())[1:]
    return [one.name for one in parameters if one.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]


def _result(context: Context, node: ast.Call, module: Type, given: tuple[Argument, ...]) -> Type:
    """Return the type of a layer's result: from ``_RESULTS``, else from the runs, else a tensor if the layer is PyTorch's or einops'."""
    kind = module.kind if isinstance(module, (ModuleOf, ModulesOf)) else nn.Module
    for layer, result in _RESULTS.items():
        if issubclass(kind, layer):
            return result(given)
    found = observed_type(context, node)
    if found != UNKNOWN:
        return found
    if isinstance(module, ModulesOf) and issubclass(kind, nn.Sequential):
        return _result_of_chain(context, node, module.element)
    if is_einops(kind):
        return TENSOR
    if kind is nn.Module or not any(one.__module__.startswith("torch.nn.modules.") for one in kind.__mro__[:-2]):
        context.fail(node, f"what '{ast.unparse(node)}' gives, which no run showed")
    return TENSOR


def _result_of_chain(context: Context, node: ast.Call, element: Type) -> Type:
    """Return the type of a chain's result: its modules' forward decides if all are of one class of the model; else it is a tensor."""
    if isinstance(element, ModuleOf) and _has_forward(context, element.kind):
        forward = context.surroundings.forward_of(element.kind)
        return context.surroundings.function(forward, context.origin(node)).result
    return TENSOR


def _recurrent(states: Type) -> Callable[[tuple[Argument, ...]], Type]:
    """Return a function that gives the type of a recurrent layer's result, whose output is packed if the input is."""

    def result(given: tuple[Argument, ...]) -> Type:
        packed = bool(given) and required(given[0].value.type) == PACKED
        return TupleOf((PACKED if packed else TENSOR, states))

    return result


def _attention(given: tuple[Argument, ...]) -> Type:
    """Return the type of attention's result, whose weights are None if ``need_weights`` is False."""
    needed = next((one.value for one in given if one.name == "need_weights"), None)
    if needed is None:
        return TupleOf((TENSOR, TENSOR))
    if not isinstance(needed, Literal):
        return TupleOf((TENSOR, OptionalOf(TENSOR)))
    return TupleOf((TENSOR, TENSOR if needed.value else NONE))


_RESULTS: Final[dict[type[nn.Module], Callable[[tuple[Argument, ...]], Type]]] = {
    nn.LSTM: _recurrent(TupleOf((TENSOR, TENSOR))),
    nn.RNNBase: _recurrent(TENSOR),
    nn.LSTMCell: lambda given: TupleOf((TENSOR, TENSOR)),
    nn.MultiheadAttention: _attention,
    nn.AdaptiveLogSoftmaxWithLoss: lambda given: TupleOf((TENSOR, TENSOR), ("output", "loss")),
}
