"""arguments.py: tuples and keywords that are spread reach the parameters (issue 43, section 2)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Compare
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([[1.0, -2.0]])


def keywords(x: torch.Tensor, **options: Any) -> torch.Tensor:
    return x * options.get("scale", 2.0) if "scale" in options else x


def calls_with_keywords(x: torch.Tensor) -> torch.Tensor:
    return keywords(x, scale=3.0)


def test_keywords_are_read_as_the_parameters_that_they_stand_for() -> None:
    assert differences(keywords, ((T,),), ()) == []
    assert found(lower(calls_with_keywords, (T,)), Compare) == []


def spread(x: torch.Tensor, pair: tuple[int, int]) -> torch.Tensor:
    return scaled(x, *pair)


def scaled(x: torch.Tensor, a: int, b: int = 1) -> torch.Tensor:
    return x * a + b


def test_a_tuple_is_spread_over_the_parameters() -> None:
    assert differences(spread, ((T, (2, 3)),), ((T, (-1, 0)),)) == []


def too_many(x: torch.Tensor) -> torch.Tensor:
    return x if x is None else scaled(x, *[1, 2][:1])


def test_a_list_of_unknown_length_is_not_spread() -> None:
    with pytest.raises(Untranslatable, match="number that is not known"):
        lower(too_many, (T,))
