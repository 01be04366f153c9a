"""bridge/trace/diff/phrases.py: what is said must be what one can write."""

from __future__ import annotations

import pytest

from bridge.trace.diff.phrases import expression


@pytest.mark.parametrize(
    ("path", "csharp", "python"),
    [
        ("block", "block", "self.block"),
        ("blocks.0", "blocks[0]", "self.blocks[0]"),
        ("layers.10.0.fc1", "layers[10][0].fc1", "self.layers[10][0].fc1"),
        ("0.conv", "this[0].conv", "self[0].conv"),
    ],
)
def test_a_path_is_written_as_code(path: str, csharp: str, python: str) -> None:
    assert expression(path) == csharp
    assert expression(path, "self") == python
