"""checkpoints.py: weights of a file in a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from bridge.compare.errors import CompareError
from bridge.port.observe.models.checkpoints import load_checkpoint

STATE = {"weight": torch.tensor([[1.0, 2.0]]), "bias": torch.tensor([3.0])}


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("net.safetensors", lambda path: save_file(STATE, path)),
        ("net.pt", lambda path: torch.save(STATE, path)),
        ("last.ckpt", lambda path: torch.save({"epoch": 3, "state_dict": STATE}, path)),
        ("parallel.pth", lambda path: torch.save({"model": {f"module.{key}": STATE[key] for key in STATE}}, path)),
    ],
)
def test_the_weights_of_a_checkpoint_are_loaded(tmp_path: Path, name: str, save: Callable[[Path], Any]) -> None:
    """Issue 43, section 3: ``--weights FILE`` takes a checkpoint."""
    save(tmp_path / name)
    model = nn.Linear(2, 1)
    load_checkpoint(model, tmp_path / name)
    assert all(torch.equal(value, STATE[key]) for key, value in model.state_dict().items())


def test_weights_that_do_not_fit_are_named(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "net.pt")
    with pytest.raises(CompareError, match=r"1 weight does not fit[\s\S]*weight"):
        load_checkpoint(nn.Linear(3, 1), tmp_path / "net.pt")


def test_a_file_that_is_no_checkpoint_is_named(tmp_path: Path) -> None:
    (tmp_path / "net.pt").write_text("text")
    for name, words in (("net.pt", "cannot be read as a checkpoint"), ("none.pt", "No such file")):
        with pytest.raises(CompareError, match=words):
            load_checkpoint(nn.Linear(2, 1), tmp_path / name)
    torch.save([1], tmp_path / "list.pt")
    with pytest.raises(CompareError, match=r"list\.pt holds a list, not a state dict\."):
        load_checkpoint(nn.Linear(2, 1), tmp_path / "list.pt")
