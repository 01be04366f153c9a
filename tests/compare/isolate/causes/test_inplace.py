"""bridge.compare.isolate.causes.inplace: a write in place is a cause where PyTorch's forward with it does the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bridge.compare.isolate.causes.inplace import InPlaceRun, find_extra_writes
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.source_location import SourceLocation

X = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


def recorded(forward: Callable[[Tensor], tuple[Tensor, Tensor]]) -> OperatorRecorder:
    made = OperatorRecorder(SourceLocation)
    with made:
        made.module_returned(forward(X))
    return made


def ours(x: Tensor) -> tuple[Tensor, Tensor]:
    m = x.sin()
    return m + x.exp(), m


def theirs(x: Tensor) -> tuple[Tensor, Tensor]:
    m = x.sin()
    other = x.clone().neg_()
    return m.add_(x.exp()), m + 0 * other


def test_with_the_write_it_gives_what_the_other_gives() -> None:
    by = list(find_extra_writes(recorded(ours), recorded(theirs)))
    assert [one.aten for one in by] == ["neg_", "add_"]
    assert all(one.is_in_place for one in by)
    listener = InPlaceRun(by[1])
    with listener:
        result = ours(X)
    assert listener.was_applied
    assert all(torch.allclose(one, other) for one, other in zip(result, theirs(X), strict=True))


def test_one_that_the_first_does_not_call_is_not_done() -> None:
    listener = InPlaceRun(next(find_extra_writes(recorded(ours), recorded(theirs))))
    with listener:
        result = ours(X)
    assert not listener.was_applied
    assert all(torch.equal(one, other) for one, other in zip(result, ours(X), strict=True))


def test_what_both_write_is_no_difference() -> None:
    assert list(find_extra_writes(recorded(theirs), recorded(theirs))) == []


@pytest.mark.parametrize("given", [X + 1, X.double()])
def test_the_same_operator_on_something_else_writes_nothing(given: Tensor) -> None:
    by = next(one for one in recorded(theirs).operators if one.aten == "add_")
    listener = InPlaceRun(by)
    with listener:
        given.add(1)
    assert not listener.was_applied
