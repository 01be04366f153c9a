"""containers.py: literals, comprehensions and lambdas, each with the type of its elements (issue 43, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Comprehension, DictLiteral, ListLiteral, TupleLiteral
from bridge.port.ir.types import FLOAT, INT, SIZES, STR, TENSOR, DictOf, ListOf, OptionalOf, SetOf, TupleOf
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def literals(x: torch.Tensor, n: int, values: list[int]) -> tuple[Any, ...]:
    return [n / 2, 1.5], [*values, n], (n, *values), {n, 2}, {"a": x, "b": None}, (*x.shape, -1)


def comprehensions(values: list[int], n: int) -> tuple[Any, ...]:
    return (
        [v * n for v in values if v > 0],
        {v % 2 for v in values},
        {str(v): v for v in values},
        [a * b for a in values for b in range(a)],
        sum(v for v in values),
        [i + v for i, v in enumerate(values)],
    )


def own_variable(values: list[int], v: int) -> int:
    every = [v + 1 for v in values]
    return v + len(every)


def proven(values: list[torch.Tensor | None]) -> list[int]:
    return [one.shape[0] for one in values if one is not None]


def merged(values: dict[str, int]) -> tuple[Any, ...]:
    return {**values, "a": 1}, {"a": 2, **values, "c": 3}, {**values}


def lambdas(values: list[int], n: int) -> tuple[Any, ...]:
    add = lambda v: v + n  # noqa: E731  # it is what is translated
    return add(1), sorted(values, key=lambda v: -v), list(map(lambda v: v * 2, values))  # noqa: C417  # it is what is translated


def chosen(x: torch.Tensor, n: int) -> torch.Tensor:
    functions = [lambda v: v * 2, lambda v: v + 1]
    return functions[n](x)


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (literals, (T, 1, [2]), [(T[:1], -3, [])]),
        (comprehensions, ([1, 2], 3), [([-1, 4], 0), ([], 1)]),
        (own_variable, ([1, 2], 9), [([], 7)]),
        (proven, ([T, None],), [([None],), ([T[:1], T],)]),
        (merged, ({"b": 2},), [({"a": 5, "c": 1},)]),
        (chosen, (T, 1), [(T, 0)]),
        (lambdas, ([1, 3, 2], 2), [([], 0), ([5, -7], 1)]),
    ],
)
def test_a_container_holds_what_it_holds_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_a_literal_has_the_type_that_its_elements_have_in_common() -> None:
    lowered = lower(literals, (T, 1, [2]))
    assert [one.type for one in found(lowered, ListLiteral)] == [ListOf(FLOAT), ListOf(INT)]
    assert [one.type for one in found(lowered, DictLiteral)] == [DictOf(STR, OptionalOf(TENSOR))]
    assert [one.type for one in found(lowered, TupleLiteral)][1:] == [SIZES, SIZES]


def test_a_comprehension_has_the_type_that_its_element_gives_it() -> None:
    types = [one.type for one in found(lower(comprehensions, ([1, 2], 3)), Comprehension)]
    assert types[:4] == [ListOf(INT), SetOf(INT), DictOf(STR, INT), ListOf(INT)]


def mixed_numbers(n: int) -> list[float]:
    return [n, 1.5]


def test_an_int_among_floats_is_a_float() -> None:
    (made,) = found(lower(mixed_numbers, (1,)), ListLiteral)
    assert [one.type for one in made.items] == [FLOAT, FLOAT]


def pair(x: torch.Tensor, n: int) -> tuple[torch.Tensor, int]:
    return x, n


def test_a_tuple_has_the_types_of_its_items() -> None:
    (made,) = found(lower(pair, (T, 1)), TupleLiteral)
    assert made.type == TupleOf((TENSOR, INT))


def mixed(x: torch.Tensor) -> list[Any]:
    return [x, "a"]


def uncalled(n: int) -> int:
    add = lambda v: v + 1  # noqa: E731, F841  # it is what is translated
    return n


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        (mixed, (T,), "several types"),
        (uncalled, (1,), "the parameters of"),
    ],
)
def test_what_has_no_type_is_refused_by_name(function: Callable[..., Any], given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)
