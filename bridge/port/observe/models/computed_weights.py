"""Layers whose weight is computed by a hook of ``weight_norm`` or ``spectral_norm``, given classes whose forward computes the weight."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import nn


class _WeightNorm:
    def compute_weight(self: Any) -> torch.Tensor:
        """Return the weight: ``weight_v`` with the lengths in ``weight_g``."""
        norm = torch.linalg.vector_norm(self.weight_v, 2.0, self.norm_dims, keepdim=True)
        return self.weight_v * (self.weight_g / norm)  # type: ignore[no-any-return]  # an attribute of a module is Any


class _SpectralNorm:
    def compute_weight(self: Any) -> torch.Tensor:
        """Return the weight: ``weight_orig`` over its largest singular value, which each call in train mode approximates better."""
        matrix = self.weight_orig.transpose(0, 1).flatten(1) if self.norm_dim == 1 else self.weight_orig.flatten(1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.norm_iterations):
                    self.weight_v.copy_(F.normalize(torch.mv(matrix.t(), self.weight_u), dim=0, eps=self.norm_eps))
                    self.weight_u.copy_(F.normalize(torch.mv(matrix, self.weight_v), dim=0, eps=self.norm_eps))
        u, v = self.weight_u.clone(), self.weight_v.clone()
        return self.weight_orig / torch.dot(u, torch.mv(matrix, v))  # type: ignore[no-any-return]  # as above


class _Linear:
    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        """Apply the layer with the computed weight."""
        return F.linear(input, self.compute_weight(), self.bias)


class _Conv1d:
    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        """Apply the layer with the computed weight."""
        return F.conv1d(input, self.compute_weight(), self.bias, self.stride, self.padding, self.dilation, self.groups)


class _Conv2d:
    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        """Apply the layer with the computed weight."""
        return F.conv2d(input, self.compute_weight(), self.bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTranspose1d:
    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        """Apply the layer with the computed weight."""
        weight, more = self.compute_weight(), self.output_padding
        return F.conv_transpose1d(input, weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


class _ConvTranspose2d:
    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        """Apply the layer with the computed weight."""
        weight, more = self.compute_weight(), self.output_padding
        return F.conv_transpose2d(input, weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


#: The class that a layer gets, by the name of the hook's class and by the layer's own class.
_KINDS: Final[dict[tuple[str, type[nn.Module]], type[nn.Module]]] = {
    (norm.__name__[1:], kind): type(
        f"{norm.__name__[1:]}{kind.__name__}", (forward, norm, kind), {"__module__": __name__}
    )
    for norm in (_WeightNorm, _SpectralNorm)
    for forward, kind in (
        (_Linear, nn.Linear),
        (_Conv1d, nn.Conv1d),
        (_Conv2d, nn.Conv2d),
        (_ConvTranspose1d, nn.ConvTranspose1d),
        (_ConvTranspose2d, nn.ConvTranspose2d),
    )
}


def hook_of(module: nn.Module) -> Any:
    """Return the hook of PyTorch's that computes the weight of a layer; None if it has none, or if the hook or layer is not supported."""
    hooks = list(module._forward_pre_hooks.values())
    hook: Any = hooks[0] if len(hooks) == 1 else None
    if type(hook).__module__ not in ("torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm"):
        return None
    known = (type(hook).__name__, type(module)) in _KINDS and getattr(module, "padding_mode", "zeros") == "zeros"
    return hook if known and hook.name == "weight" and getattr(hook, "dim", 0) in (-1, 0, 1) else None


@contextmanager
def computed_in_forward(model: nn.Module) -> Iterator[None]:
    """Give each layer whose weight is computed by a hook a class whose forward computes it, within the ``with`` statement."""
    hooks = {one: hook for one in model.modules() if (hook := hook_of(one)) is not None}
    before = {one: (type(one), dict(vars(one))) for one in hooks}
    try:
        for module, hook in hooks.items():
            name, kind = type(hook).__name__, type(module)
            _settle(module, hook, name)
            module._forward_pre_hooks = type(module._forward_pre_hooks)()
            vars(module).pop("weight", None)
            module.__class__ = _KINDS[name, kind]
        yield
    finally:
        for module, (kind, attributes) in before.items():
            module.__class__ = kind
            for name in vars(module).keys() - attributes.keys():
                del vars(module)[name]
            vars(module).update(attributes, training=module.training)


def _settle(module: Any, hook: Any, name: str) -> None:
    """Set the attributes that the computation of the weight reads."""
    if name == "WeightNorm":
        module.norm_dims = tuple(one for one in range(module.weight_v.dim()) if one != hook.dim)
    else:
        module.norm_dim, module.norm_iterations, module.norm_eps = hook.dim, hook.n_power_iterations, hook.eps
