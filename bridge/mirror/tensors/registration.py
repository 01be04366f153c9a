"""Tensors that C# made become a mirror's, on PyTorch's default device, as those of a module of PyTorch's own would be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as globals_


@contextmanager
def made_on_cpu() -> Iterator[torch.device]:
    """Gives the default device (``torch.device(...)`` as a context, ``torch.set_default_device``), which is the CPU inside of the block.

    TorchSharp's constructors know no such default: they compute on the CPU what they do not place elsewhere.
    """
    device = torch.get_default_device()
    if device.type == "cpu":
        yield device
        return
    with torch.device("cpu"):
        yield device


def parameter(mirror: torch.nn.Module, name: str, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Registers it, as PyTorch does (what patches ``register_parameter`` sees it), and gives the parameter that the mirror has then.

    A parameter, which another module has too, stays the object that it is, unless a hook replaces it.
    """
    if isinstance(tensor, torch.nn.Parameter):
        kept = mirror._parameters[name] = registered("parameter", mirror, name, tensor)
        return tensor if kept is None else kept
    made = torch.nn.Parameter(placed(tensor.detach(), device), tensor.requires_grad)
    if not name or "." in name or hasattr(mirror, name):  # PyTorch would refuse a name that C# allows
        kept = mirror._parameters[name] = registered("parameter", mirror, name, made)
    else:
        mirror.register_parameter(name, made)
        kept = mirror._parameters[name]
    return made if kept is None else kept


def registered(kind: str, module: torch.nn.Module, name: str, value: Any) -> Any:
    """Run PyTorch's global registration hooks of a kind (``parameter``, ``module``), and return what is to be registered."""
    for hook in getattr(globals_, f"_global_{kind}_registration_hooks").values():
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


def placed(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """The tensor on the default device, unless C# placed it elsewhere itself."""
    return tensor.to(device) if tensor.device.type == "cpu" and device.type != "cpu" else tensor
