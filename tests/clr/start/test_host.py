"""bridge/clr/start/host.py: hostfxr's errors are told with its code and its own words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bridge.clr import start
from bridge.clr.find.installation import find_dotnet
from bridge.clr.start.host import Host, HostError
from bridge.clr.start.runtime import _CONFIGURATION

pytestmark = pytest.mark.dotnet


@pytest.fixture
def host() -> Host:
    """Return a second host of the .NET that runs in this process."""
    start()
    dotnet = find_dotnet()
    assert dotnet.hostfxr is not None
    host = Host(dotnet.hostfxr, dotnet.root, _CONFIGURATION)
    host.start()
    return host


def test_a_second_host_finds_what_the_first_has_loaded(host: Host) -> None:
    name = "Bridge.Interop.Exports, Bridge.Interop"
    assert host.function(name, "WriteAddresses") == host.function(name, "WriteAddresses") != 0


@pytest.mark.parametrize("name", ["Bridge.Interop.Exports, Bridge.Interop", "No.Type, No.Assembly"])
def test_a_function_that_is_missing(host: Host, name: str) -> None:
    with pytest.raises(HostError, match=r"^0x8[0-9A-F]{7}"):
        host.function(name, "NoMethod")


def test_an_assembly_that_is_none(host: Host, tmp_path: Path) -> None:
    (tmp_path / "Not.dll").write_text("no assembly")
    with pytest.raises(HostError, match=r"^0x80070[0-9A-F]{3}|^0x8013"):
        host.load(tmp_path / "Not.dll")


def test_an_installation_without_a_framework(tmp_path: Path) -> None:
    """hostfxr writes what is missing, and where it has searched."""
    shutil.copytree(find_dotnet().root / "host", tmp_path / "host")
    (library,) = [path for path in (tmp_path / "host" / "fxr").rglob("*hostfxr*") if path.is_file()]
    with pytest.raises(HostError, match=r"(?s)^0x80008096 .*Microsoft\.NETCore\.App"):
        Host(library, tmp_path, _CONFIGURATION)


def test_a_hostfxr_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "libhostfxr.so").write_text("no library")
    with pytest.raises(HostError, match="libhostfxr"):
        Host(tmp_path / "libhostfxr.so", tmp_path, _CONFIGURATION)
