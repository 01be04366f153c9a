"""bridge.compare.isolate.causes.inplace: a write in place is a cause if PyTorch's forward with it gives C#'s values."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bridge.compare.isolate.causes.inplace import InPlaceRun, find_extra_writes
from bridge.compare.isolate.operators import OperatorRecorder

Record = Callable[..., OperatorRecorder]


def ours(x: Tensor) -> tuple[Tensor, Tensor]:
    m = x.sin()
    return m + x.exp(), m


def theirs(x: Tensor) -> tuple[Tensor, Tensor]:
    m = x.sin()
    other = x.clone().neg_()
    return m.add_(x.exp()), m + 0 * other


def test_the_write_gives_the_other_sides_values(record: Record, x: Tensor) -> None:
    writes = list(find_extra_writes(record(ours), record(theirs)))
    assert [operator.aten for operator in writes] == ["neg_", "add_"]
    run = InPlaceRun(writes[1])
    with run:
        result = ours(x)
    assert run.was_applied
    assert all(map(torch.allclose, result, theirs(x)))


def test_a_write_by_another_operator_is_not_applied(record: Record, x: Tensor) -> None:
    run = InPlaceRun(next(find_extra_writes(record(ours), record(theirs))))
    with run:
        result = ours(x)
    assert not run.was_applied
    assert all(map(torch.equal, result, ours(x)))


def test_a_write_on_both_sides_is_no_difference(record: Record) -> None:
    assert list(find_extra_writes(record(theirs), record(theirs))) == []


@pytest.mark.parametrize("change", [lambda x: x + 1, Tensor.double])
def test_a_write_to_another_tensor_is_not_applied(
    record: Record, x: Tensor, change: Callable[[Tensor], Tensor]
) -> None:
    run = InPlaceRun(next(operator for operator in record(theirs).operators if operator.aten == "add_"))
    with run:
        change(x).add(1)
    assert not run.was_applied
