"""Whether a mutant lives: an independent run, which shares nothing with compare, finds that it does something else than the port.

Values that differ by rounding alone are equal here, so that no mutant lives by its last bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import torch

MODES: Final = (False, True)
INPUTS: Final = (0, 1, 2)


@dataclass
class Lived:
    """The run of a model on one input in one mode.

    The calls of its modules in order, its result, the inputs and buffers afterwards, and gradients; ``raised`` is the type of the
    exception that ended it, if any.
    """

    calls: list[tuple[str, str]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    gradients: dict[str, torch.Tensor | None] = field(default_factory=dict)
    raised: str = ""


def lived(model: torch.nn.Module, state: dict[str, torch.Tensor], inputs: tuple[Any, ...], *, train: bool) -> Lived:
    """Run a model with the weights ``state``, forward and backward."""
    found = Lived()
    model.load_state_dict(state)
    model.train(train)
    model.zero_grad(set_to_none=True)
    handles = []
    for path, module in model.named_modules():
        for register, when in ((module.register_forward_pre_hook, "pre"), (module.register_forward_hook, "forward")):
            handles.append(register(lambda *_, path=path, when=when: found.calls.append((path, when))))
    own = tuple(_copied(one) for one in inputs)
    torch.manual_seed(5)
    try:
        result = model(*own)
        given = [one for one in _flat(own) if isinstance(one, torch.Tensor)]
        found.values = [
            *_flat(result),
            *(one.detach().clone() for one in given),
            *(one.clone() for one in model.buffers()),
        ]
        generator = torch.Generator().manual_seed(6)
        total = torch.zeros((), dtype=torch.float64)
        for one in _flat(result):
            if isinstance(one, torch.Tensor) and one.requires_grad:
                total = total + (one.double() * torch.randn(one.shape, generator=generator, dtype=torch.float64)).sum()
        if total.requires_grad:
            torch.autograd.backward(total)
        found.gradients = {name: one.grad for name, one in model.named_parameters()}
        found.gradients.update((f"input {number}", one.grad) for number, one in enumerate(given))
    except Exception as error:
        found.raised = type(error).__name__
    finally:
        for handle in handles:
            handle.remove()
    return found


def other(a: Lived, b: Lived) -> str:
    """Describe how the second run differs from the first; empty if it does not."""
    if a.raised != b.raised:
        return "raised"
    if a.calls != b.calls:
        return "calls"
    if len(a.values) != len(b.values) or not all(map(_same, a.values, b.values)):
        return "values"
    if a.gradients.keys() != b.gradients.keys() or not all(
        _same(a.gradients[name], b.gradients[name]) for name in a.gradients
    ):
        return "gradients"
    return ""


def _same(x: Any, y: Any) -> bool:
    if not isinstance(x, torch.Tensor) or not isinstance(y, torch.Tensor):
        return type(x) is type(y) and bool(x == y)
    if x.shape != y.shape or x.dtype != y.dtype or x.requires_grad != y.requires_grad:
        return False
    return torch.allclose(x.detach(), y.detach(), rtol=1e-4, atol=1e-5, equal_nan=True)


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        own = value.detach().clone()
        return own.requires_grad_() if own.is_floating_point() else own
    return type(value)(map(_copied, value)) if isinstance(value, (list, tuple)) else value


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [len(value), *(leaf for one in value for leaf in _flat(one))]
    if isinstance(value, dict):
        return [tuple(value), *(leaf for one in value.values() for leaf in _flat(one))]
    return [value]
