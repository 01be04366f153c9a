"""Models with faults that are known, and their judgement."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from bridge.mirror.loading import exact_lines

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def originals() -> ModuleType:
    """The PyTorch originals of Faults.cs."""
    spec = importlib.util.spec_from_file_location("_alone_originals", HERE / "originals.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def faults(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of Faults.cs, with its lines; skips where there is no SDK."""
    sources = {"Faults.cs": (HERE / "Faults.cs").read_text(encoding="utf-8")}
    return build_csharp(sources, "Faults", symbols=True)


@pytest.fixture
def judge(faults: Path, originals: ModuleType) -> Callable[..., Comparison]:
    """``judge("Late", (2, 3), how, train=True)``: a class of originals.py against Faults.cs's, made ``how``, on random inputs."""

    def compared(name: str, shape: tuple[int, ...], *how: object, **options: object) -> Comparison:
        torch.manual_seed(0)
        python = getattr(originals, name)()
        with exact_lines():
            dotnet = bridge.load(faults, f"Faults.{name}", *how)
        share("python", python, dotnet)
        inputs = options.pop("inputs", None) or Inputs((torch.randn(shape),))
        return compare(python, dotnet, inputs, **options)  # type: ignore[arg-type]  # the options of compare

    return compared
