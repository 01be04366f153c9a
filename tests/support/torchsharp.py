"""TorchSharp itself, its reference assembly, and what programs reference besides."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import csharp_compiler
from bridge.clr.find import assemblies
from tests.support.sdk import find_sdk

ROOT = Path(__file__).resolve().parents[2]


def find_torchsharp() -> Path:
    """Return the path of TorchSharp's assembly in the output folder of an xunit project; it may not exist."""
    return ROOT / "dotnet" / "artifacts" / "bin" / "Bridge.TorchSharp.Tests" / "release" / "TorchSharp.dll"


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return a reference assembly of TorchSharp 0.107: its signatures without code, against which users' assemblies are compiled."""
    if isinstance(found := find_sdk(), str):
        return csharp_compiler.STORE / "TorchSharp.Reference" / "TorchSharp.dll"
    return csharp_compiler.torchsharp_signatures(found)


@pytest.fixture(scope="session")
def torchsharp() -> Path:
    """Return TorchSharp's assembly in the output folder of an xunit project, with its native libraries below it.

    The SDK restores it: without an SDK a missing one skips the test, else it fails it.
    """
    library = find_torchsharp()
    if not isinstance(found := find_sdk(), str):
        if not library.is_file():
            pytest.fail("there is no TorchSharp, though there is an SDK: `make setup` restores it", pytrace=False)
    elif not library.is_file():
        pytest.skip(f"needs TorchSharp itself, which an SDK restores: {found}")
    return library


@pytest.fixture(scope="session")
def default_references(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> tuple[Path, ...]:
    """Return the assemblies against which models are compiled for the runtime of this run."""
    if pytestconfig.getoption("torchsharp"):
        return (request.getfixturevalue("reference"),)
    folder, _ = assemblies.folder()
    return folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll"


@pytest.fixture(scope="session")
def nuget_cache() -> Path:
    """Return the user's NuGet cache, which tests restore from and do not write to."""
    return Path(os.environ.get("NUGET_PACKAGES", "").strip() or Path.home() / ".nuget" / "packages")


@pytest.fixture(scope="session")
def recorder(torchsharp: Path) -> tuple[Path, ...]:
    """Return the references of a recorded program on TorchSharp: TorchSharp, Bridge.TorchSharp, Bridge.Hooks."""
    folder, _ = assemblies.folder()
    return torchsharp, folder / "Bridge.TorchSharp.dll", folder / "Bridge.Hooks.dll"


@pytest.fixture(scope="session")
def bridge_torch() -> tuple[Path, ...]:
    """Return the references of a program on Bridge.Torch."""
    folder, _ = assemblies.folder()
    return folder / "Bridge.Torch.dll", folder / "Bridge.Hooks.dll"
