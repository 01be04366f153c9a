"""questions.py: isinstance, hasattr, getattr and callable by static types (issue 43, section 2)."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from bridge.port.ir.nodes import Compare, DictLiteral, Literal
from bridge.port.ir.types import BOOL, FLOAT
from tests.port.frontend.interpreter import run
from tests.port.frontend.lowering import differences, found, lower, lower_forward

T = torch.tensor([[1.0, -2.0]])


def asked(x: torch.Tensor, n: int, y: torch.Tensor | None = None) -> tuple[Any, ...]:
    return (
        isinstance(x, torch.Tensor),
        isinstance(n, (int, float)),
        isinstance(x, (list, tuple)),
        isinstance(y, torch.Tensor),
        callable(x),
        hasattr(x, "shape"),
        hasattr(torch, "no_such_function"),
    )


def test_questions_about_types_are_answered_by_types_alone() -> None:
    lowered = lower(asked, (T, 1), (T, 1, T))
    assert [one.value for one in found(lowered, Literal) if one.type == BOOL] == [True, True, False, False, True, False]
    assert [one.operator for one in found(lowered, Compare)] == ["is-not"]
    assert differences(asked, ((T, 1),), ((T, 1, T),)) == []


def asked_of_an_item(items: list[int]) -> bool:
    return isinstance(items[5], int)


def test_what_may_be_missing_is_read_all_the_same() -> None:
    assert differences(asked_of_an_item, (([1] * 6,),), (([1],), ([1] * 5,), ([1] * 6,))) == []


class Asked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rate = 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if hasattr(self, "missing"):
            x = x * 3
        name = getattr(self, "missing", "rate")
        return x * getattr(self, name, 1.0) + getattr(self, "missing", 2.0)


def test_attributes_of_the_module_are_known_from_its_instances() -> None:
    lowered = lower_forward(Asked().eval(), x=T)
    assert {one.value for one in found(lowered, Literal) if one.type == FLOAT} == {0.5, 2.0}


class Numbered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer0, self.layer1, self.last = nn.Linear(2, 2), nn.ReLU(), nn.Tanh()

    def forward(self, x: torch.Tensor, first: int) -> torch.Tensor:
        for place in range(first, 2):
            x = getattr(self, "layer" + str(place))(x)
            x = x + getattr(self, f"layer{place}")(x)
        return x


def test_a_child_with_a_computed_name_is_one_of_the_children_that_may_have_it() -> None:
    module = Numbered().eval()
    lowered = lower_forward(module, x=T, first=0)
    every = found(lowered, DictLiteral)
    assert [[key.value for key, _ in one.entries if isinstance(key, Literal)] for one in every] == [
        ["layer0", "layer1"]
    ] * 2
    for first in (0, 1, 2):
        assert torch.equal(run(lowered, T, first, module=module), module(T, first))
