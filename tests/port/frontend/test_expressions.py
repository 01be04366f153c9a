"""expressions.py: names, constants, and/or, conditionals, walrus and f-strings (issue 43, section 2)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.frontend import expressions
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Conditional, Convert, Format, Literal, Logical, TorchCall
from bridge.port.ir.types import INT, SIZES, OptionalOf
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])
SCALE = 3
SHAPE = (2, -1)
COUNTER = 0
TABLE = {"a": 1}


def counts() -> None:
    global COUNTER
    COUNTER += 1


def a_constant(x: torch.Tensor) -> torch.Tensor:
    return (x * SCALE).view(SHAPE)


def conditional(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * 2 if n > 3 else -x


def conditional_of_lengths(n: int) -> tuple[int, ...]:
    return (n, 1, 1) if n > 1 else (n,)


def conditional_of_types(n: int) -> float | int:
    return 1.5 if n > 3 else n


def walrus(n: int) -> int:
    return m + 1 if (m := n * 2) > 4 else m


def text(name: str, value: float, n: int) -> str:
    return f"{name}: {value:.3f} of {n}{{}}"


def never_traced(x: torch.Tensor) -> torch.Tensor:
    return x if torch.jit.is_scripting() else x * 2


def optional_shape(x: torch.Tensor | None) -> int:
    return x.shape[0] if x is not None else -1


def proven_by_and(x: torch.Tensor, y: torch.Tensor | None) -> bool:
    return y is not None and y.shape[0] > 1


def proven_by_or(x: torch.Tensor, y: torch.Tensor | None) -> bool:
    return y is None or y.shape[0] > 1


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (a_constant, (T,), [(torch.zeros(2, 3),)]),
        (conditional, (T, 1), [(T, 4)]),
        (walrus, (1,), [(5,)]),
        (text, ("a", 0.5, 2), [("b", 1e-9, -2)]),
        (never_traced, (T,), [(T * 2,)]),
        (optional_shape, (T,), [(None,)]),
        (proven_by_and, (T, T), [(T, None), (T, T[:1])]),
        (proven_by_or, (T, None), [(T, T), (T, T[:1])]),
    ],
)
def test_an_expression_gives_what_it_gives_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_a_constant_of_the_module_keeps_its_name() -> None:
    assert next((one.value, one.name) for one in found(lower(a_constant, (T,)), Literal)) == (3, "SCALE")


def test_an_arm_that_literals_rule_out_is_not_lowered() -> None:
    assert found(lower(never_traced, (T,)), Conditional) == []


def test_an_operand_is_lowered_with_what_those_before_it_prove() -> None:
    (test,) = found(lower(proven_by_and, (T, T), (T, None)), Logical)
    (read,) = [one for one in found(test.values[1], Convert) if isinstance(one.value.type, OptionalOf)]
    assert read.proven


def test_a_format_keeps_what_stands_between_its_values() -> None:
    (made,) = found(lower(text, ("a", 0.5, 2)), Format)
    assert made.formats == ("", "", ".3f", "", "", "")


def handed_on(x: torch.Tensor) -> list[torch.Tensor]:
    act = torch.relu
    return [act(x)]


def test_a_function_that_is_a_value_is_a_lambda_that_calls_it() -> None:
    assert [one.function for one in found(lower(handed_on, (T,)), TorchCall)] == [torch.relu]
    assert differences(handed_on, ((T,),), ()) == []


def test_every_expression_of_python_but_those_of_coroutines_has_a_rule() -> None:
    every = {one for one in vars(ast).values() if isinstance(one, type) and one.__base__ is ast.expr}
    parts = {ast.Slice, ast.Starred, ast.FormattedValue}
    old = ("Num", "Str", "Bytes", "NameConstant", "Ellipsis", "TemplateStr", "Interpolation")
    deprecated = {one for one in every if one.__name__ in old}
    missing = every - parts - deprecated - set(expressions._LOWERED)
    assert {one.__name__ for one in missing} == {"Await", "Yield", "YieldFrom"}


def reads_a_counter(n: int) -> int:
    return n + COUNTER


def reads_a_table() -> int:
    return TABLE["a"]


def computed_format(x: float, n: int) -> str:
    return f"{x:.{n}f}"


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        (reads_a_counter, (1,), "COUNTER"),
        (reads_a_table, (), "TABLE"),
        (computed_format, (1.0, 2), "computed format"),
    ],
)
def test_what_has_no_translation_is_refused_by_name(
    function: Callable[..., Any], given: tuple[Any, ...], why: str
) -> None:
    counts()
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)


def test_tuples_of_several_lengths_are_sizes() -> None:
    (made,) = found(lower(conditional_of_lengths, (5,), (1,)), Conditional)
    assert [made.type, made.body.type, made.other.type] == [SIZES] * 3


def test_int_and_float_in_two_arms_are_a_float() -> None:
    (made,) = found(lower(conditional_of_types, (5,), (1,)), Conditional)
    assert {made.body.type, made.other.type} >= {INT}
