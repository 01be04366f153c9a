"""bridge.conformance.choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.clr.find import installation
from bridge.clr.find.installation import find_dotnet
from bridge.conformance import choice
from bridge.conformance.choice import choose
from bridge.runtimes.registry import NEED_DOTNET, RUNTIMES
from bridge.torchsharp.in_process.errors import InProcessError


def test_the_reason_does_not_list_the_searched_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(choice, "start_dotnet", lambda: find_dotnet({}, folders=[tmp_path]))
    monkeypatch.setattr(installation, "DISTRIBUTION", "a-distribution-that-nobody-has")
    left_out = ", ".join(name for name in RUNTIMES if name in NEED_DOTNET)
    reason = "no .NET runtime 8.0 or later was found"
    assert choose().note == f"Left out: {left_out}, which need .NET: {reason}."


@pytest.mark.parametrize("words", ["cannot run in this process", "was not tested in one process with torch 2.13"])
def test_torchsharp_in_this_process_is_left_out_on_another_torch(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """It is absent by its name, and the others run."""

    class Refused:
        def version(self) -> str:
            raise InProcessError(f"TorchSharp 0.107.0 {words}. Use torch 2.10, or others")

    monkeypatch.setattr(choice, "start_dotnet", lambda: None)
    monkeypatch.setattr(choice.process, "title", lambda: "")
    monkeypatch.setattr(choice, "runtime", lambda name: Refused())
    chosen = choose()
    assert chosen.names == tuple(name for name in RUNTIMES if name != "torchsharp-in-process")
    assert chosen.note == f"Left out: torchsharp-in-process, which needs another torch: TorchSharp 0.107.0 {words}."
    assert choose(["torchsharp-in-process"]).names == ("torchsharp-in-process",)
