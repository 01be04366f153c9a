"""Layers without weights that a forward constructs and calls: lowered as calls of the layer's function."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.frontend.calls import callees
from bridge.port.frontend.calls.arguments import named
from bridge.port.frontend.calls.libraries.torch_schemas import result_of, signatures
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import as_sizes, is_read, literal
from bridge.port.ir.nodes import (
    Argument,
    Compare,
    Conditional,
    Construct,
    Expression,
    Lambda,
    Literal,
    Local,
    TorchCall,
    UnsupportedValue,
)
from bridge.port.ir.types import BOOL, STR, TENSOR, UNKNOWN, FunctionOf

#: The function that a layer calls; its parameters have the same names as those of the layer's constructor.
_FUNCTIONS: Final[dict[type[nn.Module], Callable[..., Any]]] = {
    nn.ReLU: F.relu,
    nn.ReLU6: F.relu6,
    nn.LeakyReLU: F.leaky_relu,
    nn.ELU: F.elu,
    nn.GELU: F.gelu,
    nn.SiLU: F.silu,
    nn.Mish: F.mish,
    nn.Hardswish: F.hardswish,
    nn.Hardsigmoid: F.hardsigmoid,
    nn.Sigmoid: torch.sigmoid,
    nn.Tanh: torch.tanh,
    nn.Softplus: F.softplus,
    nn.Softmax: F.softmax,
    nn.LogSoftmax: F.log_softmax,
    nn.LogSigmoid: F.logsigmoid,
    nn.Upsample: F.interpolate,
    nn.AvgPool1d: F.avg_pool1d,
    nn.AvgPool2d: F.avg_pool2d,
    nn.AvgPool3d: F.avg_pool3d,
    nn.MaxPool1d: F.max_pool1d,
    nn.MaxPool2d: F.max_pool2d,
    nn.MaxPool3d: F.max_pool3d,
    nn.AdaptiveAvgPool1d: F.adaptive_avg_pool1d,
    nn.AdaptiveAvgPool2d: F.adaptive_avg_pool2d,
    nn.AdaptiveMaxPool2d: F.adaptive_max_pool2d,
    nn.PixelShuffle: F.pixel_shuffle,
    nn.Flatten: torch.flatten,
    nn.CosineSimilarity: F.cosine_similarity,
    nn.MSELoss: F.mse_loss,
    nn.L1Loss: F.l1_loss,
    nn.SmoothL1Loss: F.smooth_l1_loss,
    nn.HuberLoss: F.huber_loss,
    nn.BCELoss: F.binary_cross_entropy,
    nn.BCEWithLogitsLoss: F.binary_cross_entropy_with_logits,
    nn.CrossEntropyLoss: F.cross_entropy,
    nn.NLLLoss: F.nll_loss,
    nn.KLDivLoss: F.kl_div,
}
#: Defaults of layers that differ from the defaults of their functions.
_DEFAULTS: Final[dict[type[nn.Module], dict[str, Any]]] = {nn.Flatten: {"start_dim": 1}}
#: Layers that take more than one tensor.
_INPUTS: Final[dict[type[nn.Module], int]] = {nn.CosineSimilarity: 2}


def lower_listed(
    context: Context, node: ast.Call, call: Callable[[Context, ast.Call, Expression], Expression]
) -> Expression | None:
    """Lower ``LAYERS[name](x)``, where a table gives a new module without weights and settings for the only name of all runs.

    C# throws for another name. Returns None for another call; ``call`` lowers the call of a module.
    """
    item = node.func
    if not isinstance(item, ast.Subscript) or not isinstance(table := callees.named(context, item.value), Mapping):
        return None
    names, origin = context.observation(item.slice).values, context.origin(node)
    if len({*names}) != 1 or not isinstance(names[0], str) or names[0] not in table:
        return None
    module, name = table[names[0]], context.expression(item.slice)
    bare = isinstance(module, nn.Module) and vars(module).keys() == vars(nn.Module()).keys()
    if not bare or [*module.parameters(), *module.buffers(), *module.children()] or not is_read(name):
        return None
    kind = type(module)
    if not (context.surroundings.is_own(kind) and context.surroundings.is_there(kind)) or name.type != STR:
        return None
    made = call(context, node, Construct(kind, (), type=context.surroundings.new_type(kind), origin=origin))
    test = Compare("==", name, Literal(names[0], type=STR, origin=origin), type=BOOL, origin=origin)
    other = UnsupportedValue(
        f"another entry of {ast.unparse(item.value)} than {names[0]}", type=made.type, origin=origin
    )
    return Conditional(test, made, other, type=made.type, origin=origin)


def lower(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower ``nn.Softmax(dim=1)`` as a lambda that calls the layer's function."""
    origin = context.origin(node)
    function = _FUNCTIONS.get(kind)
    if function is None:
        context.fail(node, f"'{ast.unparse(node)}' builds a layer")
    names = _inputs(kind, function)
    inputs = tuple(Argument(name, Local(name, type=TENSOR, origin=origin), origin=origin) for name in names)
    settings = _settings(context, node, kind)
    result = result_of(function)
    call = TorchCall(
        function,
        None,
        (*inputs, *settings),
        signatures(function, method=False)[0].names,
        type=TENSOR if result == UNKNOWN else result,
        origin=origin,
    )
    return Lambda(names, call, type=FunctionOf((TENSOR,) * len(names), call.type), origin=origin)


def _inputs(kind: type[nn.Module], function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters of ``function`` that take the layer's input tensors."""
    count = 2 if issubclass(kind, nn.modules.loss._Loss) else _INPUTS.get(kind, 1)
    return signatures(function, method=False)[0].names[:count]


def _settings(context: Context, node: ast.Call, kind: type[nn.Module]) -> tuple[Argument, ...]:
    """Return the arguments of the constructor by name; the parameters of the layer's function have the same names."""
    names = list(inspect.signature(kind.__init__).parameters)[1:]
    given = dict(zip(names, map(context.expression, node.args), strict=False)) | dict(named(context, node))
    for name, value in _DEFAULTS.get(kind, {}).items():
        default = literal(value, context.origin(node))
        assert default is not None
        given.setdefault(name, default)
    return tuple(Argument(name, as_sizes(value), False, origin=value.origin) for name, value in given.items())
