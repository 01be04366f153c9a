"""Functions that save, set and restore the state of modules: random state, buffers, gradients, modes and ``forward``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch

_CONTAINERS: Final = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)


@dataclass(frozen=True, slots=True, eq=False)
class RandomState:
    """The states of the random generators of the CPU and, for a model on CUDA, of the current CUDA device."""

    cpu: torch.Tensor
    cuda: torch.Tensor | None

    def restore(self) -> None:
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state(self.cuda)

    def is_same(self, other: RandomState) -> bool:
        return torch.equal(self.cpu, other.cpu) and (
            self.cuda is None or other.cuda is None or torch.equal(self.cuda, other.cuda)
        )


def get_random_state(on_cuda: bool = False) -> RandomState:
    return RandomState(torch.get_rng_state(), torch.cuda.get_rng_state() if on_cuda else None)


def is_on_cuda(*models: torch.nn.Module) -> bool:
    """Return whether a parameter of the models is on a CUDA device."""
    return any(parameter.is_cuda for model in models for parameter in model.parameters())


def is_builtin(module: torch.nn.Module) -> bool:
    """Return whether the module's class is one of ``torch.nn``, except Sequential, ModuleList and ModuleDict.

    A built-in module is compared as a whole, together with its child modules.
    """
    kind = type(module)
    return kind.__module__.startswith("torch.nn.modules") and kind not in _CONTAINERS


def copy_buffers(module: torch.nn.Module, recurse: bool = True) -> dict[str, torch.Tensor]:
    """Copy the buffers of a module, and with ``recurse`` those of its descendants, by name."""
    named = module.named_buffers(recurse=recurse, remove_duplicate=False)
    return {name: buffer.detach().clone() for name, buffer in named}


def set_buffers(module: torch.nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """Set the buffers that are in ``values``, in place if possible."""
    with torch.no_grad():
        for name, buffer in module.named_buffers(remove_duplicate=False):
            if name not in values:
                continue
            value = values[name].to(buffer.device)
            if value.shape == buffer.shape and torch.equal(value, buffer):
                continue
            if value.shape == buffer.shape and not buffer.is_inference():
                buffer.copy_(value)
            else:
                owner, _, last = name.rpartition(".")
                module.get_submodule(owner)._buffers[last] = value.clone()


@contextmanager
def preserve_state(*models: torch.nn.Module) -> Iterator[None]:
    """Restore the models' buffers, gradients and training modes, the random state and the gradient mode when the context ends.

    A gradient is restored by reference, so a backward pass that adds in place to an existing ``.grad`` is not undone.
    """
    random = get_random_state(is_on_cuda(*models))
    buffers = [copy_buffers(model) for model in models]
    gradients = [(parameter, parameter.grad) for model in models for parameter in model.parameters()]
    modes = [(module, module.training) for model in models for module in model.modules()]
    grad_enabled = torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_grad_enabled(grad_enabled)
        random.restore()
        for model, values in zip(models, buffers, strict=True):
            set_buffers(model, values)
        for parameter, gradient in gradients:
            parameter.grad = gradient
        for module, training in modes:
            if module.training is not training:
                module.training = training


@contextmanager
def replace_forwards(forwards: Mapping[torch.nn.Module, Callable[..., Any]]) -> Iterator[None]:
    """Set the ``forward`` attributes of module instances, and restore them when the context ends."""
    previous = {module: vars(module).get("forward") for module in forwards}
    for module, forward in forwards.items():
        set_forward(module, forward)
    try:
        yield
    finally:
        for module, own in previous.items():
            set_forward(module, own)


def set_forward(module: torch.nn.Module, forward: Callable[..., Any] | None) -> None:
    """Set the ``forward`` attribute of an instance; None deletes it, so that the class's method is used."""
    if forward is None:
        object.__delattr__(module, "forward")
    else:
        object.__setattr__(module, "forward", forward)
