"""Modules that contain themselves, on TorchSharp in this process. TorchSharp does not run here: the description of a model is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge.torchsharp.in_process import loader


def test_a_module_that_contains_itself_is_refused_in_a_whole_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[int] = []
    described = json.dumps([{"id": 7, "children": {"owner": 7}}])
    monkeypatch.setattr(loader, "find_library", lambda *_: None)
    monkeypatch.setattr(loader, "load_library", lambda _: {"references": lambda _: "", "release": released.append})
    monkeypatch.setattr(loader, "_create", lambda *_: described)
    with pytest.raises(ValueError, match=r"^Models\.Cyclic contains itself: the module at 'owner' .* without end\)\.$"):
        loader.open_model(Path("Models.dll"), "Models.Cyclic", (), {})
    assert released == [7]
