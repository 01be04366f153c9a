"""Snippets of test_screen.py: the demo in a process of its own, with its exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bridge.demo import run


def demo(width: int | None, page: str | None) -> None:
    sys.exit(run(Console(width=width), None if page is None else Path(page)))


def two_threads() -> None:
    """Check that the demo restores PyTorch's number of threads."""
    import torch

    torch.set_num_threads(2)
    code = run(Console(), None)
    assert torch.get_num_threads() == 2
    sys.exit(code)


def nudged(width: int) -> None:
    """Run the demo with one larger weight in the C# networks."""
    import torch

    from bridge.demo import resources

    load = resources._dotnet_nets

    def changed(*args: Any) -> Any:
        nets: Any = load(*args)
        with torch.no_grad():
            nets.rnet.conv3.weight[5, 0, 0, 0] += 1e-3
        return nets

    pytest.MonkeyPatch().setattr(resources, "_dotnet_nets", changed)
    demo(width, None)
