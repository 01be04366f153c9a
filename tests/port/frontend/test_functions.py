"""functions.py and parameters.py: heads of functions, functions within functions, what is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import NestedFunction
from bridge.port.ir.types import SIZES
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def many(x, scale=2, mask=None, flag: bool = False, *, eps: float = 1e-5, size=(1, 2)):  # type: ignore[no-untyped-def]
    return x * scale + eps


def test_parameters_keep_their_defaults_though_nothing_was_given() -> None:
    made = lower(many, (T,)).parameters
    assert [(one.name, str(one.type)) for one in made] == [
        ("x", "Tensor"),
        ("scale", "int"),
        ("mask", "Tensor | None"),
        ("flag", "bool"),
        ("eps", "float"),
        ("size", "(int, int)"),
    ]
    assert [one.default is None for one in made] == [True, False, False, False, False, False]


def test_types_of_parameters_are_those_of_all_calls() -> None:
    assert [str(one.type) for one in lower(many, (T,), (T, 0.5, T)).parameters[:3]] == [
        "Tensor",
        "float",
        "Tensor | None",
    ]


def area(sides):  # type: ignore[no-untyped-def]
    return sides[0] * sides[1] + len(sides)


def longer(sides):  # type: ignore[no-untyped-def]
    return sides * 2


def test_lists_and_tuples_of_ints_are_sizes_where_they_are_only_read() -> None:
    assert lower(area, ([2, 3],), ((2, 3),)).parameters[0].type == SIZES
    with pytest.raises(Untranslatable, match="sides, which is of several types: list, tuple"):
        lower(longer, ([2, 3],), ((2, 3),))


def spread(*parts: torch.Tensor) -> torch.Tensor:
    return torch.cat(parts)


def test_any_number_of_tensors() -> None:
    assert lower(spread, (T, T)).parameters[0].spread
    assert differences(spread, ((T, T),), ((T,), (T, T, T))) == []


def listed(x: torch.Tensor, parts: list[int] = []) -> torch.Tensor:  # noqa: B006  # it is what is translated
    parts.append(1)
    return x * len(parts)


def test_a_default_that_calls_change_is_refused() -> None:
    with pytest.raises(Untranslatable, match="whose default is list"):
        lower(listed, (T,))


def either(x: Any) -> Any:
    return x


def test_a_parameter_of_several_types_is_refused() -> None:
    with pytest.raises(Untranslatable, match="x, which is of several types"):
        lower(either, (T,), ("a",))


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*given: Any) -> Any:
        return function(*given) * 2

    return inner


@doubled
def decorated(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def test_a_decorator_is_refused_by_name() -> None:
    with pytest.raises(Untranslatable, match="the decorator @doubled"):
        lower(decorated, (T,))


def closed(x: torch.Tensor, n: int) -> torch.Tensor:
    scale = n

    def scaled(y: torch.Tensor) -> torch.Tensor:
        z = y * scale
        return z + 1

    first = scaled(x)
    scale = scale + 1
    return first + scaled(x)


def recursive(n: int) -> int:
    def down(m: int) -> int:
        if m <= 0:
            return 0
        return m + down(m - 1)

    return down(n)


def shadowed(x: torch.Tensor) -> torch.Tensor:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    x = x + scaled(x + 1)
    return x - scaled(x=x)


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [(closed, [(T, 2)], [(T, 5)]), (recursive, [(2,)], [(4,)]), (shadowed, [(T,)], [(T + 1,)])],
)
def test_functions_within_functions(function: Callable[..., Any], seen: Any, tried: Any) -> None:
    assert differences(function, tuple(seen), tuple(tried)) == []
    assert len(found(lower(function, *seen), NestedFunction)) == 1


_COUNT = 0


def counting(x: torch.Tensor) -> torch.Tensor:
    global _COUNT
    _COUNT += 1
    return x * _COUNT


def test_global_variables_are_refused() -> None:
    with pytest.raises(Untranslatable, match="Global"):
        lower(counting, (T,))


def counted(n: int) -> int:
    count = 0

    def more(by: int = 2) -> None:
        nonlocal count
        count += by

    more()
    for _ in range(2):
        more(by=n)
    return count


def test_a_function_within_changes_what_is_around_it() -> None:
    assert differences(counted, ((3,),), ((-1,),)) == []


def bound_late(n: int) -> list[int]:
    return [one(n) for one in [lambda k: k * i for i in range(3)]]


def test_functions_made_in_loops_are_refused_where_they_use_what_the_loop_changes() -> None:
    with pytest.raises(Untranslatable, match="made in a loop that changes i"):
        lower(bound_late, (3,))


def joined_by_a_nested_function(x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
    def joined(*parts):  # type: ignore[no-untyped-def]  # as much of the world's code is
        return torch.cat(parts)

    return joined(x, x + 1) + joined(*[x, x]) + joined(*others)  # type: ignore[no-any-return]  # as above


def test_a_nested_function_of_any_number_of_tensors_takes_a_list() -> None:
    assert differences(joined_by_a_nested_function, ((T, T, T),), ((T, -T, T * 2), (T, torch.cat([T, T])))) == []
