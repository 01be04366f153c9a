"""types.py and emission.py: the C# type of each type of Python, and names."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import types as t
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Origin


class _Block(nn.Module):
    pass


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (t.INT, "long"),
        (t.FLOAT, "double"),
        (t.BOOL, "bool"),
        (t.STR, "string"),
        (t.TENSOR, "Tensor"),
        (t.DTYPE, "ScalarType"),
        (t.DEVICE, "Device"),
        (t.SIZES, "long[]"),
        (t.PACKED, "torch.nn.utils.rnn.PackedSequence"),
        (t.NONE, "Tensor?"),
        (t.ListOf(t.INT), "List<long>"),
        (t.ListOf(t.UNKNOWN), "List<Tensor>"),
        (t.SetOf(t.STR), "HashSet<string>"),
        (t.IteratorOf(t.TENSOR), "IEnumerable<Tensor>"),
        (t.DictOf(t.STR, t.ListOf(t.FLOAT)), "Dictionary<string, List<double>>"),
        (t.TupleOf((t.TENSOR, t.TupleOf((t.INT, t.NONE)))), "(Tensor, (long, Tensor?))"),
        (t.TupleOf((t.TENSOR,)), "Tensor"),
        (t.TupleOf(()), "ValueTuple"),
        (t.OptionalOf(t.INT), "long?"),
        (t.OptionalOf(t.SIZES), "long[]?"),
        (t.OptionalOf(t.TupleOf((t.INT, t.INT))), "(long, long)?"),
        (t.ListOf(t.OptionalOf(t.TENSOR)), "List<Tensor?>"),
        (t.ModuleOf(nn.Linear), "Linear"),
        (t.ModuleOf(_Block), "Block"),
        (t.ModuleOf(nn.Module), "Module<Tensor, Tensor>"),
        (t.ModulesOf(nn.ModuleList, t.ModuleOf(_Block)), "ModuleList<Block>"),
        (t.ModulesOf(nn.ModuleDict, t.ModuleOf(nn.Linear)), "ModuleDict<Linear>"),
        (t.ModulesOf(nn.Sequential, t.ModuleOf(nn.Module)), "Sequential"),
        (t.ModulesOf(nn.ParameterList, t.TENSOR), "ParameterList"),
        (t.FunctionOf((t.TENSOR, t.INT), t.BOOL), "Func<Tensor, long, bool>"),
        (t.FunctionOf((t.TENSOR,), t.NONE), "Action<Tensor>"),
        (t.FunctionOf((), t.NONE), "Action"),
    ],
    ids=str,
)
def test_types(found: t.Type, wanted: str) -> None:
    assert text(begin().type_of(found)) == wanted


def test_a_type_that_no_run_showed_is_refused_where_it_stands() -> None:
    with pytest.raises(Untranslatable) as raised:
        begin().type_of(t.UNKNOWN, Origin("net.py", 3))
    assert str(raised.value.origin) == "net.py:3"


def test_classes_of_the_model_have_their_names_and_types() -> None:
    emission = begin(classes={_Block: "Block2"}, module_types={nn.Module: tree.Type("Module", (tree.Type("long"),))})
    assert text(emission.type_of(t.ModuleOf(_Block))) == "Block2"
    assert text(emission.type_of(t.ModuleOf(nn.Module))) == "Module<long>"


def test_a_field_that_a_variable_hides_is_read_from_this() -> None:
    emission = begin(names={"scale"})
    assert text(emission.field_name("scale")) == "this.scale"
    assert text(emission.field_name("bias")) == "bias"


def test_a_fresh_name_is_taken_by_nothing_else() -> None:
    emission = begin(names={"items"})
    assert [emission.fresh("items"), emission.fresh("items"), emission.fresh("shape")] == ["items2", "items3", "shape"]


def test_a_helper_that_is_called_is_noted() -> None:
    emission = begin()
    assert text(emission.helper("Item", tree.Name("a"), tree.Literal(-1))) == "PythonMath.Item(a, -1)"
    assert emission.helpers == {"Item"}
