"""statements/accumulators.py: a number that becomes a tensor keeps the tensor's dtype, and is not taken for one before."""

from __future__ import annotations

import pytest
import torch

from tests.port.frontend.interpreter import run
from tests.port.frontend.lowering import differences, lower

T = torch.tensor([1.0, -2.0])


def sums(parts: list[torch.Tensor]) -> torch.Tensor:
    loss = 0.0
    for one in parts:
        loss += one.sum()
    return loss / 2


def in_a_branch(x: torch.Tensor, flag: bool) -> torch.Tensor:
    loss = 0
    if flag:
        loss = loss + x.sum()
    loss = loss + x
    return loss  # noqa: RET504  # what makes a new value of it is written for both


def either(x: torch.Tensor, first: bool, second: bool) -> torch.Tensor:
    a = 0
    if first:
        a = x * 2
    b = 0
    if second:
        b = x + 1
    whole = a + b
    return whole * 3


def test_a_sum_of_two_that_may_be_numbers() -> None:
    tried = ((T, True, False), (T, False, True), (T.half(), True, True))
    made = lower(either, *tried)
    assert differences(either, tried, tried) == []
    with pytest.raises(NotImplementedError, match=r"'a \+ b' is a number here"):
        run(made, T, False, False)


def test_the_first_tensor_gives_the_dtype() -> None:
    tried = [([T.half(), T.half()],), ([T.double()],), ([T.long()],)]
    assert differences(sums, (([T, T],),), tuple(tried)) == []
    assert differences(in_a_branch, ((T, True),), ((T, False), (T.half(), True))) == []


def test_the_number_itself_is_refused_when_it_is_read() -> None:
    made = lower(sums, ([T],))
    with pytest.raises(NotImplementedError, match="loss is a number here"):
        run(made, [])
