"""TorchSharp.PyBridge, by which C# reads Python's weights: it reads what Python writes here, and Python reads what it writes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import bridge

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk, pytest.mark.slow]

FORMATS: dict[str, tuple[str, Callable[[Any, Path], object], Callable[[Path], dict[str, torch.Tensor]]]] = {
    "py": ("net.pt", torch.save, torch.load),
    "safetensors": ("net.safetensors", save_file, load_file),
}


@pytest.fixture(scope="module")
def filed(sdk: Any, nuget_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the folder ``pybridge`` into an app's folder. What NuGet's cache lacks is not added to it."""
    folder = tmp_path_factory.mktemp("filed") / "Filed"
    shutil.copytree(Path(__file__).with_name("pybridge"), folder)
    packages = (f"-p:RestorePackagesPath={folder.parent / 'packages'}", f"-p:RestoreFallbackFolders={nuget_cache}")
    done = subprocess.run(
        [sdk.command, "build", "-c", "Release", "-o", str(folder / "app"), "--nologo", "-v", "quiet", *packages],
        cwd=folder,
        env={name: value for name, value in sdk.environ.items() if name != "NUGET_PACKAGES"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "app" / "Filed.dll"


@pytest.mark.parametrize("form", FORMATS)
@torch.no_grad()
def test_each_reads_what_the_other_writes(
    filed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    name, save, load = FORMATS[form]
    x = torch.randn(2, 3, 8, 8)
    model = bridge.load(filed, "Filed.Net", runtime="torchsharp").eval()
    state = {
        key: torch.randint(5, value.shape) if value.dtype == torch.int64 else torch.rand_like(value)
        for key, value in model.state_dict().items()
    }
    ours, theirs = tmp_path / f"ours {name}", tmp_path / f"theirs {name}"
    save(state, ours)
    y = model(x, f"load_{form}", str(ours))
    _equal(model.state_dict(), state)
    model(x, f"save_{form}", str(theirs))
    _equal(load(theirs), state)
    # And so on Bridge.Torch in this process, from the file that C# wrote.
    other = bridge.load(filed, "Filed.Net").eval()
    other.load_state_dict(load(theirs))
    assert torch.allclose(other(x, "", ""), y, atol=1e-6)


def _equal(state: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert state.keys() == expected.keys()
    for key, value in expected.items():
        assert state[key].dtype == value.dtype, key
        assert torch.equal(state[key], value), key
