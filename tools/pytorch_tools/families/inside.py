"""What happens inside a model: nnsight, torchlens, hooks, functional transforms."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from pytorch_tools.cases import Case
from pytorch_tools.checks import check
from pytorch_tools.training import steps


@check("nnsight", "trace: a layer's output read, changed, its gradient")
def nnsight_trace(model: nn.Module, case: Case) -> Any:
    from nnsight import NNsight

    wrapped = NNsight(model)
    layer = wrapped.get(case.layer)
    with wrapped.trace(case.inputs(2)):
        read = _first(layer.output).save()
        scores = wrapped.output.save()
    with wrapped.trace(case.inputs(2)):
        _first(layer.output)[:] = 0
        changed = wrapped.output.save()
    return [read, scores, changed]


def _first(output: Any) -> Any:
    return output[0] if isinstance(output, tuple) else output


@check("torchlens", "trace: the functions, their shapes and modules")
def torchlens_trace(model: nn.Module, case: Case) -> Any:
    import torchlens

    log = torchlens.trace(model, case.inputs(2))
    return [
        (label, log[label].func_name, list(log[label].shape), str(log[label].modules), log[label].parents)
        for label in log.layer_labels
    ]


@check("torch", "hooks of every kind on every module and parameter")
def hooks_everywhere(model: nn.Module, case: Case) -> Any:
    seen: list[Any] = []

    def tensors(values: Any) -> Any:
        if isinstance(values, Tensor):
            return values.detach().clone()
        return [tensors(value) for value in values] if isinstance(values, list | tuple) else None

    def before(name: str, module: nn.Module, arguments: Any) -> None:
        seen.append(("before", name, tensors(arguments)))

    def after(name: str, module: nn.Module, arguments: Any, result: Any) -> None:
        seen.append(("after", name, tensors(result)))

    def backward(name: str, module: nn.Module, inputs: Any, outputs: Any) -> None:
        seen.append(("backward", name, tensors(outputs)))

    def accumulated(name: str, parameter: Tensor) -> None:
        seen.append(("accumulated", name, tensors(parameter.grad)))

    for name, child in model.named_modules():
        if isinstance(child, nn.ReLU):
            child.inplace = False
        child.register_forward_pre_hook(partial(before, name))
        child.register_forward_hook(partial(after, name))
        # PyTorch refuses it where what follows works in place, as ResNet's first activation does.
        if isinstance(child, nn.Conv2d | nn.Linear | nn.LSTM | nn.LayerNorm | nn.Embedding):
            child.register_full_backward_hook(partial(backward, name))
    for name, parameter in model.named_parameters():
        parameter.register_post_accumulate_grad_hook(partial(accumulated, name))
    case.loss(model(case.inputs(2)), case.targets(2)).backward()
    return seen


@check("torch", "torch.func: functional_call, grad, vmap of gradients, jvp; checkpoint")
def functional(model: nn.Module, case: Case) -> Any:
    from torch.func import functional_call, grad, vmap
    from torch.utils.checkpoint import checkpoint

    values = {name: value.detach() for name, value in model.named_parameters()}
    x, y = case.inputs(3), case.targets(3)

    def loss(values: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return case.loss(functional_call(model, values, (x.unsqueeze(0),)), y.unsqueeze(0))

    samples = vmap(grad(loss), in_dims=(None, 0, 0))(values, x, y)
    remembered = case.loss(checkpoint(model, x, use_reentrant=False), y)
    remembered.backward()
    return [grad(loss)(values, x[0], y[0]), samples, [parameter.grad for parameter in model.parameters()]]


@check("torch", "autocast to bfloat16, .to(float64), .half, deepcopy, meta and back")
def types_and_places(model: nn.Module, case: Case) -> Any:
    x = case.inputs(2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = model(x)
    wide = copy.deepcopy(model).to(torch.float64)
    doubled = wide(x.double() if x.is_floating_point() else x)
    meta = copy.deepcopy(model).to("meta")
    shape = meta(x.to("meta")).shape
    meta.to_empty(device="cpu").load_state_dict(model.state_dict())
    return [mixed, doubled, list(shape), meta(x), steps(model, case)]
