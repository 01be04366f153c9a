"""The command export: weights, JSON, errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import Result

import bridge
from bridge.clr.find import assemblies

pytestmark = pytest.mark.dotnet
LENET = ("--shape", "1,1,28,28")


@pytest.fixture
def lenet() -> str:
    return f"{assemblies.folder()[0] / 'Vision.dll'}:Vision.LeNet"


@pytest.mark.parametrize("suffix", ["safetensors", "dat"])
def test_the_weights_of_a_file_are_in_the_exported_one(
    command: Callable[..., Result], lenet: str, tmp_path: Path, suffix: str
) -> None:
    model = bridge.load(assemblies.folder()[0] / "Vision.dll", "Vision.LeNet").eval()
    weights = tmp_path / f"weights.{suffix}"
    if suffix == "dat":
        bridge.write_weights(weights, model.state_dict())
    else:
        from safetensors.torch import save_file

        save_file(dict(model.state_dict()), weights)
    file = tmp_path / "lenet.pt2"
    done = command(
        "export",
        lenet,
        *LENET,
        "--dynamic",
        "batch",
        "--weights",
        weights,
        "-o",
        file,
        "--json",
        tmp_path / "found.json",
    )
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        f"{file}: inputs input",
        "Checked by PyTorch on 5 sets of inputs (batch 1, 2, 3, 4): largest difference 0.",
    ]
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["file"], found["largest_difference"], found["notes"]) == (str(file), 0, [])
    assert [check["sizes"]["batch"] for check in found["checks"]] == [1, 1, 2, 4, 3]
    x = torch.randn(3, 1, 28, 28)
    assert torch.allclose(torch.export.load(file).module()(x), model(x), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "lenet.pb", *LENET), "lenet.pb must end in .onnx or .pt2"),
        (("-o", "lenet.pt2"), "the model needs inputs"),
        (("-o", "lenet.pt2", *LENET, "--opset", "18"), "are for .onnx files"),
        (
            ("-o", "lenet.pt2", *LENET, "--weights", "python"),
            "--weights must be none, or a .safetensors or .dat file, not 'python'",
        ),
        (("-o", "lenet.pt2", *LENET, "--weights", "gone.dat"), "there is no weights file gone.dat"),
        (("-o", "lenet.pt2", *LENET, "--input-names", "a,"), "'a,' has an empty name"),
        (("-o", "lenet.pt2", *LENET, "--dynamic", "x=input:9"), "no input has a dimension 9"),
        (("-o", "lenet.pt2", "--shape", "1,1,28"), "the model raised an error"),
    ],
)
def test_what_cannot_be_exported_is_an_error_and_leaves_no_file(
    command: Callable[..., Result],
    lenet: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("export", lenet, *arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
    assert [*tmp_path.iterdir()] == []
