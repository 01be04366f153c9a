"""results.py: results of calls as the types of Python want them."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.csharp import tree as t
from bridge.port.csharp.calls.member_table import parsed
from bridge.port.csharp.calls.results import adapted, is_array
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable

TENSOR = types.TENSOR
PAIR = types.TupleOf((TENSOR, TENSOR))
CALLED = ir.ModuleCall(ir.Field("layer", type=types.ModuleOf(nn.Module)), (), type=TENSOR)


def result(found: str, wanted: types.Type) -> str:
    node = ir.ModuleCall(CALLED.module, (), type=wanted)
    return text(adapted(begin(), node, t.Name("made"), parsed(found)))


@pytest.mark.parametrize(
    ("found", "wanted", "written"),
    [
        ("Tensor", TENSOR, "made"),
        ("long", types.INT, "made"),
        ("int", types.INT, "made"),
        ("(Tensor,Tensor)", PAIR, "made"),
        ("Tuple<Tensor,Tensor>", PAIR, "made.ToValueTuple()"),
        ("Tensor[]", types.ListOf(TENSOR), "made.ToList()"),
        ("Tensor[]", types.IteratorOf(TENSOR), "made"),
        ("Tensor[]", PAIR, "PythonMath.ToTuple2(made)"),
        ("(Tensor,Tensor,Tensor)", types.TupleOf((TENSOR, PAIR)), "PythonMath.NestedState(made)"),
    ],
)
def test_a_result_is_made_what_python_has(found: str, wanted: types.Type, written: str) -> None:
    assert result(found, wanted) == written


@pytest.mark.parametrize(
    ("found", "wanted"), [("Tensor", PAIR), ("Tensor[]", TENSOR), ("Tensor", types.BOOL), ("bool", TENSOR)]
)
def test_a_result_that_is_another_value_is_refused(found: str, wanted: types.Type) -> None:
    with pytest.raises(Untranslatable, match="in PyTorch"):
        result(found, wanted)


def test_arrays_and_sequences_of_tensors_are_arrays() -> None:
    assert is_array(parsed("Tensor[]"))
    assert is_array(parsed("IList<Tensor>"))
    assert not is_array(parsed("long[]"))
