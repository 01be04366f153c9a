"""Which gradients count as equal: sums of floating-point numbers in another order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import torch

#: Gradients by name, ``input x`` those of inputs; None where nothing flowed.
Gradients: TypeAlias = Mapping[str, torch.Tensor | None]
#: So many roundings of the largest gradient of a module are the error of a sum in another order.
ROUNDINGS: Final = 256


def roundings(a: Gradients, b: Gradients) -> dict[str, float]:
    """By name, the absolute difference that the order of sums explains: :data:`ROUNDINGS` times the precision of the dtype, of the largest
    gradient of the same module on either side. A bias in front of a norm has none but such errors."""
    largest: dict[str, float] = {}
    for side in (a, b):
        for name, value in side.items():
            if (size := _largest(value)) > 0:
                largest[_module(name)] = max(largest.get(_module(name), 0.0), size)
    found = {}
    for name, value in a.items():
        if value is not None and (value.is_floating_point() or value.is_complex()):
            found[name] = ROUNDINGS * torch.finfo(value.dtype).eps * largest.get(_module(name), 0.0)
    return found


def _module(name: str) -> str:
    return name if name.startswith("input ") else name.rpartition(".")[0]


def _largest(value: torch.Tensor | None) -> float:
    if value is None or not value.numel():
        return 0.0
    dense = value.detach().to_dense() if value.layout is not torch.strided else value.detach()
    finite = dense.abs()[torch.isfinite(dense)]
    return float(finite.max()) if finite.numel() else 0.0


def rounded(gradients: Gradients) -> str:
    """What the comparison says of it, where gradients differ."""
    kinds = [value.dtype for value in gradients.values() if value is not None]
    shares = " and ".join(
        f"{ROUNDINGS * torch.finfo(kind).eps:.3g} for {str(kind)[6:]}" for kind in dict.fromkeys(kinds)
    )
    return (
        f"Gradients are equal within {ROUNDINGS} roundings of the largest in their module ({shares}), since sums may be in another order. "
        "--exact asks for the same bits."
    )
