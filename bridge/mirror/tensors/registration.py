"""Registration of C#'s tensors in Python's modules, on PyTorch's default device and with PyTorch's registration hooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as global_hooks


@contextmanager
def construct_on_cpu() -> Iterator[torch.device]:
    """Use the CPU as the default device of PyTorch in the block, and yield the previous default device.

    C#'s constructors then create tensors on the CPU unless they name another device. :func:`move_to_default` moves CPU tensors afterwards.
    """
    device = torch.get_default_device()
    if device.type == "cpu":
        yield device
        return
    with torch.device("cpu"):
        yield device


def register_parameter(mirror: torch.nn.Module, name: str, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Register a tensor as a parameter, and return the registered parameter.

    If ``tensor`` is a Parameter already, because another module has it too, the same object is registered, unless a registration hook
    replaces it.
    """
    if isinstance(tensor, torch.nn.Parameter):
        registered = mirror._parameters[name] = call_registration_hooks("parameter", mirror, name, tensor)
        return tensor if registered is None else registered
    parameter = torch.nn.Parameter(move_to_default(tensor.detach(), device), tensor.requires_grad)
    if not name or "." in name or hasattr(mirror, name):  # a name that C# allows and PyTorch rejects
        registered = mirror._parameters[name] = call_registration_hooks("parameter", mirror, name, parameter)
    else:
        mirror.register_parameter(name, parameter)
        registered = mirror._parameters[name]
    return parameter if registered is None else registered


def call_registration_hooks(kind: str, module: torch.nn.Module, name: str, value: Any) -> Any:
    """Call PyTorch's global registration hooks of a kind (``parameter``, ``module``); return the value to register."""
    for hook in getattr(global_hooks, f"_global_{kind}_registration_hooks").values():
        replacement = hook(module, name, value)
        value = value if replacement is None else replacement
    return value


def move_to_default(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return the tensor on the default device, unless C# placed it on a device other than the CPU."""
    return tensor.to(device) if tensor.device.type == "cpu" and device.type != "cpu" else tensor
