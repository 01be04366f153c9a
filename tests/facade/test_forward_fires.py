"""``forward_fires``: ``child.forward(x)`` in a compiled assembly fires hooks, as ``child.call(x)`` does (C-3 does not hold there)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import nn

import bridge
from bridge.cli import main

pytestmark = pytest.mark.dotnet
PATHS = ["", "first", "block", "block.act", "block.out_", "pair", "pair.skip"]


@pytest.fixture(scope="module")
def forwards(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return Forwards.cs, compiled against TorchSharp's signatures; its metadata has no name 'call'."""
    made = build_csharp([Path(__file__).parent / "Forwards.cs"], "Forwards", against=[reference])
    assert b"\0call\0" not in made.read_bytes()
    return made


def fired(model: nn.Module) -> list[str]:
    """Return the paths of the modules that fire a forward pre hook, in order."""
    found: list[str] = []
    for path, module in model.named_modules():
        module.register_forward_pre_hook(lambda *_, path=path: found.append(path))
    model(torch.randn(2, 4))
    return found


def test_each_child_fires(forwards: Path) -> None:
    """Without a ``call`` in the assembly; the assembly of test_models.py has both."""
    assert fired(bridge.load(forwards, "Forwards.Net")) == [""]
    assert fired(bridge.load(forwards, "Forwards.Net", forward_fires=True)) == PATHS


def test_the_result_is_the_same_and_both_can_be_loaded(forwards: Path) -> None:
    plain, firing = bridge.load(forwards, "Forwards.Net"), bridge.load(forwards, "Forwards.Net", forward_fires=True)
    firing.load_state_dict(plain.state_dict())
    x = torch.randn(3, 4)
    assert torch.equal(plain(x), firing(x))
    assert fired(plain) == [""]


def test_a_trace_sees_each_child(forwards: Path) -> None:
    model = bridge.load(forwards, "Forwards.Net", forward_fires=True)
    with bridge.record(model) as recording:
        model(torch.randn(2, 4))
    assert [event.path for event in recording.trace if event.phase == "pre"] == PATHS
    assert {event.phase for event in recording.trace} == {"pre", "forward"}


def test_the_command_records_them(forwards: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    command = ["trace", "--dotnet", f"{forwards}:Forwards.Net", "--shape", "2,4", "-o", str(file)]
    assert CliRunner().invoke(main, command).exit_code == 0
    before = file.read_text(encoding="utf-8")
    result = CliRunner().invoke(main, [*command, "--forward-fires"])
    assert result.exit_code == 0, result.output
    assert "7 module calls" in result.output
    assert before.count('"bypass"') > 0
    assert '"phase":"bypass"' not in file.read_text(encoding="utf-8").replace(" ", "")


def test_the_flag_is_for_csharp() -> None:
    result = CliRunner().invoke(
        main, ["trace", "--python", "torch.nn:ReLU", "--forward-fires", "--shape", "2", "-o", "x"]
    )
    assert result.exit_code == 2
    assert "--dotnet" in result.output
