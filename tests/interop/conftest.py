"""The C# models of these tests, whose functions run in child processes (the marker ``subprocess``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def assemblies(build_csharp: Callable[..., Path]) -> Iterator[None]:
    """Compile the C# models, and name the assemblies in the environment, where ``helpers.py`` finds them in each process."""
    models = sorted((FOLDER.parent / "mirror").glob("*.cs"))
    with pytest.MonkeyPatch.context() as patch:
        for name, files in (("Models", models), ("Extra", [FOLDER / "Extra.cs"]), ("Failing", [FOLDER / "Failing.cs"])):
            patch.setenv(f"ASSEMBLY_{name.upper()}", str(build_csharp(files, name)))
        yield
