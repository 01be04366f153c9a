"""operators.py: types by Python's rules; a tensor absorbs; results on other inputs than those seen (issue 43, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.frontend.operators import SIGNS, binary_type
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Binary, Bind, Compare, Literal, Local, Logical, Not, Unary
from bridge.port.ir.types import (
    BOOL,
    FLOAT,
    INT,
    SIZES,
    STR,
    TENSOR,
    ListOf,
    OptionalOf,
    SetOf,
    TupleOf,
    Type,
)
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        ("+", INT, INT, INT),
        ("+", INT, FLOAT, FLOAT),
        ("+", BOOL, BOOL, INT),
        ("/", INT, INT, FLOAT),
        ("//", INT, INT, INT),
        ("//", INT, FLOAT, FLOAT),
        ("%", BOOL, INT, INT),
        ("&", BOOL, BOOL, BOOL),
        ("&", BOOL, INT, INT),
        ("|", FLOAT, INT, None),
        ("<<", INT, INT, INT),
        ("**", FLOAT, INT, FLOAT),
        ("**", INT, INT, None),
        ("@", INT, INT, None),
        ("*", TENSOR, INT, TENSOR),
        ("-", FLOAT, TENSOR, TENSOR),
        ("+", TENSOR, STR, None),
        ("+", STR, STR, STR),
        ("*", STR, INT, STR),
        ("%", STR, INT, None),
        ("+", ListOf(INT), ListOf(FLOAT), ListOf(FLOAT)),
        ("*", INT, ListOf(INT), ListOf(INT)),
        ("+", TupleOf((INT,)), TupleOf((STR,)), TupleOf((INT, STR))),
        ("+", SIZES, TupleOf((INT, INT)), SIZES),
        ("+", SIZES, SIZES, SIZES),
        ("*", SIZES, INT, SIZES),
        ("*", TupleOf((INT,)), INT, SIZES),
        ("+", SIZES, ListOf(INT), None),
        ("|", SetOf(INT), SetOf(INT), SetOf(INT)),
    ],
)
def test_an_operation_has_the_type_that_python_gives_it(
    operator: str, left: Type, right: Type, result: Type | None
) -> None:
    assert binary_type(operator, Local("a", type=left), Local("b", type=right)) == result


@pytest.mark.parametrize(("exponent", "result"), [(2, INT), (0, INT), (-1, FLOAT)])
def test_the_power_of_ints_is_a_float_where_the_exponent_is_negative(exponent: int, result: Type) -> None:
    assert binary_type("**", Local("a", type=INT), Literal(exponent, type=INT)) == result


def test_every_operator_of_python_has_a_sign() -> None:
    assert sorted(SIGNS.values()) == sorted(("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"))


def numbers(a: int, b: int, f: float) -> tuple[Any, ...]:
    return a // b, a % b, a / b, a**2, -a, ~a, +f, f // b, f % b, a & b, a << 2, a > b, a == f, True + a


def strings(s: str, n: int) -> tuple[Any, ...]:
    return s + "x", s * n, s == "ab", s < "b", "a" in s


def sequences(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    ends = (n, "a") + (1.5,)  # noqa: RUF005  # it is what is translated
    return x.shape + (n,), (1,) * n, [n] * 2 + [3], ends, n in (1, 2), n in [3], x.shape == (2,)  # noqa: RUF005  # it is what is translated


def tensors(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    return x + n, n - x, x**2, 2**x, x // 2, x % n, x > n, n == x, x != x, -x, x @ x, ~(x > 0), (x > 0) & (x < 2)


def chained(a: int, b: int, c: int) -> bool:
    return a < b < c


def chained_call(values: list[int], a: int) -> bool:
    return 0 < values.pop() < values.pop() + a


def optional(x: torch.Tensor, mask: torch.Tensor | None, n: int) -> torch.Tensor:
    return x * mask if mask is not None and n > 0 else x


def one_or_other(n: int, m: int) -> int:
    return n or m


def a_default(x: torch.Tensor, n: int | None) -> torch.Tensor:
    n = n or 4
    return x * n


def a_truth(x: torch.Tensor, mask: torch.Tensor | None, n: int) -> torch.Tensor:
    return x * 2 if n and not mask else x


def same_dtype(x: torch.Tensor) -> torch.Tensor:
    return x.float() if x.dtype == torch.float16 else x * 2


def repeated(x: torch.Tensor, n: int) -> torch.Tensor:
    return x.new_ones((n + 1,) * 2) + x.sum()


def in_a_tensor(x: torch.Tensor, n: int) -> int:
    return (1 if n in x else 0) + (2 if x[0] not in x * 2 else 0)


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (numbers, (7, 3, 1.5), [(-7, 3, -1.5), (7, -3, 0.0)]),
        (strings, ("ab", 2), [("", 0), ("c", 3)]),
        (sequences, (T, 1), [(T, 3), (torch.zeros(2, 3), 5)]),
        (tensors, (T, 2), [(T * 3, 1)]),
        (chained, (1, 2, 3), [(1, 3, 3), (2, 1, 9)]),
        (chained_call, ([1, 2], 3), [([5, 1], 0), ([1, 0], 0), ([9], 1)]),
        (optional, (T, None, 1), [(T, T, 1), (T, T, 0)]),
        (optional, (T, T, 1), [(T, None, 1)]),
        (one_or_other, (3, 4), [(0, 4), (0, 0)]),
        (a_default, (T, 3), [(T, None), (T, 0)]),
        (a_truth, (T, None, 1), [(T, None, 0), (T, T[:1], 1), (T, T[:1] * 0, 1)]),
        (same_dtype, (T,), [(T.half(),)]),
        (repeated, (T, 1), [(T, 3)]),
        (in_a_tensor, (T, 1), [(T, -2), (T, 3), (torch.zeros(2), 0)]),
    ],
)
def test_a_result_is_that_of_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def never_none(x: torch.Tensor) -> bool:
    return x is None


def a_function_is_none(x: torch.Tensor) -> bool:
    return torch.relu is None


def maybe_none(x: torch.Tensor | None = None) -> bool:
    return x is not None


def test_whether_a_value_is_none_is_known_from_its_type_alone() -> None:
    assert [one.value for one in found(lower(never_none, (T,)), Literal)] == [False]
    assert [one.value for one in found(lower(a_function_is_none, (T,)), Literal)] == [False]
    (test,) = found(lower(maybe_none, (T,)), Compare)
    assert (test.operator, test.left.type) == ("is-not", OptionalOf(TENSOR))


def test_a_chain_evaluates_its_middle_once() -> None:
    (chain,) = found(lower(chained_call, ([1, 2], 3)), Logical)
    assert [type(one.right) for one in chain.values] == [Bind, Binary]


def twice_negated(a: bool) -> bool:
    return bool(a)


def minus_one() -> int:
    return -1


def test_the_negative_of_a_literal_is_a_literal_and_two_negations_are_none() -> None:
    assert found(lower(minus_one, ()), Unary) == []
    assert found(lower(twice_negated, (True,)), Not) == []


def a_list_of_tensors(x: torch.Tensor) -> bool:
    return [x] == [x]


def a_tensor_in_a_list(x: torch.Tensor) -> bool:
    return x in [x]


def the_identity_of_ints(a: int, b: int) -> bool:
    return a is b


def a_format_of_old(a: int) -> str:
    return "%5d" % a  # noqa: UP031  # it is what is translated


def a_chain_of_tensors(x: torch.Tensor) -> torch.Tensor:
    return 0 < x < 1


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        (a_list_of_tensors, (T[:1],), "containers of tensors are equal"),
        (a_tensor_in_a_list, (T,), "is in a list"),
        (the_identity_of_ints, (1, 2), "identity of a int"),
        (a_format_of_old, (1,), "the format"),
        (a_chain_of_tensors, (T[:1],), "chain of comparisons of tensors"),
    ],
)
def test_what_has_no_meaning_in_csharp_is_refused_by_name(
    function: Callable[..., Any], given: tuple[Any, ...], why: str
) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)


def sixth(items: list[int]) -> bool:
    return items[5] is not None


def named(items: dict[str, int]) -> bool:
    return items["a"] is None


def test_a_comparison_with_none_leaves_the_error_of_what_is_compared() -> None:
    assert differences(sixth, (([0] * 6,),), (([1],), ([],))) == []
    assert differences(named, (({"a": 1},),), (({},), ({"b": 1},))) == []
