"""docs/port.md shows the C# that port writes for a transformer. tests/test_docs.py runs the page's commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.port.porting import Port

PAGE = Path(__file__).parents[3] / "docs" / "port.md"


def test_the_page_shows_the_csharp_of_its_transformer(
    ported: Callable[..., Port], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    original = re.search(r"^`gpt.py`\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert original is not None
    (tmp_path / "gpt_of_the_page.py").write_text(original[1], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import gpt_of_the_page  # type: ignore[import-not-found]  # it was written just now

    port = ported(gpt_of_the_page.Gpt, torch.randint(0, 256, (1, 16)))
    assert port.left == ()
    helpers = port.files.pop("PythonMath.cs")
    assert "Deconstruct" in helpers
    shown = re.findall(r"^```csharp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown == [one.replace("namespace Ported;", "namespace GptModel;") for one in port.files.values()]
