"""bridge.compare.errors: an exception in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.clr.errors import DotNetError
from bridge.compare.errors import describe


@pytest.mark.parametrize(
    ("line", "message", "words"),
    [
        ("return x + y;", "aten::add.Tensor: sizes", "+: sizes"),
        ("return x.add(y);", "aten::add.Tensor: sizes", "add: sizes"),
        ("return x / y;", "aten::div.Tensor: sizes", "/: sizes"),
        ("return cat(all);", "aten::cat: sizes", "cat: sizes"),
        ("return x + y;", "no good today", "no good today"),
    ],
)
def test_an_operator_has_the_name_that_is_written(tmp_path: Path, line: str, message: str, words: str) -> None:
    source = tmp_path / f"{abs(hash((line, message)))}.cs"
    source.write_text(f"// a model\n{line}\n", encoding="utf-8")
    stack = f"   at Bridge.Torch.Abi.Check()\n   at Mine.Net.forward(Tensor x) in {source}:line 2"
    said = describe(DotNetError("System.Exception", message, stack))
    assert said.splitlines()[0] == f"System.Exception: {words}"
    assert said.splitlines()[1] == f"  at Mine.Net.forward(Tensor x) in {source}:line 2"


def test_without_a_line_the_operator_keeps_its_name() -> None:
    stack = "   at Mine.Net.forward(Tensor x)"
    assert describe(DotNetError("E", "aten::add.Tensor: sizes", stack)).startswith("E: add: sizes")
