"""C# models with known faults, and the comparison of one of them with its PyTorch original."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from bridge.mirror.loading import exact_lines

HERE: Final = Path(__file__).parent
SHAPES: Final = {
    "Attention": (6, 6, 6),
    "Complement": (4, 4),
    "Late": (4, 4),
    "Length": (4, 4),
    "Recurrent": (2, 3, 4),
    "Residual": (2, 3, 5, 5),
    "Sampling": (4, 4),
}


@pytest.fixture(scope="session")
def originals() -> ModuleType:
    """Load the PyTorch originals of Faults.cs."""
    spec = importlib.util.spec_from_file_location("_isolate_originals", HERE / "originals.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def faults(build_csharp: Callable[..., Path]) -> Path:
    """Build Faults.cs with symbols; skip the test if there is no SDK."""
    sources = {"Faults.cs": (HERE / "Faults.cs").read_text(encoding="utf-8")}
    return build_csharp(sources, "Faults", symbols=True)


@pytest.fixture(scope="session")
def line() -> Callable[[str], str]:
    """Return a function that returns the location (``Faults.cs:12``) of the first line that contains a text."""
    lines = (HERE / "Faults.cs").read_text(encoding="utf-8").splitlines()
    return lambda text: f"Faults.cs:{next(number for number, written in enumerate(lines, 1) if text in written)}"


@pytest.fixture
def judge(faults: Path, originals: ModuleType) -> Callable[..., Comparison]:
    """Return ``judge("Late", "both", train=True)``, which compares an original with the C# class, made with further arguments."""

    def judge(name: str, *how: object, shape: tuple[int, ...] = (), **options: Any) -> Comparison:
        torch.manual_seed(0)
        python = getattr(originals, name)()
        with exact_lines():
            dotnet = bridge.load(faults, f"Faults.{name}", *how)
        share("python", python, dotnet)
        inputs = options.pop("inputs", None) or Inputs((torch.randn(shape or SHAPES.get(name, (2, 4))),))
        return compare(python, dotnet, inputs, **options)

    return judge


@pytest.fixture(scope="session")
def x() -> torch.Tensor:
    """Return the argument of the forwards of :func:`record`."""
    return torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="session")
def record(x: torch.Tensor) -> Callable[..., OperatorRecorder]:
    """Return ``record(forward, line, source)``, which records a forward that is written in that line."""

    def record(forward: Callable[[torch.Tensor], Any], line: str = "", source: str = "") -> OperatorRecorder:
        recorder = OperatorRecorder(lambda: SourceLocation(source, line))
        recorder.module_called(x)
        with recorder:
            recorder.module_returned(forward(x))
        return recorder

    return record
