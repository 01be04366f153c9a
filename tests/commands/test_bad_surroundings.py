"""Unusable options, outputs, devices and versions: exit code 2, one clear line, no half-written file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import Result

import bridge
from bridge.cli import main
from bridge.clr.find import assemblies

Compare = Callable[..., Result]
Refused = Callable[..., None]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--atol", "nan"], "'--atol': nan is not a finite number"),
        (["--rtol", "inf"], "'--rtol': inf is not a finite number"),
        (["--rtol", "-1"], "'--rtol': -1.0 is not in the range"),
        (["--seed", "-1"], "'--seed': -1 is not in the range"),
        (["--seed", str(2**64)], "'--seed': 18446744073709551616 is not in the range"),
        (["--html", "-"], "'--html': '-' (stdout) is not possible here: use a file name"),
        (["--device", "abacus"], "'--device': 'abacus' is not one of 'cpu', 'cuda'"),
        (["--html", "same", "--json", "./same"], "two outputs are the same file"),
    ],
)
def test_an_option_that_means_nothing(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("compare", "--python", "torch.nn:ReLU", "--dotnet", "gone.dll:A", "--shape", "1", *args)
    refused(done, words)
    assert list(tmp_path.iterdir()) == []


def test_the_largest_seed(command: Compare, tmp_path: Path) -> None:
    """It is in the header, and is read back."""
    for name in ("a", "b"):
        done = command(
            "trace", "--python", "torch.nn:Linear(2, 2)", "--shape", "1,2", "--seed", 2**64 - 1, "-o", tmp_path / name
        )
        assert done.exit_code == 0, done.output
    assert command("diff", tmp_path / "a", tmp_path / "b").exit_code == 0


@pytest.mark.usefixtures("without_cuda")
def test_no_cuda_device(refused: Refused, compare: Compare) -> None:
    refused(compare("Net", "Net", "--device", "cuda"), "no CUDA device is available: torch")


@pytest.mark.usefixtures("without_cuda")
def test_no_cuda_device_for_the_demo(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(command("demo", "--device", "cuda"), "no CUDA device is available: torch")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_sdk_is_reported_before_watching(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_DOTNET_ROOT", str(tmp_path / "gone"))
    (tmp_path / "Net.cs").touch()
    options = ("--python", "torch.nn:ReLU", "--dotnet", f"{tmp_path / 'Net.cs'}:Net", "--shape", "1")
    refused(command("compare", "--watch", *options), "gone, but the folder does not exist")


def test_an_output_that_cannot_be_written_is_reported_before_the_work(
    refused: Refused, compare: Compare, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for option in ("--json", "--html"):
        refused(compare("raising", "Net", option, tmp_path / "gone" / "a"), "cannot be written: there is no folder")
        refused(compare("raising", "Net", option, tmp_path / "file" / "a"), "cannot be written: there is no folder")
    done = compare("Net", "Net", "--json", tmp_path / "folder")
    assert done.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    "args",
    [
        ["trace", "--python", "torch.nn:ReLU", "--shape", "1", "-o"],
        ["trace", "--python", "torch.nn:ReLU", "--shape", "1", "-o", "a.jsonl", "--save-weights"],
        ["compare", "--python", "torch.nn:ReLU", "--dotnet", "gone.dll:A", "--shape", "1", "--html"],
        ["compare", "--python", "torch.nn:ReLU", "--dotnet", "gone.dll:A", "--shape", "1", "--json"],
        ["port", "torch.nn:ReLU", "--shape", "1", "-o"],
        ["conformance", "--json"],
        ["demo", "--html"],
        ["schema", "-o"],
    ],
)
def test_an_output_whose_name_is_too_long(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(command(*args, "a" * 300), f"{'a' * 300} cannot be written: File name too long.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="Windows deletes no folder that is a process's current one")
@pytest.mark.parametrize(
    "args",
    [
        ["trace", "--python", "torch.nn:Linear(2, 2)", "--shape", "1,2", "-o", "a.jsonl"],
        ["port", "torch.nn:Linear(2, 2)", "--shape", "1,2", "-o", "a"],
        ["doctor"],
    ],
)
def test_a_current_folder_that_was_deleted(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    """torch's MKL would end the process at the first product of matrices."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    refused(command(*args), "the current folder was deleted: change to another one.")


@pytest.mark.dotnet
@pytest.mark.skipif(os.name != "posix", reason="the limit on open files is POSIX's")
def test_too_few_files_may_be_open(run_snippet: Callable[..., Any]) -> None:
    """.NET would say of one of its own assemblies that it is not there."""
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    done = run_snippet(
        "surroundings", "files_of", 64,
        "compare", "--python", "bridge.samples.mtcnn:PNet", "--dotnet", target, "--shape", "1,3,12,12",
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("cannot run: The limit of open files is 64, and .NET needs ")
    assert "`ulimit -n 1024`" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="a named pipe is POSIX's")
def test_a_device_is_not_replaced_by_a_file(refused: Refused, command: Compare, tmp_path: Path) -> None:
    """A named pipe represents ``/dev/null``, which root could replace, to the harm of every program on the machine."""
    os.mkfifo(tmp_path / "pipe")
    record = ("trace", "--python", "torch.nn:ReLU", "--shape", "1")
    done = command(*record, "-o", tmp_path / "pipe")
    refused(done, "pipe cannot be written: it is not a regular file.")
    refused(command(*record, "-o", tmp_path / "a.jsonl", "--json", tmp_path / "pipe"), "it is not a regular file")
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(os.name != "posix", reason="the limit on a file's size is POSIX's")
def test_a_disk_that_is_full_half_way_leaves_no_half_file(
    run_snippet: Callable[..., Any], ports: Path, tmp_path: Path
) -> None:
    """The limit on the size of a file represents a full disk: the write fails in the middle of the page.

    .NET would count its own memory for code as a file, so that is switched off.
    """
    (tmp_path / "old.html").write_text("the old page")
    done = run_snippet(
        "surroundings", "disk_of", 4096, ["ports", "bridge.mirror", "safetensors", "bridge.cli"],
        "compare", "--python", "ports:Net", "--dotnet", f"{ports}:Ports.Net", "--shape", "1,3,8,8", "--html", str(tmp_path / "old.html"),
        env={"PYTHONDONTWRITEBYTECODE": "1", "DOTNET_EnableWriteXorExecute": "0"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"cannot run: {tmp_path / 'old.html'} cannot be written: File too large.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_text(encoding="utf-8") == "the old page"


@pytest.mark.skipif(os.name != "posix", reason="the limit on a file's size is POSIX's")
@pytest.mark.parametrize("values", ["digest", "full"])
def test_a_disk_that_is_full_leaves_no_half_trace(run_snippet: Callable[..., Any], tmp_path: Path, values: str) -> None:
    """With the elements' own file too, which is written first."""
    done = run_snippet(
        "surroundings", "disk_of", 256, ["bridge.compare.recording", "safetensors.numpy"],
        "trace", "--python", "torch.nn:Linear(600, 600)", "--shape", "600", "--values", values, "-o", str(tmp_path / "a.jsonl"),
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("cannot run: ")
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_json_says_why_it_could_not_run(compare: Compare, tmp_path: Path) -> None:
    done = compare("raising", "Net", "--json", tmp_path / "a.json")
    assert done.exit_code == 2
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "could not run"
    assert found["error"]["type"] == "TargetError"
    assert "the checkpoint is gone" in found["error"]["message"]
    assert json.loads(compare("raising", "Net", "--json", "-").stdout) == found


@pytest.mark.dotnet
@pytest.mark.subprocess(
    stderr="cannot run: torch 2.9.1+cpu is too old: .NET calls C functions that came with 2.10. For the build without CUDA: "
    "python -m pip install -U 'torch>=2.10' --index-url https://download.pytorch.org/whl/cpu\n"
)
def test_a_torch_that_is_too_old() -> None:
    """Only the text of the version is old: an older torch does not install beside this one."""
    pytest.MonkeyPatch().setattr(torch, "__version__", "2.9.1+cpu")
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    with pytest.raises(SystemExit, match="2"):
        main(["compare", "--python", "bridge.samples.mtcnn:PNet", "--dotnet", target, "--shape", "1,3,12,12"])


def test_a_dotnet_that_is_too_old(process: Callable[..., Any], dotnet: Any, tmp_path: Path) -> None:
    """An installation whose only runtime is .NET 7: the folders are real, the runtime in them is not."""
    old = tmp_path / "old"
    runtime = old / "shared" / "Microsoft.NETCore.App" / "7.0.20"
    runtime.mkdir(parents=True)
    (runtime / "System.Private.CoreLib.dll").write_bytes(b"")
    shutil.copytree(dotnet.root / "host", old / "host")
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    done = process(
        "compare", "--python", "bridge.samples.mtcnn:PNet", "--dotnet", target, "--shape", "1,3,12,12", env={"BRIDGE_DOTNET_ROOT": str(old)}
    )  # fmt: skip
    assert done.returncode == 2
    assert "its runtime 7.0.20 is too old (8.0 or later is needed)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.dotnet
@pytest.mark.subprocess
def test_the_process_lives_on(tmp_path: Path) -> None:
    """After each error of the loader the same process loads and runs a model."""
    native, good = tmp_path / "native.dll", assemblies.sample("Mtcnn.dll")
    native.write_bytes(b"MZ")
    for path, name, error in (
        (native, "A", "BadImageFormat"),
        (good, "Mtcnn.PNett", "Argument"),
        (good, "Mtcnn.TrapConv", "Argument"),
    ):
        with pytest.raises(bridge.DotNetError) as raised:
            bridge.load(path, name)
        assert raised.value.dotnet_type == f"System.{error}Exception"
    assert bridge.load(good, "Mtcnn.PNet")(torch.rand(1, 3, 12, 12))[0].shape == (1, 2, 1, 1)
