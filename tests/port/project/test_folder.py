"""folder.py: the folder of a port."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from bridge.compare.models.targets import PythonTarget
from bridge.port.errors import FolderError
from bridge.port.methods import Left, Wrote
from bridge.port.porting import Port
from bridge.port.project.folder import check_folder, name_namespace, write_project
from bridge.weight_file import read_weights

PORT = Port(
    {"Net.cs": "// a comment\npublic class Net\n{\n}\n"},
    "Net",
    (Left("net.py:3", "Net.forward", "no | such"),),
    (Wrote("Net.forward", "net.py:2", "left"), Wrote("Net.reset", "net.py:9", "source")),
    namespace="Nets",
    inputs=("x", "ids"),
    construction="new Net(8)",
    arguments={"width": 8},
)
TARGET = PythonTarget("nets", "net")


def test_a_folder_is_written_whole(tmp_path: Path) -> None:
    model = nn.Linear(2, 3)
    folder = tmp_path / "deep" / "My.Net"
    write_project(folder, PORT, model, {"x": torch.rand(1, 2), "mask": None, "ids": torch.tensor([[4]])}, TARGET)
    assert sorted(file.name for file in folder.iterdir()) == [
        "My_Net.csproj", "Net.cs", "PORT.md", "Program.cs", "test_my_net.py", "weights.dat", "weights.safetensors",
    ]  # fmt: skip
    for state in (load_file(folder / "weights.safetensors"), read_weights(folder / "weights.dat")):
        assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    program = (folder / "Program.cs").read_text(encoding="utf-8")
    assert "using Nets;" in program
    assert "using var model = new Net(8);" in program
    assert '"Nets.Net", width=8)' in (folder / "test_my_net.py").read_text(encoding="utf-8")
    assert "torch.rand([1, 2]), torch.randint(0, 5, [1, 1])" in program
    assert [one.name for one in folder.parent.iterdir()] == ["My.Net"]


def test_the_test_finds_the_original_where_it_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a package below that folder; what is installed is found without."""
    (tmp_path / "vision_of_a_test").mkdir()
    (tmp_path / "vision_of_a_test" / "model.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("vision_of_a_test.model")
    for name, place in (
        ("vision_of_a_test.model", "../.."),
        ("torch.nn", None),
        ("json", None),
        ("not_imported", None),
    ):
        folder = tmp_path / "out" / name
        write_project(folder, PORT, nn.Linear(2, 3), {}, PythonTarget(name, "net"))
        text = next(folder.glob("test_*.py")).read_text(encoding="utf-8")
        assert ("sys.path.insert" in text) == (place is not None), name
        assert place is None or f'(FOLDER / "{place}")' in text
    for name in ("vision_of_a_test.model", "vision_of_a_test"):
        sys.modules.pop(name)


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FolderError, match="is not empty"):
        check_folder(tmp_path)
    check_folder(tmp_path / "new")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="cannot be written"):
        write_project(tmp_path / "file" / "Net", PORT, nn.Linear(1, 1), {}, TARGET)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_namespaces() -> None:
    assert name_namespace(Path("a/3d net")) == "_3d_net"
