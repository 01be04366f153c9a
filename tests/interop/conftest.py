"""The C# models of these tests, whose functions run in child processes (the marker ``subprocess``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def assemblies(build_csharp: Callable[..., Path]) -> Iterator[None]:
    """Compile the C# models, and name the assemblies in the environment, where ``helpers.py`` finds them in each process."""
    mirror = {file.name: file for file in sorted((FOLDER.parent / "mirror").glob("*.cs"))}
    with pytest.MonkeyPatch.context() as patch:
        for name, files in (
            ("Models", mirror),
            ("Extra", {"Extra.cs": FOLDER / "Extra.cs"}),
            ("Failing", {"Failing.cs": FOLDER / "Failing.cs"}),
        ):
            sources = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
            patch.setenv(f"ASSEMBLY_{name.upper()}", str(build_csharp(sources, name)))
        yield
