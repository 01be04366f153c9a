"""functions_as_values.py: functions that are arguments and results, closures among them, have types and are called by those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.frontend import functions
from bridge.port.ir.nodes import FunctionCall, Lambda, UnsupportedValue
from bridge.port.ir.types import BOOL, INT, TENSOR, FunctionOf, ListOf
from bridge.port.observe.runs import observe
from tests.port.frontend.lowering import Surroundings, differences, found, lower

T = torch.arange(3.0)
MASK = FunctionOf((TENSOR, TENSOR), TENSOR)


def causal(q: int, k: int) -> Any:  # the annotations say what a call of one element would take
    return k <= q


def window(size: int) -> Callable[..., Any]:
    def inner(q: int, k: int) -> Any:
        return k > q - size

    return inner


def both(*functions: Callable[..., Any]) -> Callable[..., Any]:
    if not all(callable(one) for one in functions):
        raise RuntimeError(f"no functions: {functions}")

    def combined(q: Any, k: Any) -> Any:
        result = q.new_ones((), dtype=torch.bool)
        for one in functions:
            result = result & one(q, k)
        return result

    return combined


def indices(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.arange(n)
    return places[:, None], places[None, :]


def masked(n: int, function: Callable[..., Any] = causal, padding: torch.Tensor | None = None) -> torch.Tensor:
    if padding is not None:

        def inner(q: int, k: int) -> Any:
            return padding[k]

        function = both(function, inner)
    return function(*indices(n))  # type: ignore[no-any-return]  # a tensor


def masks(n: int, size: int) -> Any:
    padding = torch.ones(n, dtype=torch.bool)
    return masked(n), masked(n, function=both(window(size), causal)), masked(n, causal, padding)


def test_closures_are_arguments_and_results() -> None:
    assert differences(masks, ((4, 2),), ((5, 3), (1, 1))) == []


def test_a_closure_that_no_run_called_has_the_types_of_its_annotations() -> None:
    assert lower(window, (2,)).result == FunctionOf((INT, INT), BOOL)


def test_the_types_of_functions_are_those_of_their_calls() -> None:
    made = lower(given, (T, causal), (T, window(2)))
    (parameter,) = [one for one in made.parameters if one.name == "function"]
    assert isinstance(parameter.default, Lambda)
    assert parameter.type == MASK


def given(x: torch.Tensor, function: Callable[..., Any] = causal) -> Any:
    return function(x, x)


def many(x: torch.Tensor) -> Any:
    return both(causal, window(2))(x, x)


def test_any_number_of_functions_are_a_list() -> None:
    (call,) = [one for one in found(lower(many, (T,)), FunctionCall) if one.function is both]
    assert [one.value.type for one in call.arguments] == [ListOf(MASK)]


class Chooses(nn.Module):
    def __init__(self, wide: bool) -> None:
        super().__init__()
        self.wide = wide

    def forward(self, x: torch.Tensor) -> Any:
        function = shifted if self.wide else scaled
        return function(x=x, by=3)


def shifted(x: torch.Tensor, by: int) -> torch.Tensor:
    return x + by


def scaled(x: torch.Tensor, by: int) -> torch.Tensor:
    return x * by


@pytest.mark.parametrize("wide", [True, False])
def test_a_setting_chooses_a_function(wide: bool) -> None:
    model = Chooses(wide)
    methods = observe(model, {"x": T}, lambda kind: kind is Chooses)
    made = functions.lower(methods[Chooses.forward], Surroundings(methods, model))  # type: ignore[index]  # a function
    assert [one.function for one in found(made, FunctionCall)] == [shifted if wide else scaled]


def too_few(x: torch.Tensor, function: Callable[..., Any]) -> Any:
    return function(x, x) if x.dim() == 1 else function(x)


def a_list(x: torch.Tensor, function: Callable[..., Any]) -> Any:
    return function(x, x) if x.dim() == 1 else function(x, *[x, x])


def a_number(x: torch.Tensor, function: Callable[..., Any]) -> Any:
    return function(x, x) if x.dim() == 1 else function(x, 2)


def by_name(x: torch.Tensor, function: Callable[..., Any]) -> Any:
    return function(x, x) if x.dim() == 1 else function(q=x, k=x)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (too_few, "the arguments of"),
        (a_list, "the arguments of"),
        (a_number, "argument 2 is a Tensor, and is given a int"),
        (by_name, "the arguments of"),
    ],
)
def test_arguments_of_other_numbers_and_types_are_refused(function: Callable[..., Any], why: str) -> None:
    (refused,) = found(lower(function, (T, causal), (T, window(1))), UnsupportedValue)
    assert why in refused.why
