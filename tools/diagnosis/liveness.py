"""Whether a mutant behaves differently from the unmutated port, found without compare. Rounding errors do not count."""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map_only

from pytorch_tools.comparing import differences

MODES: Final = (False, True)
INPUTS: Final = (0, 1, 2)


def run(
    model: torch.nn.Module, state: dict[str, torch.Tensor], inputs: tuple[Any, ...], *, train: bool
) -> dict[str, Any]:
    """Run a model with the weights ``state`` forward and backward, and return what can be observed.

    ``raised`` is the type of an exception, ``calls`` are the module paths in order, ``values`` the result and then the inputs and buffers
    after the run, and ``gradients`` those of parameters and inputs.
    """
    calls: list[tuple[str, str]] = []
    observed: dict[str, Any] = {"raised": "", "calls": calls, "values": [], "gradients": {}}
    model.load_state_dict(state)
    model.train(train)
    model.zero_grad(set_to_none=True)
    handles = []
    for path, module in model.named_modules():
        for hook, register in (("pre", module.register_forward_pre_hook), ("forward", module.register_forward_hook)):
            handles.append(register(lambda *_, path=path, hook=hook: calls.append((path, hook))))
    inputs = tree_map_only(torch.Tensor, _leaf, inputs)
    given = [leaf for leaf in tree_leaves(inputs) if isinstance(leaf, torch.Tensor)]
    torch.manual_seed(5)
    try:
        leaves, structure = tree_flatten(model(*inputs))
        graded = [leaf for leaf in leaves if getattr(leaf, "requires_grad", False)]
        after = [tensor.detach().clone() for tensor in (*given, *model.buffers())]
        observed["values"] = [
            str(structure),
            *leaves,
            *after,
            [getattr(leaf, "requires_grad", False) for leaf in leaves],
        ]
        generator = torch.Generator().manual_seed(6)
        if graded:
            torch.autograd.backward(graded, [_weights(leaf, generator) for leaf in graded])
        observed["gradients"] = {name: parameter.grad for name, parameter in model.named_parameters()}
        observed["gradients"] |= {f"input {number}": tensor.grad for number, tensor in enumerate(given)}
    except Exception as error:  # a mutant may raise anything
        observed["raised"] = type(error).__name__
    finally:
        for handle in handles:
            handle.remove()
    return observed


def difference(first: dict[str, Any], second: dict[str, Any]) -> str:
    """Return the first of ``raised``, ``calls``, ``values`` and ``gradients`` that differs between two runs; empty if none does."""
    return next((key for key in first if any(differences(first[key], second[key], 1e-5, rtol=1e-4))), "")


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    copy = tensor.detach().clone()
    return copy.requires_grad_(copy.is_floating_point())


def _weights(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(tensor.shape, generator=generator, dtype=torch.float64).to(tensor.dtype)
