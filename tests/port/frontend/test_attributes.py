"""attributes.py: properties, settings, fields with what is proven of them, and limits of dtypes (issue 43, section 2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Convert, Field, Item, Literal, Property, Training, TupleItem
from bridge.port.ir.types import BOOL, DEVICE, DTYPE, FLOAT, INT, SIZES, STR, TENSOR, ModuleOf, OptionalOf
from tests.port.frontend.interpreter import run
from tests.port.frontend.lowering import differences, found, lower, lower_forward, same

T = torch.tensor([1.0, -2.0])


class Pair(NamedTuple):
    first: torch.Tensor
    count: int


def properties(x: torch.Tensor) -> tuple[Any, ...]:
    return x.shape, x.dtype, x.device.type, x.ndim, x.T, x.data, x.dtype.is_floating_point, x.is_cuda


def constants(x: torch.Tensor) -> tuple[Any, ...]:
    return x * math.pi, x.to(torch.float64), torch.finfo(torch.float16).min, torch.iinfo(torch.int32).max


def limit(x: torch.Tensor) -> torch.Tensor:
    return x.masked_fill(x > 0, torch.finfo(x.dtype).min)


def record(pair: Pair) -> torch.Tensor:
    return pair.first * pair.count


def best(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    found = x.max(-1)
    return found.values, found.indices


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (properties, (T.view(1, 2),), [(torch.arange(6).view(2, 3),)]),
        (constants, (T,), [(T.half(),)]),
        (limit, (T,), [(-T,)]),
        (record, (Pair(T, 2),), [(Pair(-T, 0),)]),
        (best, (T,), [(T.view(2, 1),)]),
    ],
)
def test_an_attribute_is_what_it_is_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_a_property_of_a_tensor_has_its_type() -> None:
    types = {one.name: one.type for one in found(lower(properties, (T.view(1, 2),)), Property)}
    assert types["shape"] == SIZES
    assert types["dtype"] == DTYPE
    assert types["device"] == DEVICE
    assert types["type"] == STR
    assert types["ndim"] == INT
    assert types["is_cuda"] == BOOL


def test_a_part_of_a_record_is_an_item_of_a_tuple() -> None:
    assert [one.place for one in found(lower(record, (Pair(T, 2),)), TupleItem)] == [0, 1]
    assert [one.place for one in found(lower(best, (T,)), TupleItem)] == [0, 1]


class Net(nn.Module):
    scale = 2

    def __init__(self) -> None:
        super().__init__()
        self.width = 2
        self.weight = nn.Parameter(torch.ones(2))
        self.norm = nn.LayerNorm(2)
        self.parts = nn.Sequential()
        self.parts.add_module("first", nn.Linear(2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.parts.first(x) * self.scale * self.weight + self.norm.weight * self.width
        if self.norm.bias is not None:
            x = x + self.norm.bias
        return x if self.training else x * self.norm.eps


def test_an_attribute_of_the_module_is_a_field_or_its_setting() -> None:
    model = Net().eval()
    lowered = lower_forward(model, x=torch.rand(3, 2))
    assert {one.name for one in found(lowered, Field)} == {"parts", "weight", "norm"}
    assert {one.name: one.value for one in found(lowered, Literal) if one.name}["width"] == 2
    assert [one.module for one in found(lowered, Training)] == [None]
    (child,) = [one for one in found(lowered, Item) if isinstance(one.index, Literal) and one.index.value == 0]
    assert child.type == ModuleOf(nn.Linear)


def test_a_parameter_of_a_layer_that_may_be_none_is_optional_until_a_test_proves_it() -> None:
    lowered = lower_forward(Net().eval(), x=torch.rand(3, 2))
    types = {one.name: one.type for one in found(lowered, Property)}
    assert types["weight"] == TENSOR
    assert types["eps"] == FLOAT
    assert types["bias"] in (TENSOR, OptionalOf(TENSOR))


class Attending(nn.Module):
    def __init__(self, *heads: int) -> None:
        super().__init__()
        self.first, self.others = nn.MultiheadAttention(4, heads[0]), nn.ModuleList()
        self.others.extend(nn.MultiheadAttention(4, one) for one in heads[1:])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.first.num_heads


def test_a_setting_that_no_property_has_is_a_literal_where_all_layers_of_the_class_agree() -> None:
    (setting,) = found(lower_forward(Attending(2, 2).eval(), x=T), Literal)
    assert setting.value == 2
    with pytest.raises(Untranslatable, match="the setting num_heads of a"):
        lower_forward(Attending(2, 4).eval(), x=T)


class Maybe(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table if self.table is not None else x


def test_a_module_runs_as_its_forward_is_lowered() -> None:
    model, x = Maybe().eval(), torch.rand(2)
    assert same(run(lower_forward(model, x=x), x, module=model), model(x))


def a_gradient_function(x: torch.Tensor) -> Any:
    return x.grad_fn


def test_an_attribute_without_a_type_is_refused_by_name() -> None:
    with pytest.raises(Untranslatable, match="the attribute grad_fn of a Tensor"):
        lower(a_gradient_function, (T,))


def test_a_proof_is_said_in_the_conversion() -> None:
    assert [one for one in found(lower_forward(Maybe().eval(), x=T), Convert) if not one.proven] == []
