"""computed_names.py: an attribute whose name is computed is one of those that the instances have."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Compare, Field, Literal, UnsupportedValue
from bridge.port.ir.types import FLOAT
from tests.port.frontend.lowering import found, lower_forward


class Scales(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for scale, kind in enumerate(("near", "far")):
            setattr(self, f"{kind}_scale", float(scale))
            setattr(self, f"{kind}_shift", nn.Buffer(torch.full((2,), float(scale))))
        self.shift_near = self.scale_1 = 2.0


class Chosen(Scales):
    def forward(self, x: torch.Tensor, kind: str | None = None) -> Any:
        return x * getattr(self, f"{kind}_scale") + getattr(self, f"{kind}_shift")


class Mixed(Scales):
    def forward(self, x: torch.Tensor, kind: str) -> Any:
        return x * getattr(self, f"near_{kind}")


class Formatted(Scales):
    def forward(self, x: torch.Tensor, kind: str) -> Any:
        return x * getattr(self, f"{kind:4}_scale")


def test_a_computed_name_chooses_among_the_attributes_of_that_form() -> None:
    made = lower_forward(Chosen(), x=torch.ones(2), kind="near")
    tests = found(made, Compare)
    assert [one.right.value for one in tests] == ["near", "far", "near", "far"]
    assert [one.name for one in found(made, Field)] == ["near_shift", "far_shift"]
    assert [one.value for one in found(made, Literal) if one.type == FLOAT] == [0.0, 1.0]
    assert found(made, UnsupportedValue)[0].why == "another attribute than those of near, far"


def test_attributes_of_several_types_and_other_forms_are_refused() -> None:
    with pytest.raises(Untranslatable, match="of several types"):
        lower_forward(Mixed(), x=torch.ones(2), kind="scale")
    with pytest.raises(Untranslatable, match="with a name that is computed"):
        lower_forward(Formatted(), x=torch.ones(2), kind="near")
