"""The .NET SDK: the marker ``sdk``, and C# that tests compile."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import csharp_compiler

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def _load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_tools_{name}", TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@functools.cache
def find_sdk() -> Any:
    """Return the SDK (``Sdk`` of tools/sdk.py), or the reason as text where none fits global.json."""
    module = _load_tool("sdk")
    try:
        return module.Sdk()
    except module.NoSdk as error:
        return str(error)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked ``sdk`` where there is no SDK."""
    marked = [item for item in items if item.get_closest_marker("sdk") is not None]
    if marked and isinstance(found := find_sdk(), str):
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=f"needs the .NET SDK: {found}"))


@pytest.fixture(scope="session")
def tools() -> Callable[[str], ModuleType]:
    """Return a function that loads a script of tools/ as a module: ``tools("sdk")``."""
    return _load_tool


@pytest.fixture(scope="session")
def sdk() -> Any:
    """Return the SDK (``command``, ``environ``, ``version``, ``run``); for tests marked ``sdk``."""
    found = find_sdk()
    if isinstance(found, str):
        pytest.fail(f"this test needs an SDK and is not marked sdk: {found}", pytrace=False)
    return found


@pytest.fixture(scope="session")
def build_csharp(default_references: Sequence[Path]) -> Callable[..., Path]:
    """Return a function that compiles C# and returns the path of the assembly: ``build_csharp({"Model.cs": source}, name)``.

    The sources are texts by the names of their files, or the files. ``against``: the assemblies to reference, by default Bridge.Hooks and
    Bridge.Torch, or TorchSharp where the tests run on it (``--torchsharp``). ``symbols``: write line numbers beside the assembly.
    ``strict``: warnings are errors. ``checked``: so is an overflow when it runs. Compiler errors fail the test with the compiler's text.

    The same sources are compiled once for the same references, for all processes and runs. Without an SDK the function returns the
    assembly that ``make refresh`` stored, and fails where it is missing.
    """

    def build(
        sources: Mapping[str, str] | Iterable[Path],
        name: str,
        against: Sequence[Path] = (),
        symbols: bool = False,
        strict: bool = False,
        checked: bool = False,
    ) -> Path:
        if not isinstance(sources, Mapping):
            sources = {file.name: file.read_text(encoding="utf-8") for file in sources}
        libraries = against or default_references
        wanted = csharp_compiler.Compilation(name, sources, libraries, symbols, strict, checked=checked)
        try:
            found = find_sdk()
            return (
                csharp_compiler.stored(wanted)
                if isinstance(found, str)
                else csharp_compiler.compile_sources(found, wanted)
            )
        except (csharp_compiler.CompileError, csharp_compiler.NotCompiled) as error:
            pytest.fail(str(error), pytrace=False)

    return build
