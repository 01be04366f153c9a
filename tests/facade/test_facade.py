"""A model's assembly that was compiled against TorchSharp runs as it is: it is never compiled against ours here."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import nn

import bridge
from bridge.cli import main
from bridge.clr import DotNetError
from bridge.clr.call.surface import ClassSurface, Missing, examine
from bridge.clr.find.assemblies import folder

pytestmark = pytest.mark.dotnet


@pytest.fixture(scope="module")
def theirs(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return Theirs.cs, compiled against TorchSharp's signatures."""
    return build_csharp([Path(__file__).parent / "Theirs.cs"], "Theirs", against=[reference])


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.second(self.first(x).relu())
        return result


def test_a_model_compiled_against_torchsharp_runs(theirs: Path) -> None:
    model, original, x = bridge.load(theirs, "Theirs.Plain"), Plain(), torch.randn(3, 4)
    original.load_state_dict(model.state_dict())
    called: list[str] = []
    model.second.register_forward_hook(lambda *_: called.append("second"))
    result, expected = model(x), original(x)
    assert torch.equal(result, expected)
    assert called == ["second"]
    result.sum().backward()
    expected.sum().backward()
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(model.parameters(), original.parameters(), strict=True))


@pytest.mark.parametrize("other", ["reference", "torchsharp"])
def test_another_torchsharp_beside_the_model_is_not_taken(
    theirs: Path, other: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every body of the reference throws: had it been taken, the constructor would. TorchSharp's own modules are not ours."""
    place = shutil.copy(request.getfixturevalue(other), tmp_path / "TorchSharp.dll")
    assert Path(place).read_bytes() != (folder()[0] / "TorchSharp.dll").read_bytes()
    model = bridge.load(shutil.copy(theirs, tmp_path / "Theirs.dll"), "Theirs.Plain")
    assert type(model.first) is nn.Linear
    assert model(torch.ones(1, 4)).shape == (1, 2)


@pytest.mark.parametrize("name", ["Scripted", "Holder"])
def test_a_class_that_needs_what_is_missing_is_refused_with_the_members_name(theirs: Path, name: str) -> None:
    with pytest.raises(DotNetError, match=rf"Theirs\.{name} needs .*\n  type Loader \(used by Theirs\.Scripted\)"):
        bridge.load(theirs, f"Theirs.{name}")


def test_a_native_function_of_torchsharp_is_named(theirs: Path) -> None:
    with pytest.raises(DotNetError, match="native function THSTorch_manual_seed of LibTorchSharp"):
        bridge.load(theirs, "Theirs.Native")


def test_the_check_tells_classes_apart(theirs: Path) -> None:
    found = {entry.name: entry for entry in examine(theirs)}
    assert found["Theirs.Plain"] == ClassSurface("Theirs.Plain", module=True, missing=(), constructors=("Plain()",))
    assert not found["Theirs.Numbers"].module
    assert Missing("type Loader", "Theirs.Scripted") in found["Theirs.Holder"].missing
    assert {name for name, entry in found.items() if entry.missing} == {
        "Theirs.Scripted",
        "Theirs.Holder",
        "Theirs.Native",
    }


def test_a_truncated_assembly_is_one_sentence(theirs: Path, tmp_path: Path) -> None:
    cut = tmp_path / "Theirs.dll"
    for size in (0, 100, 512, 1000, len(theirs.read_bytes()) // 2):
        cut.write_bytes(theirs.read_bytes()[:size])
        with pytest.raises(DotNetError, match=r"Theirs\.dll is (not a \.NET assembly|damaged)"):
            bridge.load(cut, "Theirs.Plain")
        with pytest.raises(DotNetError, match=r"Theirs\.dll is (not a \.NET assembly|damaged)"):
            examine(cut)
        done = CliRunner().invoke(main, ["doctor", "--assembly", str(cut)])
        assert done.exit_code == 2
        assert re.fullmatch(r"cannot run: Theirs\.dll is (not a \.NET assembly|damaged)[^\n]*\n", done.stderr), (
            done.stderr
        )


def test_doctor_prints_the_table_by_class(theirs: Path) -> None:
    result = CliRunner().invoke(main, ["doctor", "--assembly", str(theirs)], terminal_width=200)
    assert result.exit_code == 1
    assert "1 of 4 module classes of Theirs.dll run." in result.output
    assert "Theirs.Numbers" not in result.output


def test_doctor_gives_json(theirs: Path) -> None:
    result = CliRunner().invoke(main, ["doctor", "--assembly", str(theirs), "--json"])
    entries = {entry["name"]: entry for entry in json.loads(result.output)}
    assert entries["Theirs.Plain"]["missing"] == []
    assert {"member": "type Loader", "by": "Theirs.Scripted"} in entries["Theirs.Holder"]["missing"]
