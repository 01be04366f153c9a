"""A model compiled against TorchSharp, compared with the same source compiled against Bridge.Torch."""

from __future__ import annotations

from pathlib import Path

import torch
from compilation import compile_source
from harness import Figure, Samples, in_turn

import bridge
from bridge.clr.find import assemblies

SOURCE = Path(__file__).parent / "models" / "Mlp.cs"


@torch.no_grad()
def _facade() -> Samples:
    source = SOURCE.read_text(encoding="utf-8")
    folder, _ = assemblies.folder()
    own = [folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll"]
    theirs = bridge.load(compile_source("Theirs", source), "BenchmarkModels.Mlp", 12, 64).eval()
    direct = bridge.load(compile_source("Direct", source, own), "BenchmarkModels.Mlp", 12, 64).eval()
    direct.load_state_dict(theirs.state_dict())
    x = torch.randn(1, 64)
    assert torch.equal(theirs(x), direct(x))
    return in_turn(lambda: theirs(x), lambda: direct(x))


FIGURES = (
    Figure(
        "facade", "12-layer MLP, hidden 64, batch 1, no_grad, compiled against TorchSharp and called from Python",
        "the same compiled against Bridge.Torch", "us", _facade, 1.02,
    ),
)  # fmt: skip
