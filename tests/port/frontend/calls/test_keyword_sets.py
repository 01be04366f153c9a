"""calls/keyword_sets.py: a dictionary that only gives keyword arguments is a variable for each."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import DictLiteral
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def scaled(x: torch.Tensor, factor: float = 1.0, twice: bool = False) -> torch.Tensor:
    return x * factor * (2 if twice else 1)


def given(x: torch.Tensor, n: float) -> torch.Tensor:
    settings = {"factor": n, "twice": n > 1}
    n = n + 1
    return scaled(x, **settings) + scaled(x * n, **settings)


def in_a_loop(x: torch.Tensor, n: float) -> torch.Tensor:
    for _ in range(3):
        settings = {"factor": n}
        n = n + 1
        x = scaled(x, **settings)
    return x


def read_too(x: torch.Tensor, n: float) -> torch.Tensor:
    settings = {"factor": n}
    return scaled(x, **settings) * len(settings)


def test_keywords_have_the_values_of_where_the_dictionary_was_made() -> None:
    assert not found(lower(given, (T, 0.5)), DictLiteral)
    assert differences(given, ((T, 0.5),), ((T, 3.0),)) == []
    assert differences(in_a_loop, ((T, 0.5),), ((T, 3.0),)) == []


def test_a_dictionary_that_is_read_as_such_is_none_of_them() -> None:
    with pytest.raises(Untranslatable, match="arguments that are spread"):
        lower(read_too, (T, 0.5))
