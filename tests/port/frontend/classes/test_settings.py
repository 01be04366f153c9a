"""settings.py: settings objects are read, never folded where a method assigns them (issue 43, section 2)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.frontend.classes.settings import assigned, is_settings, read
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import If, Literal
from bridge.port.ir.types import ConstantOf
from tests.port.frontend.lowering import found, lower, lower_forward

CONFIG = SimpleNamespace(width=4, kind="wide", inner=SimpleNamespace(rate=0.5))


class Reading(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.config = CONFIG

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.config.kind == "wide":
            return x * self.config.width
        return x + self.config.inner.rate


class Changing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(width=4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * self.config.width
        self.config.width = 5
        return x


def scaled(x: torch.Tensor, config: Any) -> torch.Tensor:
    return x * config.inner.rate


def test_settings_of_the_module_are_literals() -> None:
    values = {one.value for one in found(lower_forward(Reading(), x=torch.ones(2)), Literal)}
    assert {"wide", 4} <= values


def test_branches_that_settings_close_are_not_lowered() -> None:
    (branch,) = found(lower_forward(Reading(), x=torch.ones(2)), If)
    assert branch.other == ()


def test_a_setting_that_a_method_assigns_is_refused() -> None:
    with pytest.raises(Untranslatable, match="width"):
        lower_forward(Changing(), x=torch.ones(2))


def test_a_settings_object_that_is_given_in_every_call_is_no_parameter() -> None:
    made = lower(scaled, (torch.ones(2), CONFIG))
    assert [one.name for one in made.parameters] == ["x"]
    assert [(place, one.type) for place, one in made.fixed] == [(1, ConstantOf(CONFIG))]
    assert 0.5 in {one.value for one in found(made, Literal)}


def test_two_settings_objects_are_no_constant() -> None:
    with pytest.raises(Untranslatable, match="config, which is SimpleNamespace"):
        lower(scaled, (torch.ones(2), CONFIG), (torch.ones(2), SimpleNamespace(inner=CONFIG.inner)))


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        "a",
        (1,),
        {},
        torch.ones(1),
        nn.Linear(1, 1),
        len,
        SimpleNamespace(state=torch.ones(1)),
        torch.Generator(),
    ],
)
def test_other_values_are_no_settings(value: Any) -> None:
    assert not is_settings(value)


def test_attributes_are_read_through_settings_alone() -> None:
    assert read(CONFIG, ["inner", "rate"]) == 0.5
    assert not isinstance(read(CONFIG, ["kind", "upper"]), str)
    assert not assigned(["width"], ())


class Composed:
    def __init__(self) -> None:
        self.text = SimpleNamespace(rate=0.25)

    def part(self, name: str) -> Any:
        return getattr(self, name)


def by_literal(x: torch.Tensor, config: Composed) -> torch.Tensor:
    text = config.part("text")
    return x * text.rate  # type: ignore[no-any-return]  # a tensor


def by_name(x: torch.Tensor, config: Composed, name: str) -> torch.Tensor:
    text = config.part(name)
    return x * text.rate  # type: ignore[no-any-return]  # a tensor


def test_the_settings_that_a_method_of_settings_gives_for_literals_are_known() -> None:
    config = Composed()
    assert 0.25 in [one.value for one in found(lower(by_literal, (torch.ones(2), config)), Literal)]
    with pytest.raises(Untranslatable, match="a call of Composed.part"):
        lower(by_name, (torch.ones(2), config, "text"))


def decayed(a: int, config: Any) -> nn.Module:
    base = config.inner.rope["base"]
    factor = config.inner.rope.get("factor", 3)
    return nn.Sequential(nn.Linear(a, base), nn.Linear(base, factor), nn.Linear(factor, config.inner.rope.get("width")))


def changed(a: int, config: Any) -> nn.Module:
    config.inner.rope["base"] = 4
    return nn.Linear(a, config.inner.rope["base"])


def updated(a: int, config: Any) -> nn.Module:
    config.inner.rope.update(base=4)
    return nn.Linear(a, config.inner.rope["base"])


def test_items_of_a_dictionary_of_settings_are_literals_unless_a_method_changes_it() -> None:
    config = SimpleNamespace(inner=SimpleNamespace(rope={"base": 8, "width": 2}))
    literals = found(lower(decayed, (2, config), constructs=True), Literal)
    assert {("SimpleNamespace.base", 8), ("", 3), ("SimpleNamespace.width", 2)} <= {
        (one.name, one.value) for one in literals
    }
    for function in (changed, updated):
        with pytest.raises(Untranslatable, match="rope"):
            lower(function, (2, config), constructs=True)
