"""bridge/port/observe/constructors.py: what constructors did, and modules that are no longer as these left them."""

from __future__ import annotations

import random

import torch
from torch import nn

from bridge.port.observe.models.construction import construct
from bridge.port.observe.observations import Method


class Part(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear, self.factor = self.layer(width), 2.0
        self.register_buffer("noise", torch.rand(3), persistent=False)
        self.register_buffer("table", torch.arange(3), persistent=False)

    def layer(self, width: int) -> nn.Linear:
        return nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


class Whole(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Part(2), Part(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


def _of(methods: dict[object, Method], name: str) -> Method:
    return next(one for one in methods.values() if one.function.__qualname__ == name)


def test_constructors_and_what_they_call_are_observed() -> None:
    _, given = construct(Whole)
    found: dict[object, Method] = dict(given.constructors)
    assert _of(found, "Part.__init__").given == [{"width": 2}, {"width": 2}]
    assert _of(found, "Part.layer").given == [{"width": 2}, {"width": 2}]
    assert given.changed == {}
    assert given.drawn == {(Part, "noise")}, "another model has another"


def test_the_generators_are_as_the_model_left_them() -> None:
    def make() -> Whole:
        random.random()
        return Whole()

    torch.manual_seed(3)
    random.seed(3)
    make()
    wanted = torch.rand(2), random.random()
    torch.manual_seed(3)
    random.seed(3)
    construct(make)
    found = torch.rand(2), random.random()
    assert torch.equal(found[0], wanted[0])
    assert found[1] == wanted[1]


def test_modules_that_are_changed_afterwards_are_known() -> None:
    def other_layer() -> nn.Module:
        model = Whole()
        model.first.linear = nn.Linear(2, 2)
        return model

    def other_number() -> nn.Module:
        model = Whole()
        model.second.factor = 3.0
        return model

    def another_attribute() -> nn.Module:
        model = Whole()
        model.second.mark = True
        return model

    def other_setting() -> nn.Module:
        model = nn.Sequential(Part(2), nn.Sequential(Part(2)))
        model[1].append(nn.Dropout(0.5))
        return model

    model, given = construct(other_layer)
    assert given.changed == {model.first: None}
    model, given = construct(other_number)
    assert given.changed == {model.second: None}
    model, given = construct(another_attribute)
    assert given.changed == {model.second: frozenset({"mark"})}
    assert construct(other_setting)[1].changed == {}, "no class of the model's was"


def test_a_factory_that_fails_the_second_time_gives_no_observations() -> None:
    made: list[nn.Module] = []

    def make() -> nn.Module:
        assert not made
        made.append(Whole())
        return made[0]

    _, given = construct(make)
    assert all(not one.given for one in given.constructors.values())
