"""builtins.py, questions.py, container_calls.py: Python's own functions and methods by their types (issue 43, section 2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import BuiltinCall, ContainerCall
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, SIZES, TENSOR, IteratorOf, ListOf, OptionalOf, TupleOf
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([[1.0, -2.0]])


def numbers(n: int, f: float) -> tuple[Any, ...]:
    return (
        int(f),
        float(n),
        bool(n),
        abs(-n),
        round(f),
        round(f, 1),
        divmod(n, 2),
        pow(f, 2),
        min(n, 2),
        max(n, f + 1.0),
    )


def mathematics(n: int, f: float) -> tuple[Any, ...]:
    return math.ceil(f), math.floor(f), math.sqrt(n), math.exp(f), math.gcd(n, 4), math.isnan(f), math.prod([n, 2])


def loops(values: list[int], n: int) -> tuple[Any, ...]:
    return (
        list(range(n)),
        list(zip(values, values[1:])),  # noqa: B905, RUF007  # it is what is translated
        list(enumerate(values, 1)),
        list(reversed(values)),
        sorted(values, reverse=True),
        sum(values),
        any(v > 1 for v in values),
        len(values),
        max(values),
        tuple(values),
        [*map(str, values)],
        list(filter(None, values)),
    )


def containers(values: list[int], table: dict[str, int], s: str) -> tuple[Any, ...]:
    values.append(3)
    last = values.pop()
    values.extend([4, 5])
    table["b"] = 2
    return values, last, table.get("a"), table.get("c", 0), list(table.items()), s.upper().split("-"), ",".join([s, s])


def of_tensors(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    return float(x.sum()), int(x.numel()), len(x), len(x.shape), sum([x, x]), abs(x), bool((x > n).any()), list(x.shape)


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (numbers, (3, 1.5), [(-3, -2.5), (0, 0.5)]),
        (mathematics, (3, 1.5), [(8, -0.5)]),
        (loops, ([1, 2], 2), [([0, 5, -1], 0)]),
        (containers, ([1], {"a": 1}, "a-b"), [([], {"c": 4}, "")]),
        (of_tensors, (T, 1), [(torch.rand(3, 2), -1)]),
    ],
)
def test_a_function_of_python_gives_what_it_gives_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_a_function_of_python_has_the_type_that_its_arguments_give_it() -> None:
    types = {one.name: one.type for one in found(lower(loops, ([1, 2], 2)), BuiltinCall)}
    assert types["range"] == IteratorOf(INT)
    assert types["zip"] == IteratorOf(TupleOf((INT, INT)))
    assert types["enumerate"] == IteratorOf(TupleOf((INT, INT)))
    assert types["sorted"] == ListOf(INT)
    assert types["tuple"] == SIZES
    assert types["any"] == BOOL
    made = {one.name: one.type for one in found(lower(of_tensors, (T, 1)), BuiltinCall)}
    assert (made["float"], made["abs"], made["sum"]) == (FLOAT, TENSOR, TENSOR)


def test_a_method_of_a_container_has_the_type_that_its_elements_give_it() -> None:
    calls = found(lower(containers, ([1], {"a": 1}, "a-b")), ContainerCall)
    types = {(one.name, len(one.arguments)): one.type for one in calls}
    assert types["append", 1] == NONE
    assert types["pop", 0] == INT
    assert types["get", 1] == OptionalOf(INT)
    assert types["get", 2] == INT


def of_a_type(n: int) -> Any:
    return type(n)


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [(of_a_type, (1,), "Python's type")],
)
def test_what_has_no_translation_is_refused_by_name(
    function: Callable[..., Any], given: tuple[Any, ...], why: str
) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)
