"""The arguments of a run: copies, other batch sizes, and those that forward has as defaults."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only


def drop_defaults(model: torch.nn.Module, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without the last ones that equal the defaults of forward."""
    found = dict(arguments)
    parameters = inspect.signature(model.forward).parameters
    for name, value in reversed(list(arguments.items())):
        if name not in parameters or isinstance(value, torch.Tensor) or parameters[name].default is not value:
            break
        del found[name]
    return found


def copy_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with copies of all tensors in them."""
    return dict(tree_map_only(torch.Tensor, torch.Tensor.clone, dict(arguments)))


def double_batch(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with each tensor of the batch twice in a row."""
    return _map_batch(arguments, lambda value: torch.cat([value, value]))


def halve_batch(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments with the first half of each tensor of the batch; None for a batch of one."""
    size = _batch_size(arguments)
    return _map_batch(arguments, lambda value: value[: size // 2].clone()) if size > 1 else None


def _batch_size(arguments: Mapping[str, Any]) -> int:
    """Return the first dimension of the first tensor that has one, which is taken for the batch; else 0."""
    tensors = (one for one in tree_leaves(dict(arguments)) if isinstance(one, torch.Tensor) and one.dim())
    first = next(tensors, None)
    return first.shape[0] if first is not None else 0


def _map_batch(arguments: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """Change copies of the tensors whose first dimension is that of the batch."""
    size = _batch_size(arguments)

    def changed(value: torch.Tensor) -> torch.Tensor:
        return change(value) if value.dim() and value.shape[0] == size else value.clone()

    return dict(tree_map_only(torch.Tensor, changed, dict(arguments)))
