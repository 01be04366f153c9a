"""What happens inside a model: nnsight, torchlens, hooks, functional transforms."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.utils._pytree import tree_map
from torch.utils.checkpoint import checkpoint

from pytorch_tools.cases import Case
from pytorch_tools.checks import Tool, check

nnsight, torchlens = Tool("nnsight"), Tool("torchlens")


@check("nnsight", "trace: a layer's output read, changed, its gradient")
def nnsight_trace(model: nn.Module, case: Case) -> Any:
    def first(output: Any) -> Any:
        return output[0] if isinstance(output, tuple) else output

    wrapped = nnsight.NNsight(model)
    layer = wrapped.get(case.layer)
    with wrapped.trace(case.inputs(2)):
        read = first(layer.output).save()
        scores = wrapped.output.save()
    with wrapped.trace(case.inputs(2)):
        first(layer.output)[:] = 0
        changed = wrapped.output.save()
    return [read, scores, changed]


@check("torchlens", "trace: the functions, their shapes and modules")
def torchlens_trace(model: nn.Module, case: Case) -> Any:
    log = torchlens.trace(model, case.inputs(2))
    calls = {label: log[label] for label in log.layer_labels}
    return [(label, call.func_name, list(call.shape), str(call.modules), call.parents) for label, call in calls.items()]


@check("torch", "hooks of every kind on every module and parameter")
def hooks_everywhere(model: nn.Module, case: Case) -> Any:
    seen: list[Any] = []

    def note(when: str, name: str, module: nn.Module, *values: Any) -> None:
        seen.append((when, name, tree_map(lambda x: x.detach().clone() if isinstance(x, Tensor) else None, values[-1])))

    def note_gradient(name: str, parameter: Tensor) -> None:
        seen.append(("accumulated", name, parameter.grad))

    for name, child in model.named_modules():
        if isinstance(child, nn.ReLU):
            child.inplace = False
        child.register_forward_pre_hook(partial(note, "before", name))
        child.register_forward_hook(partial(note, "after", name))
        # PyTorch refuses it where the next operator works in place, as ResNet's first activation does.
        if isinstance(child, nn.Conv2d | nn.Linear | nn.LSTM | nn.LayerNorm | nn.Embedding):
            child.register_full_backward_hook(partial(note, "backward", name))
    for name, parameter in model.named_parameters():
        parameter.register_post_accumulate_grad_hook(partial(note_gradient, name))
    case.loss(model(case.inputs(2)), case.targets(2)).backward()
    return seen


@check("torch", "torch.func: functional_call, grad, vmap of gradients, jvp; checkpoint")
def functional(model: nn.Module, case: Case) -> Any:
    values = {name: value.detach() for name, value in model.named_parameters()}
    x, y = case.inputs(3), case.targets(3)

    def loss(values: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return case.loss(functional_call(model, values, (x.unsqueeze(0),)), y.unsqueeze(0))

    samples = vmap(grad(loss), in_dims=(None, 0, 0))(values, x, y)
    case.loss(checkpoint(model, x, use_reentrant=False), y).backward()
    return [grad(loss)(values, x[0], y[0]), samples, [parameter.grad for parameter in model.parameters()]]


@check("torch", "autocast to bfloat16, .to(float64), .half, deepcopy, meta and back")
def types_and_places(model: nn.Module, case: Case) -> Any:
    x = case.inputs(2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = model(x)
    doubled = copy.deepcopy(model).to(torch.float64)(x.double() if x.is_floating_point() else x)
    meta = copy.deepcopy(model).to("meta")
    shape = meta(x.to("meta")).shape
    meta.to_empty(device="cpu").load_state_dict(model.state_dict())
    return [mixed, doubled, list(shape), meta(x), case.train(model)]
