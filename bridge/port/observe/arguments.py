"""The arguments of a run: without the defaults of forward, copied, or with another batch size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from bridge.compare.io.inputs import signature_of


def drop_defaults(model: torch.nn.Module, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without the last ones, as far as these are forward's defaults."""
    found = dict(arguments)
    parameters = signature_of(model).parameters
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
    """Return the arguments with the first half of each tensor of the batch; None if the batch has fewer than two items."""
    size = _batch_size(arguments)
    return _map_batch(arguments, lambda value: value[: size // 2].clone()) if size > 1 else None


def mask_last(model: torch.nn.Module, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments with an ``attention_mask`` that leaves out the last token; None if forward takes none, or has one already."""
    tokens = arguments.get("input_ids")
    taken = "attention_mask" in signature_of(model).parameters and arguments.get("attention_mask") is None
    if not taken or not isinstance(tokens, torch.Tensor) or tokens.dim() != 2:
        return None
    mask = torch.ones_like(tokens)
    mask[:, -1:] = 0
    return {**arguments, "attention_mask": mask}


def _batch_size(arguments: Mapping[str, Any]) -> int:
    """Return the batch size, taken to be the first dimension of the first tensor that has dimensions; 0 if there is no such tensor."""
    tensors = (one for one in tree_leaves(dict(arguments)) if isinstance(one, torch.Tensor) and one.dim())
    first = next(tensors, None)
    return first.shape[0] if first is not None else 0


def _map_batch(arguments: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """Return the arguments, with ``change`` applied to tensors whose first dimension is the batch size, and copies of other tensors."""
    size = _batch_size(arguments)

    def changed(value: torch.Tensor) -> torch.Tensor:
        return change(value) if value.dim() and value.shape[0] == size else value.clone()

    return dict(tree_map_only(torch.Tensor, changed, dict(arguments)))
