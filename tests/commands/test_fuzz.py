"""``fuzz``: exit codes, what is printed, and the program that is written."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from bridge.runtimes.registry import RUNTIMES
from hook_contract.conformance import suite
from hook_contract.program import load

Command = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the model by a runtime without events."""
    monkeypatch.setitem(RUNTIMES, "model", "silent_runtime")  # type: ignore[arg-type]


@pytest.mark.usefixtures("silent")
def test_a_difference_ends_with_1_and_a_program_that_is_written_as_it_is_printed(
    command: Command, tmp_path: Path
) -> None:
    out = tmp_path / "found.json"
    result = command("fuzz", "--count", 20, "--runtime", "model", "-o", out)
    assert result.exit_code == 1, result.output
    assert "model: event 1: expected " in result.output
    assert out.read_text(encoding="utf-8") in result.output
    assert load(out).name == "random"
    assert f"python -m bridge conformance --accept {out}" in result.output


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("version", ["2.10.0", "99.1.0"])
def test_a_difference_on_a_newer_pytorch_may_be_that_versions_own(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(suite, "torch_version", lambda: version)
    result = command("fuzz", "--count", 20, "--runtime", "model", "-o", tmp_path / "found.json")
    assert result.exit_code == 1, result.output
    assert ("PyTorch 99.1.0 is newer than" in result.output) == (version == "99.1.0")


def test_agreement_ends_with_0_and_leaves_no_file(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    result = command("fuzz", "--count", 20, "--runtime", "model", "-o", out)
    assert result.exit_code == 0, result.output
    assert "20 programs, " in result.output
    assert not out.exists()


@pytest.mark.parametrize("name", ["model", pytest.param("hooks", marks=pytest.mark.dotnet)])
def test_the_first_program_is_one_that_every_runtime_runs(command: Command, name: str) -> None:
    """So that no run compares nothing."""
    result = command("fuzz", "--count", 1, "--runtime", name)
    assert result.exit_code == 0, result.output
    assert f"{name}: 1 traces compared" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--runtime", "pytorch"), "'pytorch' cannot be compared with PyTorch"),
        (("--runtime", "torchsharp"), "Use torchsharp+bridge, or run `conformance --runtime torchsharp`"),
        (("-o", "nowhere/found.json"), "cannot be written"),
        (("--device", "gpu"), "'gpu' is not one of 'cpu', 'cuda'"),
    ],
)
def test_invalid_arguments_exit_with_2(command: Command, arguments: tuple[str, ...], message: str) -> None:
    result = command("fuzz", *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_without_a_dotnet_that_starts_the_model_alone_is_compared(
    process: Process, broken_root: Path, tmp_path: Path
) -> None:
    done = process("fuzz", "--count", "5", "-o", tmp_path / "found.json", env={"BRIDGE_DOTNET_ROOT": str(broken_root)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"Left out: dotnet, hooks, which need .NET: .NET at {broken_root} ")
    assert "model: 5 traces compared" in done.stdout


def test_without_dotnet_the_model_alone_is_compared(process: Callable[..., Any], tmp_path: Path) -> None:
    done = process("fuzz", "--count", 5, "-o", tmp_path / "found.json", env={"BRIDGE_DOTNET_ROOT": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Left out: dotnet, hooks, which need .NET: BRIDGE_DOTNET_ROOT is set to ")
    assert "model: 5 traces compared" in done.stdout


@pytest.mark.usefixtures("without_cuda")
def test_a_device_that_is_not_there_ends_with_2(command: Command) -> None:
    result = command("fuzz", "--count", 1, "--device", "cuda")
    assert result.exit_code == 2
    assert "no CUDA device is available" in result.output


@pytest.mark.cuda
def test_runtimes_without_the_device_are_not_compared(command: Command) -> None:
    result = command("fuzz", "--count", 20, "--device", "cuda")
    assert result.exit_code == 0, result.output
    assert "Not compared, since they lack the device cuda: hooks, model." in result.output
    result = command("fuzz", "--count", 20, "--device", "cuda", "--runtime", "model")
    assert result.exit_code == 2
    assert "model cannot run on cuda here." in result.output
