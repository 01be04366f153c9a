"""Errors for backward passes through results of the process of TorchSharp: gradients do not reach that process."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

GRADIENTS = (
    "gradients do not reach the process of TorchSharp: load the model without "
    'runtime="torchsharp" to train it, or call it in torch.no_grad()'
)


def any_requires_grad(value: Any) -> bool:
    """Return whether a tensor in nested tuples, lists and dictionaries requires gradients."""
    if isinstance(value, torch.Tensor):
        return value.requires_grad
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return any(any_requires_grad(item) for item in items)


class _Refusing(torch.autograd.Function):
    """A node of the autograd graph whose backward pass raises. Without the node, the parameters would silently get no gradients."""

    @staticmethod
    def forward(ctx: Any, marker: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> NoReturn:
        raise RuntimeError(GRADIENTS)


def refuse_gradients(value: Any) -> Any:
    """Return ``value`` with each floating-point or complex tensor replaced by a view whose backward pass raises RuntimeError."""
    if isinstance(value, torch.Tensor):
        if not (value.is_floating_point() or value.is_complex()):
            return value
        return _Refusing.apply(torch.empty(0, requires_grad=True), value)  # type: ignore[no-untyped-call]  # torch has no type for it
    if isinstance(value, tuple):
        return tuple(refuse_gradients(item) for item in value)
    if isinstance(value, list):
        return [refuse_gradients(item) for item in value]
    if isinstance(value, dict):
        return {key: refuse_gradients(item) for key, item in value.items()}
    return value
