"""Each sample model on our own implementation and on TorchSharp, side by side in this process: calls, values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.run import one_thread

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]
FOLDER = Path(__file__).resolve().parents[3] / "dotnet/samples"
SAMPLES = (
    ("Mtcnn.PNet", (1, 3, 24, 24)),
    ("Mtcnn.RNet", (2, 3, 24, 24)),
    ("Mtcnn.ONet", (2, 3, 48, 48)),
    ("Vision.LeNet", (2, 1, 28, 28)),
    ("Vision.ResNet18", (2, 3, 64, 64)),
)


@pytest.fixture(scope="module")
def samples(torchsharp: Path, build_csharp: Callable[..., Path]) -> Path:
    """Compile the sources of all samples against TorchSharp."""
    return build_csharp(sorted(FOLDER.glob("*/*.cs")), "Samples", against=[torchsharp])


@pytest.mark.parametrize("train", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize(("name", "shape"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_a_sample_runs_as_on_torchsharp(
    torchsharp: Path, samples: Path, name: str, shape: tuple[int, ...], train: bool
) -> None:
    models = []
    for runtime in (f"torchsharp-in-process:{torchsharp.parent}", "dotnet"):
        torch.manual_seed(0)
        models.append(bridge.load(samples, name, runtime=runtime))
    with one_thread():
        found = compare(
            *models,
            Inputs((torch.randn(shape, generator=torch.Generator().manual_seed(1)),)),
            train=train,
            backward=True,
        )
    assert found.same, found.explain()
    assert found.largest == 0
    assert len(found.pytorch.trace) == len(found.dotnet.trace) > 4
