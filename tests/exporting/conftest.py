"""The models of Exports.cs, and their export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

Load = Callable[..., torch.nn.Module]
Export = Callable[..., Any]


@pytest.fixture(scope="session")
def exports(build_csharp: Callable[..., Path]) -> Path:
    """Build the assembly of Exports.cs, with line numbers."""
    return build_csharp([Path(__file__).with_name("Exports.cs")], "Exports", symbols=True)


@pytest.fixture
def load(exports: Path) -> Load:
    """Return a function that loads a model in eval mode: ``load("Net", "view")``."""

    def loaded(name: str, *args: Any) -> torch.nn.Module:
        torch.manual_seed(0)
        return bridge.load(exports, f"Exports.{name}", *args).eval()

    return loaded


@pytest.fixture
def export(load: Load, tmp_path: Path) -> Export:
    """Return a function that exports ``Net`` to a .pt2 file with a dynamic batch: ``export("view", infer_sizes=True)``.

    If the export fails, no file may be left.
    """

    def exported(way: str, **options: Any) -> Any:
        torch.manual_seed(1)
        try:
            return bridge.export(
                load("Net", way), torch.randn(3, 6), tmp_path / "net.pt2", **{"dynamic": "batch", **options}
            )
        except bridge.BridgeError:
            assert [*tmp_path.iterdir()] == []
            raise

    return exported
