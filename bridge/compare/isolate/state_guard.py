"""What a module reads besides its arguments, and a comparison must leave as it found it: random state, buffers, gradients, modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import torch

_CONTAINERS: Final = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)


@dataclass(frozen=True, slots=True, eq=False)
class Randomness:
    """The states of the generators: the CPU's, and the current device's of CUDA where a model is there."""

    cpu: torch.Tensor
    cuda: torch.Tensor | None

    def restore(self) -> None:
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state(self.cuda)

    def is_same(self, other: Randomness) -> bool:
        return torch.equal(self.cpu, other.cpu) and (
            self.cuda is None or other.cuda is None or torch.equal(self.cuda, other.cuda)
        )


def randomness(on_cuda: bool = False) -> Randomness:
    """The states now."""
    return Randomness(torch.get_rng_state(), torch.cuda.get_rng_state() if on_cuda else None)


def is_torchs(module: torch.nn.Module) -> bool:
    """One of PyTorch's own classes that compute by themselves: it is judged as a whole, whatever is below it."""
    kind = type(module)
    return kind.__module__.startswith("torch.nn.modules") and kind not in _CONTAINERS


def buffers_of(module: torch.nn.Module, recurse: bool = True) -> dict[str, torch.Tensor]:
    """Copies of the buffers of a module, and of what is below it, by name."""
    named = module.named_buffers(recurse=recurse, remove_duplicate=False)
    return {name: buffer.detach().clone() for name, buffer in named}


def set_buffers(module: torch.nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """Writes the values of buffers that are there, in place where the shapes allow."""
    with torch.no_grad():
        for name, buffer in module.named_buffers(remove_duplicate=False):
            value = values.get(name)
            if value is None or (value.shape == buffer.shape and torch.equal(value, buffer)):
                continue
            if value.shape == buffer.shape and not buffer.is_inference():
                buffer.copy_(value)
            else:
                owner, _, last = name.rpartition(".")
                module.get_submodule(owner)._buffers[last] = value.clone()


@contextmanager
def untouched(*models: torch.nn.Module) -> Iterator[None]:
    """Afterwards the models' buffers, gradients and modes, the random state and the gradient mode are what they were."""
    on_cuda = any(parameter.is_cuda for model in models for parameter in model.parameters())
    random = randomness(on_cuda)
    buffers = [buffers_of(model) for model in models]
    gradients = [[(one, one.grad) for one in model.parameters()] for model in models]
    modes = [[(module, module.training) for module in model.modules()] for model in models]
    flow = torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_grad_enabled(flow)
        random.restore()
        for model, values in zip(models, buffers, strict=True):
            set_buffers(model, values)
        for some in gradients:
            for parameter, gradient in some:
                parameter.grad = gradient
        for each in modes:
            for module, training in each:
                if module.training is not training:
                    module.training = training
