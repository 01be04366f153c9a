"""Two processes over gloo: DDP, FSDP2, tensor parallel."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from pytorch_tools.cases import Case
from pytorch_tools.checks import check


def _part(case: Case) -> Any:
    rank = torch.distributed.get_rank()
    return case.inputs(4)[rank::2], case.targets(4)[rank::2]


def _steps(model: nn.Module, case: Case) -> list[Any]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    x, y = _part(case)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = case.loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


@check("torch", "DistributedDataParallel, three steps", ranks=2)
def ddp(model: nn.Module, case: Case) -> Any:
    wrapped = nn.parallel.DistributedDataParallel(model)
    return [_steps(wrapped, case), dict(model.state_dict()), wrapped.eval()(case.inputs(2))]


@check("torch", "FSDP2: fully_shard of every block, three steps", ranks=2)
def fsdp2(model: nn.Module, case: Case) -> Any:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (2,))
    for child in _blocks(model):
        fully_shard(child, mesh=mesh)
    fully_shard(model, mesh=mesh)
    losses = _steps(model, case)
    state = {
        name: value.full_tensor() if hasattr(value, "full_tensor") else value
        for name, value in model.state_dict().items()
    }
    return [losses, state, model.eval()(case.inputs(2))]


def _blocks(model: nn.Module) -> list[nn.Module]:
    return [child for child in model.modules() if type(child).__name__ in ("BasicBlock", "Block", "LSTM")]


@check("torch", "tensor parallel: parallelize_module, column- and row-wise", cases=("LeNet", "GPT"), ranks=2)
def tensor_parallel(model: nn.Module, case: Case) -> Any:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cpu", (2,))
    columns, rows = ("fc1", "fc2") if case.pictures else ("h.*.mlp.c_fc", "h.*.mlp.c_proj")
    parallelize_module(model, mesh, {columns: ColwiseParallel(), rows: RowwiseParallel()})
    x, y = case.inputs(4), case.targets(4)
    loss = case.loss(model(x), y)
    loss.backward()
    gradients = [getattr(p.grad, "full_tensor", lambda p=p: p.grad)() for p in model.parameters()]
    return [loss, gradients, [type(p).__name__ for p in model.parameters()]]


@check("torch", "SyncBatchNorm in DDP, eval", cases=("ResNet-18",), ranks=2)
def sync_batch_norm_ddp(model: nn.Module, case: Case) -> Any:
    converted = nn.parallel.DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(model)).eval()
    loss = case.loss(converted(_part(case)[0]), _part(case)[1])
    loss.backward()
    return [loss, [parameter.grad for parameter in model.parameters()]]
