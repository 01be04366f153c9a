"""literals.py: literals of C#, and which whole numbers C# has as int."""

from __future__ import annotations

import math

import pytest
import torch

from bridge.port.csharp.literals import is_narrow, wide
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import FLOAT, INT, NONE
from tests.port.csharp.values.given import INTS, N, P, binary, builtin, csharp, lit


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (2**31, "2147483648L"),
        (-(2**31), "-2147483648L"),
        (2**30, "1073741824L"),
        (-(2**63), "-9223372036854775808L"),
        (1.0, "1.0"),
        (1e-05, "1e-05"),
        (-math.inf, "double.NegativeInfinity"),
        (math.nan, "double.NaN"),
        (math.pi, "Math.PI"),
        (3.14, "3.14"),
        ("a\n", '"a\\n"'),
        (torch.float32, "torch.float32"),
        (torch.bool, "torch.@bool"),
        (torch.device("cuda:1"), 'torch.device("cuda:1")'),
        (..., "TensorIndex.Ellipsis"),
        ((1, 2), "new long[] { 1, 2 }"),
    ],
)
def test_literals(value: object, wanted: str) -> None:
    assert csharp(lit(value)) == wanted


def test_a_constant_of_the_class_has_its_name() -> None:
    assert csharp(ir.Literal(0.5, "scale", type=FLOAT)) == "scale"


@pytest.mark.parametrize("value", [2**63, object(), 1j])
def test_values_without_a_literal_are_refused(value: object) -> None:
    with pytest.raises(Untranslatable):
        csharp(ir.Literal(value, type=INT if isinstance(value, int) else NONE))


@pytest.mark.parametrize(
    ("node", "narrow", "wanted"),
    [
        (lit(3), True, "3L"),
        (builtin("len", INTS), True, "(long)ints.Count"),
        (binary("+", builtin("len", INTS), lit(1)), True, "(long)(ints.Count + 1)"),
        (binary("*", builtin("len", INTS), lit(2)), False, "(long)ints.Count * 2"),
        (binary("//", builtin("len", INTS), lit(2)), True, "(long)(ints.Count / 2)"),
        (binary("//", builtin("len", INTS), builtin("len", INTS)), True, "(long)(ints.Count / ints.Count)"),
        (
            binary("//", binary("-", lit(1), builtin("len", INTS)), lit(2)),
            False,
            "PythonMath.FloorDivide(1 - ints.Count, 2)",
        ),
        (binary("+", N, lit(1)), False, "n + 1"),
        (ir.Conditional(P, lit(1), lit(2), type=INT), False, "p ? 1L : 2L"),
        (ir.Literal(3, "depth", type=INT), False, "depth"),
        (lit(2**40), False, "1099511627776L"),
    ],
)
def test_what_c_sharp_has_as_int_is_made_long(node: ir.Expression, narrow: bool, wanted: str) -> None:
    assert is_narrow(node) == narrow
    assert text(wide(begin(), node)) == wanted


def test_a_setting_is_a_constant_of_the_class_of_its_owner() -> None:
    emission = begin()
    emission.taken = frozenset({"Net"})
    settings = [ir.Literal(4, "Config.width", type=INT), ir.Literal(0.5, "Config.rate", type=FLOAT)]
    assert [text(emission.expression(one)) for one in settings] == ["Config.width", "Config.rate"]
    assert list(emission.settings) == ["Config.width", "Config.rate"]
    for name in ("Config.width", "Net.width", "config.width", "Config.Config", "Config.class"):
        assert text(emission.expression(ir.Literal(6, name, type=INT))) == "6L", "as long as the constant would be"
