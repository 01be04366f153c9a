"""arguments.py: tuples and keywords that are spread reach the parameters (issue 43, section 2)."""

from __future__ import annotations

import functools
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


def parts(x: torch.Tensor, n: int) -> tuple[torch.Tensor, int, int]:
    x.add_(1)
    return x * 2, n, n + 1


def spread_results(x: torch.Tensor, n: int) -> torch.Tensor:
    items = scaled(*parts(x, n))
    return items + scaled(*parts(items, n))


def test_a_result_is_computed_once_and_spread_over_the_parameters() -> None:
    assert differences(spread_results, ((T, 2),), ((T, -3),)) == []


SPACE: dict[str, Any] = {"__name__": "transformers.utils.generic", "wraps": functools.wraps}
exec(
    "def can_return_tuple(function):\n    @wraps(function)\n    def wrapper(*args, **kwargs):\n"
    "        kwargs.pop('return_dict', None)\n        return function(*args, **kwargs)\n    return wrapper",
    SPACE,
)


@SPACE["can_return_tuple"]  # type: ignore[untyped-decorator]  # as transformers has it
def recorded(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def calls_recorded(x: torch.Tensor) -> torch.Tensor:
    return recorded(x, return_dict=True)  # type: ignore[call-arg, no-any-return]  # which the decorator takes


def calls_for_a_tuple(x: torch.Tensor) -> torch.Tensor:
    return recorded(x, return_dict=False)  # type: ignore[call-arg, no-any-return]  # which the decorator takes


def test_an_argument_that_a_decorator_of_transformers_takes_reaches_no_parameter() -> None:
    assert differences(calls_recorded, ((T,),), ()) == []
    with pytest.raises(Untranslatable, match="no parameter return_dict"):
        lower(calls_for_a_tuple, (T,))


def too_many(x: torch.Tensor) -> torch.Tensor:
    return x if x is None else scaled(x, *[1, 2][:1])


def test_a_list_of_unknown_length_is_not_spread() -> None:
    with pytest.raises(Untranslatable, match="number that is not known"):
        lower(too_many, (T,))


def pops(x: torch.Tensor, **options: Any) -> torch.Tensor:
    _ = options.pop("a", None)
    return scaled(x, a=5, **options)


def pops_sometimes(x: torch.Tensor, **options: Any) -> torch.Tensor:
    if x.dim() > 1:
        options.pop("b")
    return scaled(x, a=5, **options)


def calls_pops(x: torch.Tensor) -> torch.Tensor:
    return pops(x, a=2, b=3)


def calls_pops_sometimes(x: torch.Tensor) -> torch.Tensor:
    return pops_sometimes(x, b=3)


def test_a_keyword_that_was_taken_out_is_not_given_on() -> None:
    assert differences(calls_pops, ((T,),), ()) == []
    with pytest.raises(Untranslatable, match="after a pop of options"):
        lower(calls_pops_sometimes, (T,))
