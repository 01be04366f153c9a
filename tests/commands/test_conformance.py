"""``conformance``: exit codes, what is printed, the report, comparing, accepting."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from bridge.runtimes.registry import RUNTIMES
from hook_contract.conformance import report_file
from hook_contract.program import corpus_files

Command = Callable[..., Result]


@pytest.fixture
def reports(command: Command, tmp_path: Path) -> Path:
    result = command("conformance", "--runtime", "pytorch", "--filter", "O-*", "--report", tmp_path / "new" / "deep")
    assert result.exit_code == 0, result.output
    return tmp_path / "new" / "deep"


def test_pytorch_conforms_in_a_chapter_and_says_so_in_a_pipe(command: Command) -> None:
    result = command("conformance", "--runtime", "pytorch", "--filter", "O-*")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[-1].startswith("Conforms: PyTorch 2.")
    assert len(lines) <= 2, "in a pipe there is no table"
    assert "\x1b" not in result.output


def test_the_report_is_written_and_compares_with_itself(command: Command, reports: Path) -> None:
    path = reports / "conformance.jsonl"
    found = report_file.read(path)
    assert found.footer["passed"] is True
    assert found.header["filter"] == ["O-*"]
    assert (reports / "conformance.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    result = command("conformance", "--compare", path, path)
    assert (result.exit_code, result.output) == (0, "Nothing changed.\n")


def test_changes_between_two_reports_are_shown(command: Command, reports: Path, tmp_path: Path) -> None:
    command("conformance", "--runtime", "pytorch", "--filter", "O-1", "--report", tmp_path / "old")
    out = tmp_path / "out.json"
    result = command(
        "conformance", "--compare", tmp_path / "old" / "conformance.jsonl", reports / "conformance.jsonl", "--json", out
    )
    assert result.exit_code == 1
    assert "cell O-2 pytorch cpu: was not there -> pass" in result.output
    assert json.loads(out.read_text(encoding="utf-8"))["changes"]


def test_a_report_without_footer_is_refused(command: Command, reports: Path) -> None:
    path = reports / "conformance.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    result = command("conformance", "--compare", path, path)
    assert result.exit_code == 2
    assert "has no footer" in result.output


def test_json_on_a_pipe_is_json_alone(command: Command) -> None:
    result = command("conformance", "--runtime", "pytorch", "--filter", "O-2", "--json", "-")
    found = json.loads(result.output)
    assert (found["passed"], found["failures"]) == (True, [])
    assert found["cells"]["pass"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--runtime", "caffe"), "unknown runtime 'caffe'"),
        (("--runtime", "pytorch", "--filter", "O-2", "--device", "cpu", "--device", "tpu"), "'tpu' is not one of"),
        (("--runtime", "pytorch", "--filter", "Y-9"), "'Y-9' matches no clause"),
        (("--compare", "nowhere.jsonl", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--runtime", "pytorch", "--filter", "O-1", "--device", "gpu"), "'gpu' is not one of 'cpu', 'cuda'"),
    ],
)
def test_invalid_arguments_exit_with_2(command: Command, arguments: tuple[str, ...], message: str) -> None:
    result = command("conformance", *arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_folder_that_cannot_be_made_is_reported_before_the_work(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = command("conformance", "--runtime", "pytorch", "--filter", "O-1", "--report", tmp_path / "file" / "new")
    assert result.exit_code == 2
    reason = "Not a directory" if os.name == "posix" else "File already exists"  # Windows' word for it
    assert f"cannot be written: {reason}." in " ".join(result.output.split())
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("without_cuda")
def test_a_device_that_is_not_there_cannot_run(command: Command) -> None:
    result = command("conformance", "--runtime", "pytorch", "--device", "cuda")
    assert result.exit_code == 2
    assert "no CUDA device is available" in result.output


@pytest.mark.cuda
@pytest.mark.dotnet
def test_both_conform_on_a_device(command: Command) -> None:
    """All clauses on CUDA: autograd runs the hooks of a backward on a thread of its own there."""
    result = command("conformance", "--runtime", "pytorch", "--runtime", "dotnet", "--device", "cuda")
    assert result.exit_code == 0, result.output


def test_a_wrong_runtime_ends_with_1_and_the_first_difference(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from bridge.runtimes.registry import runtime

    pytorch = runtime("pytorch")
    honest = type(pytorch).run

    def without_last(self: Any, program: Any, device: str = "cpu") -> Any:
        return {variant: events[:-1] for variant, events in honest(self, program, device).items()}

    monkeypatch.setattr(type(pytorch), "run", without_last)
    result = command("conformance", "--runtime", "pytorch", "--filter", "O-2", "--json", tmp_path / "out.json")
    assert result.exit_code == 1
    assert "O-2 on pytorch" in result.output
    assert "got      the end of the trace" in result.output
    assert result.output.splitlines()[-1].startswith("Does not conform")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["passed"] is False


def test_a_program_is_accepted(command: Command, tmp_path: Path) -> None:
    source = next(path for path in corpus_files() if path.stem.startswith("O-1"))
    path = tmp_path / source.name
    data = json.loads(source.read_bytes())
    path.write_text(json.dumps({key: item for key, item in data.items() if key != "expect"}), encoding="utf-8")
    result = command("conformance", "--accept", path)
    assert result.exit_code == 0, result.output
    assert json.loads(path.read_bytes())["expect"] == data["expect"]
    shutil.copy(source, path)
    path.write_text("{", encoding="utf-8")
    assert command("conformance", "--accept", path).exit_code == 2


@pytest.mark.parametrize(
    ("first", "other", "omitted"),
    [
        (["--accept", "a"], ["--report", "out"], "--report"),
        (["--accept", "a"], ["--json", "out"], "--json"),
        (["--accept", "a"], ["--runtime", "dotnet"], "--runtime"),
        (["--accept", "a"], ["--device", "cpu"], "--device"),
        (["--accept", "a"], ["--filter", "O-1"], "--filter"),
        (["--accept", "a"], ["--compare", "a", "a"], "--compare"),
        (["--compare", "a", "a"], ["--runtime", "dotnet"], "--runtime"),
        (["--compare", "a", "a"], ["--report", "out", "--filter", "O-1"], "--filter and --report"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[str], other: list[str], omitted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("{}", encoding="utf-8")
    result = command("conformance", *first, *other)
    assert result.exit_code == 2
    assert f"{first[0]} judges no runtime: omit {omitted}." in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "a").read_text(encoding="utf-8") == "{}"


def test_without_dotnet_the_runtimes_run_that_need_none(process: Callable[..., Any], tmp_path: Path) -> None:
    """The exit code is theirs. A runtime that was requested by name must start."""
    files = ("--report", tmp_path / "report", "--json", tmp_path / "out.json")
    done = process("conformance", "--filter", "O-*", *files, env={"BRIDGE_DOTNET_ROOT": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    left = [line for line in done.stdout.splitlines() if line.startswith("Left out: ")]
    assert left == [
        "Left out: dotnet, hooks, torchsharp, torchsharp+bridge, torchsharp-in-process, which need .NET: "
        f"BRIDGE_DOTNET_ROOT is set to {tmp_path}, but "
        "there is no complete runtime under shared/Microsoft.NETCore.App."
    ]
    assert done.stdout.splitlines()[-1].startswith("Conforms: PyTorch 2.")
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert list(found["runtimes"]) == ["pytorch", "model"]
    assert found["left_out"] == left[0]
    assert list(report_file.read(tmp_path / "report" / "conformance.jsonl").header["runtimes"]) == ["pytorch", "model"]


def test_a_dotnet_that_does_not_start_is_left_out(process: Callable[..., Any], broken_root: Path) -> None:
    """The line says why; a runtime that was asked for by its name must start."""
    environ = {"BRIDGE_DOTNET_ROOT": str(broken_root)}
    done = process("conformance", "--filter", "O-1", env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    left = [line for line in done.stdout.splitlines() if line.startswith("Left out: ")]
    assert len(left) == 1, done.stdout
    assert left[0].startswith(
        "Left out: dotnet, hooks, torchsharp, torchsharp+bridge, torchsharp-in-process, which need .NET: "
        f".NET at {broken_root} (found by BRIDGE_DOTNET_ROOT) could not be started: "
    )
    assert done.stdout.splitlines()[-1].startswith("Conforms: PyTorch 2.")
    done = process("conformance", "--filter", "O-1", "--runtime", "dotnet", env=environ)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith(f"cannot run: .NET at {broken_root} "), done.stderr
    assert "Traceback" not in done.stderr


def test_without_assemblies_too(process: Callable[..., Any], tmp_path: Path) -> None:
    done = process("conformance", "--filter", "O-1", env={"BRIDGE_ASSEMBLIES": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "Left out: dotnet, hooks, torchsharp, torchsharp+bridge, torchsharp-in-process, which need .NET: "
        f"BRIDGE_ASSEMBLIES is set to {tmp_path}, but the folder lacks" in done.stdout
    )


@pytest.mark.dotnet
def test_without_torchsharp_the_runtimes_run_that_need_none(process: Callable[..., Any], tmp_path: Path) -> None:
    done = process("conformance", "--filter", "O-1", env={"BRIDGE_TORCHSHARP": "", "NUGET_PACKAGES": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == (
        "Left out: torchsharp, torchsharp+bridge, torchsharp-in-process, which need TorchSharp: there is no TorchSharp in NuGet's cache. "
        "Set BRIDGE_TORCHSHARP to a folder that has TorchSharp.dll."
    )
    assert "Bridge.Hooks" in done.stdout.splitlines()[-1]


@pytest.mark.dotnet
@pytest.mark.parametrize("place", ["an app's folder", "NuGet's cache"])
def test_torchsharp_is_judged_wherever_it_is_found(
    process: Callable[..., Any], torchsharp: Path, nuget_cache: Path, place: str, tmp_path: Path
) -> None:
    if place == "NuGet's cache" and not (nuget_cache / "torchsharp").is_dir():
        pytest.skip("needs TorchSharp in NuGet's cache, where an SDK restores it")
    environ = {"BRIDGE_TORCHSHARP": str(torchsharp) if place == "an app's folder" else ""}
    done = process("conformance", "--filter", "O-1", "--json", tmp_path / "out.json", env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["runtimes"]
    assert [name for name in found if name != "torchsharp-in-process"] == list(RUNTIMES)[:-1]
    assert found["torchsharp"] == found["torchsharp+bridge"] == "TorchSharp 0.107.0, libtorch 2.10.0.0, own process"


def test_a_runtime_that_is_asked_for_must_start(process: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("dotnet", "hooks"):
        done = process(
            "conformance",
            "--filter",
            "O-1",
            "--runtime",
            "model",
            "--runtime",
            name,
            env={"BRIDGE_DOTNET_ROOT": str(tmp_path)},
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert done.stderr.startswith(f"cannot run: BRIDGE_DOTNET_ROOT is set to {tmp_path}, but "), done.stderr
        assert "Traceback" not in done.stderr
