"""The symbols that a library needs, read from its file."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.torchsharp.in_process.symbols import imported_symbols, needed_symbols

TORCH = Path(torch.__file__).parent / "lib"


def program(name: str) -> Path:
    """Return a program for Windows from setuptools, which is not imported."""
    spec = importlib.util.find_spec("setuptools")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name(name)


ELF = pytest.mark.skipif(sys.platform != "linux", reason="PyTorch's libraries for Linux")


@ELF
@pytest.mark.parametrize("name", ["libc10.so", "libshm.so", "libtorch.so", "libtorch_global_deps.so"])
def test_what_an_elf_file_needs_is_what_the_loader_has_found(name: str) -> None:
    library = ctypes.CDLL(str(TORCH / name))
    needed = needed_symbols(TORCH / name)
    assert [symbol for symbol in needed if not hasattr(library, symbol)] == []
    assert needed or name in ("libtorch.so", "libtorch_global_deps.so")  # some builds of these have no code


@ELF
def test_weak_symbols_and_those_of_the_file_itself_are_left_out() -> None:
    """The loader accepts a weak symbol that is missing."""
    file = TORCH / "libc10.so"
    needed = needed_symbols(file)
    for name in ("__gmon_start__", "_ITM_deregisterTMCloneTable", "_ZN3c104warnERKNS_7WarningE"):
        assert name.encode() in file.read_bytes()
        assert name not in needed
    assert {"_Unwind_Resume", "__cxa_throw", "memcpy"} <= needed


@pytest.mark.parametrize("name", ["cli-64.exe", "gui-64.exe", "cli-arm64.exe", "gui-arm64.exe"])
def test_what_a_pe_file_imports(name: str) -> None:
    needed = needed_symbols(program(name))
    assert {"CreateProcessA", "GetModuleFileNameA", "WaitForSingleObject", "memcpy"} <= needed
    assert all(symbol.isidentifier() for symbol in needed)
    assert not any(symbol.endswith(".dll") for symbol in needed)


def test_what_a_pe_file_imports_by_library() -> None:
    imported = imported_symbols(program("cli-64.exe"))
    assert "CreateProcessA" in imported["kernel32.dll"]
    assert set().union(*imported.values()) == needed_symbols(program("cli-64.exe"))


def test_a_program_for_32_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="the PE file is not for 64 bits"):
        needed_symbols(program("cli-32.exe"))


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\xcf\xfa"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "library").write_bytes(content)
    with pytest.raises(ValueError, match=r"library is neither an ELF nor a PE file"):
        needed_symbols(tmp_path / "library")


@pytest.mark.parametrize("content", [b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe\0\0\0\x02"])
def test_a_library_for_macos_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "library").write_bytes(content)
    with pytest.raises(ValueError, match=r"library is a Mach-O file, for macOS"):
        needed_symbols(tmp_path / "library")


@pytest.fixture
def native(torchsharp: Path) -> Callable[[str], Path]:
    """Return a function that finds TorchSharp's native library for a system."""

    def find(system: str) -> Path:
        folder = torchsharp.parent / "runtimes" / system / "native"
        library = next(folder.glob("*LibTorchSharp.*"), None)
        return library or pytest.skip(f"the TorchSharp here has no library for {system}")

    return find


def test_torchsharps_library_for_linux(native: Callable[[str], Path]) -> None:
    needed = needed_symbols(native("linux-x64"))
    assert len(needed) > 1000
    assert {"_ZN2at4_ops6matmul4callERKNS_6TensorES4_", "memcpy"} <= needed
    assert not any(name.startswith("THS") for name in needed)  # what it has itself


@pytest.mark.parametrize("system", ["win-x64", "win-arm64"])
def test_torchsharps_library_for_windows(native: Callable[[str], Path], system: str) -> None:
    needed = needed_symbols(native(system))
    assert len([name for name in needed if "@at@@" in name]) > 1000
    assert not any(name.startswith("THS") for name in needed)


def test_torchsharps_library_for_macos_is_refused(native: Callable[[str], Path]) -> None:
    with pytest.raises(ValueError, match="is a Mach-O file, for macOS"):
        needed_symbols(native("osx-arm64"))
