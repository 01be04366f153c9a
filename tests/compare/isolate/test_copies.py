"""bridge.compare.isolate.copies: copies have the values, strides and aliases of the originals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from bridge.compare.isolate.copies import CopyCache, FreshCopies, NotCopiedError, duplicate, map_tensors, tensors

BASE = torch.arange(24.0).reshape(4, 6)


@dataclass
class Pair:
    one: torch.Tensor
    other: int


@pytest.mark.parametrize(
    "tensor",
    [
        BASE,
        BASE.t(),
        BASE[::2],
        BASE[:, 1:4],
        BASE[0].expand(3, 6),
        BASE.bool(),
        BASE[:0],
        torch.tensor(1.0),
        BASE.to_sparse(),
    ],
)
def test_a_copy_has_equal_elements_and_strides(tensor: torch.Tensor) -> None:
    made = duplicate(tensor)
    assert torch.equal(made.to_dense(), tensor.to_dense())
    assert made.layout is not torch.strided or made.stride() == tensor.stride()
    assert made.layout is not torch.strided or tensor.numel() == 0 or made.data_ptr() != tensor.data_ptr()


def test_containers_are_copied_and_other_objects_refused() -> None:
    value = {"a": (BASE, [1, BASE]), "b": Pair(BASE, 2), "c": torch.return_types.max((BASE, BASE))}
    made = map_tensors(value, lambda tensor: tensor + 1)
    assert type(made["c"]) is torch.return_types.max
    assert [torch.equal(tensor, BASE + 1) for tensor in tensors(made)] == [True] * 5
    assert made["b"].other == 2
    assert value["b"].one is BASE
    with pytest.raises(NotCopiedError, match="an object"):
        map_tensors([object()], lambda tensor: tensor)


def test_an_unchanged_tensor_is_copied_once() -> None:
    cache = CopyCache()
    tensor = BASE.clone()
    first, second = cache.copy((tensor, tensor))
    assert first is second
    assert cache.size == tensor.numel() * 4
    tensor.add_(1)
    third = cache.copy(tensor)
    assert third is not first
    assert torch.equal(first, BASE)


def test_a_tensor_that_occurs_twice_is_copied_once_and_can_be_written() -> None:
    kept = CopyCache().copy(BASE.clone().requires_grad_())
    fresh = FreshCopies(gradients=True)
    first, second = fresh([kept, kept])
    assert first is second
    first.add_(1)
    first.sum().backward()
    assert fresh.leaves[id(kept)].grad is not None


def test_the_attributes_of_a_copied_model_output_are_its_entries() -> None:
    class Named(dict[str, Any]):
        hidden: torch.Tensor

    named = Named(hidden=torch.ones(2))
    named.hidden = named["hidden"]
    made = map_tensors(named, duplicate)
    assert made["hidden"] is made.hidden
    assert made.hidden is not named.hidden
    assert map_tensors({"none": None}, duplicate) == {"none": None}
