"""Two processes over gloo: DDP, FSDP2, tensor parallel."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from pytorch_tools.cases import IMAGES, Case
from pytorch_tools.checks import check


def _part() -> slice:
    """Return the part of a batch that this process works on."""
    return slice(torch.distributed.get_rank(), None, 2)


def _mesh() -> Any:
    return torch.distributed.device_mesh.init_device_mesh("cpu", (2,))


def _whole(tensor: Any) -> Any:
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


@check("torch", "DistributedDataParallel, three steps", ranks=2)
def ddp(model: nn.Module, case: Case) -> Any:
    wrapped = nn.parallel.DistributedDataParallel(model)
    return [case.train(wrapped, _part()), dict(model.state_dict()), wrapped.eval()(case.inputs(2))]


@check("torch", "FSDP2: fully_shard of every block, three steps", ranks=2)
def fsdp2(model: nn.Module, case: Case) -> Any:
    from torch.distributed.fsdp import fully_shard  # takes a second, and tests read this file

    mesh = _mesh()
    for child in list(model.modules()):
        if type(child).__name__ in ("BasicBlock", "Block", "LSTM"):
            fully_shard(child, mesh=mesh)
    fully_shard(model, mesh=mesh)
    losses = case.train(model, _part())
    state = {name: _whole(value) for name, value in model.state_dict().items()}
    return [losses, state, model.eval()(case.inputs(2))]


@check("torch", "tensor parallel: parallelize_module, column- and row-wise", cases=("LeNet", "GPT"), ranks=2)
def tensor_parallel(model: nn.Module, case: Case) -> Any:
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    columns, rows = ("fc1", "fc2") if case.name in IMAGES else ("h.*.mlp.c_fc", "h.*.mlp.c_proj")
    parallelize_module(model, _mesh(), {columns: ColwiseParallel(), rows: RowwiseParallel()})
    loss = case.loss(model(case.inputs(4)), case.targets(4))
    loss.backward()
    parameters = list(model.parameters())
    return [loss, [_whole(p.grad) for p in parameters], [type(p).__name__ for p in parameters]]


@check("torch", "SyncBatchNorm in DDP, eval", cases=("ResNet-18",), ranks=2)
def sync_batch_norm_ddp(model: nn.Module, case: Case) -> Any:
    converted = nn.parallel.DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(model)).eval()
    loss = case.loss(converted(case.inputs(4)[_part()]), case.targets(4)[_part()])
    loss.backward()
    return [loss, [parameter.grad for parameter in model.parameters()]]
