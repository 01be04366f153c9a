"""logic.py: and, or as values."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir.nodes import Expression, Logical, Truth
from bridge.port.ir.types import BOOL, INT, TENSOR, ModuleOf, OptionalOf
from bridge.port.passes.logic import simplify_logic
from tests.port.ir.building import back, function, lines, op, var

N, B = var("n"), var("b", BOOL)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Logical("and", (B, B), type=BOOL), "(b and b)"),
        (Truth(Logical("or", (N, B), type=INT)), "(bool(n) or b)"),
        (Logical("or", (N, var("m")), type=INT), "(n if bool(n) else m)"),
        (Logical("and", (N, var("m")), type=INT), "(m if bool(n) else n)"),
        (Logical("or", (op("+", N, N), N), type=INT), "(value#1 if bool((value#1 := (n + n))) else n)"),
        (
            Logical(
                "or", (var("f", OptionalOf(ModuleOf(torch.nn.ReLU))), var("g", ModuleOf(torch.nn.ReLU))), type=TENSOR
            ),
            "(ReLU(f) if (f is-not None) else g)",
        ),
        (Logical("or", (var("m", OptionalOf(TENSOR)), var("x", TENSOR)), type=TENSOR), "(Tensor(m) if bool(m) else x)"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_values(value: Expression, expected: str) -> None:
    assert lines(simplify_logic(function(back(value)))) == [f"return {expected}"]
