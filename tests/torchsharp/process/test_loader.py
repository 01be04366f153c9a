"""From an assembly to a model: what stands in the way is told."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import bridge
from bridge import doctor

from .demanding import demanding

pytestmark = pytest.mark.dotnet
SAID = (
    r"libLibTorchSharp\.so needs libstdc\+\+ \(GLIBCXX_3\.4\.99\), and \S*libstdc\+\+\.so\.6 is older, as on Debian 12 and "
    r"Ubuntu 22\.04: use Debian 13"
)


@pytest.mark.skipif(sys.platform != "linux", reason="a library for Linux that asks for a libstdc++ that no Linux has")
def test_a_system_that_is_too_old_for_torchsharp_is_told_by_the_model_and_by_doctor(
    torchsharp_models: Path, torchsharp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = demanding(torchsharp, tmp_path)
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(library))
    with pytest.raises(bridge.HostError, match=f"TorchSharp at .* does not start: {SAID}"):
        bridge.load(torchsharp_models, "Models.Net", runtime="torchsharp")
    finding = doctor.check_torchsharp(torchsharp_models)
    assert finding.state == "note"
    assert f"{library} (by BRIDGE_TORCHSHARP), does not start: libLibTorchSharp.so needs libstdc++" in finding.text


def test_a_torchsharp_without_its_library_does_not_start(
    torchsharp_models: Path, torchsharp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(torchsharp, tmp_path)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(tmp_path))
    with pytest.raises(bridge.HostError, match=r"TorchSharp at .* does not start: .*libtorch"):
        bridge.load(torchsharp_models, "Models.Net", runtime="torchsharp")
