"""bridge/clr/start/libraries.py: torch's libraries and their C++ functions, under this system's names."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
import torch

from bridge.clr.start import libraries

LIB = Path(torch.__file__).parent / "lib"
#: Symbols that only some versions of torch export: ``wrap`` up to 2.13.
BY_VERSION = {"wrap"}


@pytest.mark.parametrize("name", ["c10", "torch_cpu", "torch_python"])
def test_a_library_is_in_torchs_folder(name: str) -> None:
    found = libraries.path(name)
    assert found is not None
    assert found.parent == LIB


@pytest.mark.parametrize(("system", "name"), [("linux", "libc10.so"), ("darwin", "libc10.dylib"), ("win32", "c10.dll")])
def test_each_system_has_its_file_names(system: str, name: str) -> None:
    assert libraries.file_name("c10", system) == name


def test_elsewhere_a_library_is_the_loaded_one(tmp_path: Path) -> None:
    """Some distributions do not put libtorch into torch's folder."""
    found = libraries.path("torch_cpu", tmp_path)
    assert found is not None
    assert found.samefile(LIB / libraries.file_name("torch_cpu"))
    assert libraries.path("no_such_library", tmp_path) is None


@pytest.mark.parametrize("key", sorted(libraries._SYMBOLS.keys() - BY_VERSION))
def test_every_symbol_has_the_name_that_this_system_gives_it(key: str) -> None:
    """Otherwise each use takes a slow path, which no other test would notice."""
    assert libraries.variable(key, ctypes.c_byte) is not None


def test_a_function_of_no_library_or_of_another_name_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert libraries.function("any_modes") is not None
    monkeypatch.setitem(libraries._SYMBOLS, "any_modes", libraries._Symbol("c10", "no_such_name", "no_such_name"))
    assert libraries.function("any_modes") is None
    monkeypatch.setitem(libraries._SYMBOLS, "any_modes", libraries._Symbol("no_such_library", "name", "name"))
    assert libraries.function("any_modes") is None
