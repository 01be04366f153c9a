"""tools/port_members.py: what port may write is the public surface of TorchSharp."""

from __future__ import annotations

import port_members
import pytest


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
