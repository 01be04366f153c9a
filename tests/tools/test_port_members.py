"""tools/port_members.py: what port may write is the public surface of TorchSharp."""

from __future__ import annotations

import pytest

import port_members


def test_the_table_is_what_the_list_gives() -> None:
    assert port_members.MEMBERS.read_text(encoding="utf-8") == port_members.table(), "run python tools/port_members.py"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TorchSharp.torch/Tensor", "Tensor"),
        ("System.Nullable`1<System.ValueTuple`2<long,long>>", "(long,long)?"),
        ("System.Collections.Generic.IList`1<TorchSharp.torch/Tensor>", "IList<Tensor>"),
        ("long[]", "long[]"),
    ],
)
def test_types_are_written_as_csharp_does(name: str, text: str) -> None:
    assert port_members.short(name) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TorchSharp.torch/nn/Reduction", "Reduction"),
        ("TorchSharp.torch/RoundingMode", "RoundingMode"),
        ("TorchSharp.FFTNormType", "FFTNormType"),
        ("TorchSharp.Modules.GELU/Approximate", "TorchSharp.Modules.GELU.Approximate"),
    ],
)
def test_enumerations_are_named_so_that_they_are_found(name: str, text: str) -> None:
    assert port_members.path(name) == text


def test_the_table_has_calls_of_modules_and_members_of_enumerations() -> None:
    rows = port_members.table().splitlines()
    assert "call\tGRUCell\tTensor\tTensor input\tTensor h0" in rows  # the base has no default for the state
    assert "call\tLSTMCell\t(Tensor,Tensor)\tTensor input\t(Tensor,Tensor)? h0_c0 = null" in rows
    assert not any(row.startswith("call\tLinear") for row in rows), "one tensor in, one out"
    assert "enum\tReduction\tNone\tMean\tSum" in rows
