"""parameters.py: parameters of which C# has no type are fixed at None, and said to be (issue 43, section 2)."""

from __future__ import annotations

import torch

from bridge.port.ir.types import NONE, TENSOR, OptionalOf
from tests.port.frontend.lowering import lower

T = torch.ones(2)


class Cache:
    def update(self, x: torch.Tensor) -> torch.Tensor:
        return x


def cached(x: torch.Tensor, cache: Cache | None = None) -> torch.Tensor:
    if cache is not None:
        x = cache.update(x)
    return x


def masked(x: torch.Tensor, mask: torch.LongTensor | None = None) -> torch.Tensor:
    return x if mask is None else x * mask


def kept(x: torch.Tensor, past=None) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as much of the world's code is
    return x if past is None else past.updated(x)


def placed(x: torch.Tensor, device: torch.device | str = "cpu") -> torch.Tensor:
    return x.to(device)


def test_a_parameter_of_a_foreign_class_is_fixed_at_none() -> None:
    made = lower(cached, (T,))
    assert [one.name for one in made.parameters] == ["x"]
    assert [(place, one.name, one.type) for place, one in made.fixed] == [(1, "cache", NONE)]


def test_a_parameter_that_is_used_as_no_tensor_is_fixed_at_none() -> None:
    assert [one.name for _, one in lower(kept, (T,)).fixed] == ["past"]


def test_a_tensor_that_may_be_none_stays_a_parameter() -> None:
    made = lower(masked, (T,))
    assert [one.type for one in made.parameters] == [TENSOR, OptionalOf(TENSOR)]
    assert not made.fixed


def test_a_device_by_its_name_is_a_device() -> None:
    made = lower(placed, (T, torch.device("cpu")))
    assert [str(one.type) for one in made.parameters] == ["Tensor", "device"]
