"""calls.py, functions_as_values.py: what is called is found without a run where names and classes tell (issue 43, section 2)."""

from __future__ import annotations

import functools
import math
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.frontend import functions
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    BuiltinCall,
    Conditional,
    ContainerCall,
    FunctionCall,
    MethodCall,
    ModuleCall,
    Not,
    Self,
    TorchCall,
    TupleLiteral,
    UnsupportedValue,
)
from bridge.port.ir.types import BOOL, FLOAT, NONE, TENSOR, OptionalOf, TupleOf
from bridge.port.observe.runs import observe
from tests.port.frontend.lowering import Surroundings, differences, found, lower

T = torch.tensor([[1.0, -2.0]])


class Pair(NamedTuple):
    first: torch.Tensor
    count: int = 3


def doubled(x: torch.Tensor, times: int = 2) -> torch.Tensor:
    return x * times


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*given: Any) -> Any:
        return function(*given) + 1

    return inner


@wrapped
def decorated(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class Base(nn.Module):
    def shifted(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Inner(nn.Module):
    def forward(self, x: torch.Tensor, scale: float = 1.0) -> tuple[torch.Tensor, float]:
        return x * scale, scale

    def halved(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2


class Net(Base):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.act = nn.ReLU()

    @staticmethod
    def fixed(x: torch.Tensor) -> torch.Tensor:
        return x - 1

    def shifted(self, x: torch.Tensor) -> torch.Tensor:
        return super().shifted(x) * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, _ = self.inner(self.shifted(x), scale=2.0)
        for layer in self.layers:
            x = self.act(layer(x))
        x = self.fixed(self.inner.halved(doubled(self.layers[0](x), times=3)))
        return x + next(self.parameters()).sum()


def _lowered() -> Any:
    model = Net().eval()
    methods = observe(model, {"x": T}, lambda kind: kind in (Net, Inner))
    return functions.lower(methods[Net.forward], Surroundings(methods, model))


def test_methods_modules_and_functions_are_told_apart() -> None:
    lowered = _lowered()
    calls = found(lowered, MethodCall)
    assert {one.function for one in calls} == {Net.shifted, Inner.halved}
    assert {type(one.target).__name__ for one in calls} == {Self.__name__, "Field"}
    assert {one.function for one in found(lowered, FunctionCall)} == {Net.fixed, doubled}
    types = {str(one.module.type): one.type for one in found(lowered, ModuleCall)}
    assert types == {"Inner": TupleOf((TENSOR, FLOAT)), "Linear": TENSOR, "ReLU": TENSOR}


def test_arguments_are_by_the_parameters_of_the_function() -> None:
    given = {one.function: one.arguments for one in found(_lowered(), FunctionCall)}[doubled]
    assert [(one.name, one.positional) for one in given] == [("x", True), ("times", False)]


def values(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    pair = Pair(x)
    table = OrderedDict(a=n)
    return pair.first * pair.count, table["a"], math.floor(n / 2), float(np.sqrt(n * n)), sum(map(abs, [n, -3]))


def warned(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 2:
        warnings.warn("large", stacklevel=2)
    return x


def not_called(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 2:
        return F.relu(torch.cat([x, x]).transpose(0, 1)).mean()
    return x


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (not_called, (T, 1), [(T, 3)]),
        (values, (T, 5), [(-T, -3)]),
    ],
)
def test_a_call_gives_what_it_gives_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_a_record_is_a_tuple_with_names_and_its_defaults() -> None:
    made = [
        one for one in found(lower(values, (T, 5)), TupleLiteral) if isinstance(one.type, TupleOf) and one.type.names
    ]
    assert [one.type.names for one in made] == [("first", "count")]


@dataclass
class Output(OrderedDict[str, Any]):
    """A result without the fields that are None, as transformers has them."""

    last: torch.Tensor
    states: torch.Tensor | None = None

    def __post_init__(self) -> None:
        self.update({name: one for name, one in (("last", self.last), ("states", self.states)) if one is not None})


def with_states(x: torch.Tensor, keep: bool) -> Output:
    states = x * 2 if keep else None
    return Output(last=x, states=states)


def with_states_if_asked(x: torch.Tensor, keep: bool) -> Output:
    return Output(last=x, states=x if keep else None)


def test_a_field_that_a_condition_leaves_out_throws_where_it_is_there() -> None:
    (made,) = found(lower(with_states_if_asked, (T, False)), Conditional)
    assert isinstance(made.test, Not)
    assert isinstance(made.other, UnsupportedValue)


def test_a_result_of_transformers_throws_where_it_has_a_field_that_no_run_gave() -> None:
    (made,) = [one for one in found(lower(with_states, (T, False)), Conditional) if one.test.type == BOOL][-1:]
    assert isinstance(made.other, UnsupportedValue)
    assert made.other.why == "a result with states, which no run gave"
    assert made.type == TupleOf((TENSOR,), ("last",))
    assert lower(with_states, (T, True)).result == TupleOf((TENSOR, OptionalOf(TENSOR)), ("last", "states"))


def test_a_warning_stays() -> None:
    calls = found(lower(warned, (T, 1)), BuiltinCall)
    assert [(one.name, one.type, len(one.arguments)) for one in calls] == [("warnings.warn", NONE, 1)]


def a_decorator(x: torch.Tensor) -> torch.Tensor:
    return decorated(x)


def a_layer_with_weights(x: torch.Tensor) -> torch.Tensor:
    return nn.Linear(2, 2)(x)


def of_the_system(x: torch.Tensor) -> torch.Tensor:
    return x * functools.reduce(max, [1, 2])


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (a_decorator, "the decorator @wrapped changes"),
        (a_layer_with_weights, "builds a layer"),
        (of_the_system, "a call of reduce"),
    ],
)
def test_what_has_no_translation_is_refused_by_name(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, (T,))


def negated(x: torch.Tensor) -> torch.Tensor:
    return -x


class Registry:
    def __init__(self) -> None:
        self.functions = {"negated": negated}

    def get(self, name: str, default: Any) -> Any:
        return self.functions.get(name, default)

    def __getitem__(self, name: str) -> Any:
        return self.functions[name]


REGISTRY = Registry()


def chosen(x: torch.Tensor) -> torch.Tensor:
    function = REGISTRY.get("negated", doubled)
    return function(x)


def indexed(x: torch.Tensor) -> torch.Tensor:
    return REGISTRY["negated"](x)


def by_value(x: torch.Tensor, name: str) -> torch.Tensor:
    return REGISTRY[name](x)


def handed(x: torch.Tensor, function: Callable[..., Any]) -> torch.Tensor:
    return function(x)


def handing(x: torch.Tensor) -> torch.Tensor:
    return handed(x, negated)


def flagged(x: torch.Tensor, on: bool) -> torch.Tensor:
    options = {}
    if on:
        options["is_causal"] = True
    return F.scaled_dot_product_attention(x, x, x, **options)


@pytest.mark.parametrize("function", [chosen, indexed])
def test_a_function_that_a_registry_gives_for_a_constant_is_called(function: Callable[..., Any]) -> None:
    (call,) = found(lower(function, (T,)), FunctionCall)
    assert call.function is negated


def test_a_function_that_a_registry_gives_for_a_value_is_refused() -> None:
    with pytest.raises(Untranslatable):
        lower(by_value, (T, "negated"))


def test_a_function_that_is_handed_on_in_every_call_is_no_argument() -> None:
    (call,) = found(lower(handing, (T,)), FunctionCall)
    assert [one.name for one in call.arguments] == ["x"]


@functools.cache
def kept(version: str) -> bool:
    return version < "2"


def asked_once(x: torch.Tensor, version: str) -> torch.Tensor:
    return x if kept("1.5") else -x


def asked_for_another(x: torch.Tensor, version: str) -> torch.Tensor:
    return x if kept(version) else -x


def test_what_a_function_keeps_for_literals_is_a_literal() -> None:
    assert not found(lower(asked_once, (T, "1")), Conditional, TorchCall)
    with pytest.raises(Untranslatable, match="a call of kept"):
        lower(asked_for_another, (T, "1"))


def test_entries_of_a_dictionary_that_is_spread_are_flags() -> None:
    (call,) = [
        one for one in found(lower(flagged, (T[None], True)), TorchCall) if one.arguments[-1].name == "is_causal"
    ]
    assert isinstance(call.arguments[-1].value, ContainerCall)
