"""Which TorchSharp runs on which torch in one process, and what is said where it does not."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.torchsharp.in_process import library
from bridge.torchsharp.in_process.errors import InProcessError
from bridge.torchsharp.in_process.library import TESTED, check, load_library, missing_symbols
from bridge.torchsharp.process.library_search import LibraryFile, own_library
from tests.support.processes import loaded

pytestmark = pytest.mark.dotnet

TORCHSHARP = "TorchSharp 0.107.0"
#: A library that lacks nothing with any torch.
COMPLETE = Path(torch.__file__).parent / "lib" / ("c10.dll" if os.name == "nt" else "libc10.so")
OTHER_WAYS = (
    'pass runtime="torchsharp" to run the model in a separate process, or leave out runtime to run it on Bridge.Torch'
)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets the version of torch, and BRIDGE_TORCHSHARP_UNTESTED or not."""

    def set(version: str, force: str | None = None) -> None:
        monkeypatch.setattr(torch, "__version__", version)
        monkeypatch.delenv("BRIDGE_TORCHSHARP_UNTESTED", raising=False)
        if force is not None:
            monkeypatch.setenv("BRIDGE_TORCHSHARP_UNTESTED", force)

    return set


@pytest.fixture
def native(torchsharp: Path) -> Path:
    """Return TorchSharp's native library; skip on a torch that has all that it needs."""
    found = own_library(torchsharp)
    assert found is not None
    if not missing_symbols(found):
        pytest.skip(f"torch {torch.__version__} has all functions that {TORCHSHARP} needs")
    return found


@pytest.mark.parametrize("version", ["2.10.0", "2.11.0+cu130", "2.12.1"])
def test_a_pair_that_was_tested_is_accepted(running: Callable[..., None], version: str) -> None:
    running(version)
    check(TORCHSHARP, COMPLETE)


def test_a_library_that_cannot_be_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "libLibTorchSharp.dylib").write_bytes(b"\xcf\xfa\xed\xfe")
    with pytest.raises(InProcessError) as caught:
        check(TORCHSHARP, tmp_path / "libLibTorchSharp.dylib")
    assert f"{caught.value}".startswith(f"{TORCHSHARP} cannot run in this process: {tmp_path}")
    assert f"{caught.value}".endswith(
        f"is a Mach-O file, for macOS: only files for Linux and Windows can be read. P{OTHER_WAYS[1:]}"
    )


@pytest.mark.parametrize("version", ["2.13.0", "2.9.1", "2.1.0", "3.10.0", "12.10.0", "2.100.0"])
@pytest.mark.parametrize("force", [None, "", "0", "yes"])
def test_a_pair_that_was_not_tested_is_refused_with_what_to_do(
    running: Callable[..., None], version: str, force: str | None
) -> None:
    running(version, force)
    with pytest.raises(InProcessError) as caught:
        check(TORCHSHARP, COMPLETE)
    assert str(caught.value) == (
        f"{TORCHSHARP} was not tested in one process with torch {version}: use torch 2.10, 2.11 or 2.12, or {OTHER_WAYS}. "
        "Set BRIDGE_TORCHSHARP_UNTESTED=1 to try it: this process may crash"
    )


def test_a_torchsharp_that_was_not_tested_is_refused(running: Callable[..., None]) -> None:
    """There is no version of torch to advise."""
    running("2.10.0")
    with pytest.raises(InProcessError) as caught:
        check("TorchSharp 0.106.0", COMPLETE)
    assert str(caught.value).startswith(
        f"TorchSharp 0.106.0 was not tested in one process with torch 2.10.0: {OTHER_WAYS}. Set "
    )


@pytest.mark.parametrize("title", [TORCHSHARP, "TorchSharp 0.106.0"])
def test_a_pair_that_was_not_tested_can_be_forced(running: Callable[..., None], title: str) -> None:
    running("2.14.0", "1")
    check(title, COMPLETE)


@pytest.mark.parametrize("force", [None, "1"])
def test_a_torch_that_lacks_functions_is_refused_even_by_force(
    running: Callable[..., None], native: Path, force: str | None
) -> None:
    version = torch.__version__
    running(version, force)
    missing = missing_symbols(native)
    with pytest.raises(InProcessError) as caught:
        check(TORCHSHARP, native)
    assert str(caught.value) == (
        f"{TORCHSHARP} cannot run in this process: its native library needs {len(missing)} functions that torch {version} "
        f"lacks ({missing[0]}, …). Use torch 2.10, 2.11 or 2.12, or {OTHER_WAYS}"
    )


def test_what_torch_lacks_is_named_in_order(native: Path) -> None:
    missing = missing_symbols(native)
    assert missing == sorted(missing)
    assert all(name.startswith(("_Z", "?")) for name in missing)  # C++ functions: of those of C none is gone


def test_a_refusal_loads_nothing_and_other_ways_run(native: Path, torchsharp: Path, models: Path) -> None:
    with pytest.raises(bridge.BridgeError, match=rf"{TORCHSHARP} cannot run in this process: .* torch 2\.") as caught:
        bridge.load(models, "Models.Net", runtime=f"torchsharp-in-process:{torchsharp.parent}")
    assert isinstance(caught.value, RuntimeError)
    assert not loaded(native.name)
    x = torch.ones(2, 4)
    here = bridge.load(models, "Models.Net")
    apart: Any = bridge.load(models, "Models.Net", runtime=f"torchsharp:{torchsharp.parent}")
    apart.load_state_dict(here.state_dict())
    with torch.no_grad():
        assert torch.allclose(here(x), apart(x))


def test_a_torchsharp_without_its_native_library_is_named(
    torchsharp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_loaded", None)
    file = Path(shutil.copy(torchsharp, tmp_path))
    with pytest.raises(InProcessError, match=re.escape(f"the native library of {file} is missing")):
        load_library(LibraryFile(file, "requested", TORCHSHARP, "TorchSharp", True))


def test_a_second_torchsharp_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first" / "TorchSharp.dll", tmp_path / "second" / "TorchSharp.dll"
    file = LibraryFile(first, "requested", TORCHSHARP, "TorchSharp", True)
    monkeypatch.setattr(library, "_loaded", (file, {}))
    message = f"this process runs models on {first}, and cannot run others on {second}"
    with pytest.raises(InProcessError, match=re.escape(message)):
        load_library(LibraryFile(second, "requested", TORCHSHARP, "TorchSharp", True))
    assert load_library(LibraryFile(first, "requested", TORCHSHARP, "TorchSharp", True)) == {}


def test_the_package_that_the_sdk_restores_was_tested(torchsharp: Path) -> None:
    from bridge.torchsharp.process.loader import find_library

    assert find_library(torchsharp, torchsharp.parent).title.split()[-1] in TESTED
