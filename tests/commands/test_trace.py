"""bridge/commands/trace.py and diff.py: record now, compare later."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result

import bridge
from bridge.trace import file as trace_file

Command = Callable[..., Result]


@pytest.fixture
def record(command: Command, ports: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that traces ports:Net or Ports.Net on [2, 3, 8, 8]: ``record("a", "--python", "Net", …)``."""

    def run(name: str, side: str, model: str, *args: object) -> Path:
        target = f"ports:{model}" if side == "--python" else f"{ports}:Ports.{model}"
        done = command("trace", side, target, "-o", tmp_path / f"{name}.jsonl", "--shape", "2,3,8,8", *args)
        assert done.exit_code == 0, done.output
        return tmp_path / f"{name}.jsonl"

    return run


@pytest.mark.parametrize("values", ["digest", "full", "none"])
def test_both_sides_leave_traces_without_a_difference(
    record: Callable[..., Path], command: Command, values: str
) -> None:
    a, b = record("a", "--python", "Net", "--values", values), record("b", "--dotnet", "Net", "--values", values)
    done = command("diff", a, b)
    assert done.exit_code == 0, done.output
    said = "values were not recorded" if values == "none" else "largest difference 0"
    assert done.stdout == f"pytorch and dotnet agree: 14 events in the same order, {said}.\n"
    kept = {value.data is not None for event in trace_file.read(a) for value in event.values}
    assert kept == {values == "full"}


def test_the_same_run_gives_the_same_bytes(record: Callable[..., Path]) -> None:
    a, b = record("a", "--dotnet", "Net"), record("b", "--dotnet", "Net")
    assert a.read_bytes() == b.read_bytes()


@pytest.mark.parametrize("model", ["Scaled", "Calling", "Calling(2.0)"])
def test_trailing_defaults_are_left_out_on_both_sides(
    command: Command, ports: Path, tmp_path: Path, model: str
) -> None:
    """P-1: m(x) in PyTorch, and m(x, 1.0, null), which is all that C# can write."""
    files = []
    for side, target in (("--python", f"ports:{model}"), ("--dotnet", f"{ports}:Ports.{model}")):
        files.append(tmp_path / f"{side[2:]}.jsonl")
        done = command("trace", side, target, "-o", files[-1], "--shape", "2,3", "--values", "full")
        assert done.exit_code == 0, done.output
    done = command("diff", *files)
    assert done.exit_code == 0, done.output
    entered = [event.values for event in trace_file.read(files[1]) if event.type == "Scaled" and event.phase == "pre"]
    assert [[value.literal for value in values] for values in entered] == [[None, 2.0] if "2.0" in model else [None]]


def test_a_bypass_is_named(record: Callable[..., Path], command: Command, tmp_path: Path) -> None:
    a, b = record("a", "--python", "Net"), record("b", "--dotnet", "Bypassing")
    done = command("diff", a, b, "--json", tmp_path / "d.json", "--html", tmp_path / "d.html")
    assert done.exit_code == 1
    assert "Write block.call(x)." in done.stdout
    found = json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "different"
    assert found["first_structural"]["path"] == "block"
    assert "block" in (tmp_path / "d.html").read_text(encoding="utf-8")


def test_other_inputs_and_weights_are_said_first(record: Callable[..., Path], command: Command) -> None:
    a, b = record("a", "--python", "Net"), record("b", "--python", "Net", "--seed", 1)
    done = command("diff", a, b)
    assert done.exit_code == 1
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("Different inputs: ")
    assert second.startswith("Different weights: ")


def test_a_tolerance(record: Callable[..., Path], command: Command, tmp_path: Path) -> None:
    x = np.ones((2, 3, 8, 8), np.float32)
    files = []
    for name, array in (("x", x), ("y", x * np.float32(1.00001))):
        np.save(tmp_path / f"{name}.npy", array)
        done = command("trace", "--python", "torch.nn:ReLU", "-o", tmp_path / f"{name}.jsonl", "--values", "full",
                       "--input", tmp_path / f"{name}.npy")  # fmt: skip
        assert done.exit_code == 0, done.output
        files.append(tmp_path / f"{name}.jsonl")
    assert command("diff", *files).exit_code == 1
    assert command("diff", *files, "--rtol", 1e-4).exit_code == 0
    assert command("diff", *files, "--atol", 1e-7).exit_code == 1


def test_the_json(command: Command, tmp_path: Path) -> None:
    done = command("trace", "--python", "torch.nn:ReLU", "-o", tmp_path / "a.jsonl", "--shape", "1", "--json", "-")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["runtime"], found["events"], found["calls"]) == ("pytorch", 2, 1)


def test_weights_of_a_file(record: Callable[..., Path], command: Command, tmp_path: Path) -> None:
    import importlib

    from safetensors.torch import save_file

    weights = tmp_path / "w.safetensors"
    save_file(importlib.import_module("ports").Net().state_dict(), weights)
    a = record("a", "--python", "Net", "--weights", weights)
    b = record("b", "--dotnet", "Net", "--weights", weights)
    assert command("diff", a, b).exit_code == 0
    c = record("c", "--dotnet", "Net", "--seed", 3, "--weights", weights)
    done = command("diff", a, c)
    assert "Different weights" not in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "the command needs one model"),
        (["--python", "a:b", "--dotnet", "c.dll:d"], "the command needs one model"),
        (
            ["--python", "torch.nn:ReLU", "--weights", "python", "--shape", "1"],
            "--weights of a single model must be none or a .safetensors file",
        ),
        (["--python", "torch.nn:Conv2d(1, 1, 1)", "--shape", "2,2"], "pytorch: the root (Conv2d) raised RuntimeError"),
        (["--dotnet", "gone.dll:d", "--shape", "1"], "no file gone.dll"),
    ],
)
def test_models_that_cannot_be_recorded(command: Command, tmp_path: Path, args: list[str], words: str) -> None:
    """Exit code 2, and no file."""
    done = command("trace", "-o", tmp_path / "a.jsonl", *args)
    assert done.exit_code == 2
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_trace_that_cannot_be_written(command: Command, tmp_path: Path) -> None:
    done = command("trace", "--python", "torch.nn:ReLU", "-o", tmp_path / "gone" / "a.jsonl", "--shape", "1")
    assert done.exit_code == 2
    assert "cannot be written: there is no folder" in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        ("", "the file is empty"),
        ("no json\n", "line 1"),
        ("[]\n", "line 1"),
        ('{"schema":99}\n', "line 1"),
        ('{"schema":1', "its header is incomplete"),
        ("TYPES", "field 'call'"),
    ],
)
def test_a_file_that_is_not_a_trace(command: Command, tmp_path: Path, content: str | None, words: str) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    assert command("trace", "--python", "torch.nn:ReLU", "-o", good, "--shape", "1").exit_code == 0
    lines = good.read_text(encoding="utf-8").splitlines(keepends=True)
    if content == "TYPES":
        content = "".join([lines[0], lines[1].replace('"call":0', '"call":"0"'), *lines[2:]])
    if content is not None:
        bad.write_text(content, encoding="utf-8")
    for pair in ((good, bad), (bad, good)):
        done = command("diff", *pair)
        assert done.exit_code == 2
        assert "bad.jsonl" in done.stderr
        assert words in done.stderr
        assert done.stdout == ""


def test_an_incomplete_trace_is_compared_as_far_as_it_goes(command: Command, tmp_path: Path) -> None:
    good, half = tmp_path / "good.jsonl", tmp_path / "half.jsonl"
    assert command("trace", "--python", "torch.nn:ReLU", "-o", good, "--shape", "1").exit_code == 0
    half.write_text("".join(good.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    done = command("diff", good, half)
    assert done.exit_code == 1
    assert "half.jsonl is incomplete: it has no footer" in done.stdout
    assert "agree up to there: 1 event in the same order" in done.stdout


@pytest.mark.usefixtures("symlinks")
@pytest.mark.parametrize("option", ["--json", "--html"])
def test_an_input_file_is_not_overwritten(command: Command, tmp_path: Path, option: str) -> None:
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path in (a, b):
        done = command("trace", "--python", "torch.nn:ReLU", "-o", path, "--shape", "2", "--values", "full")
        assert done.exit_code == 0
    (tmp_path / "link.jsonl").symlink_to(b)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for out in (a, b, tmp_path / "link.jsonl", trace_file.beside(b)):
        done = command("diff", a, b, option, out)
        assert done.exit_code == 2
        assert f"{out} is an input and would be overwritten" in done.stderr
    np.save(tmp_path / "x.npy", np.ones(2, np.float32))
    done = command("trace", "--python", "torch.nn:ReLU", "--input", tmp_path / "x.npy", "-o", tmp_path / "x.npy")
    assert done.exit_code == 2
    assert "is an input and would be overwritten" in done.stderr
    (tmp_path / "x.npy").unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_inputs_and_weights_are_handed_over_by_files(command: Command, ports: Path, tmp_path: Path) -> None:
    """As they are before the run, by the names of `forward` and of `state_dict`; TorchSharp reads both."""
    files = {name: tmp_path / f"{name}.dat" for name in ("inputs", "weights")}
    saving = [word for name, file in files.items() for word in (f"--save-{name}", file)]
    trace = tmp_path / "trace.jsonl"
    done = command(
        "trace", "--python", "ports:Net", "--shape", "2,3,8,8", "--seed", "5", "--train", "-o", trace, *saving
    )
    assert done.exit_code == 0, done.output
    given = torch.randn((2, 3, 8, 8), generator=torch.Generator().manual_seed(5))
    assert list(bridge.read_weights(files["inputs"])) == ["x"]
    assert torch.equal(bridge.read_weights(files["inputs"])["x"], given)
    saved = bridge.read_weights(files["weights"])
    done = command("trace", "--dotnet", f"{ports}:Ports.Net", "--shape", "2,3,8,8", "-o", trace, *saving)
    assert done.exit_code == 0, done.output
    assert list(bridge.read_weights(files["weights"])) == list(saved)


def test_inputs_that_torchsharp_cannot_have_are_refused(command: Command, tmp_path: Path) -> None:
    given = tmp_path / "x.npy"
    np.save(given, np.zeros((2, 3), dtype=np.uint16))
    done = command(
        "trace", "--python", "torch.nn:Identity", "--input", given, "--save-inputs", tmp_path / "inputs.dat", "-o", tmp_path / "a.jsonl",
    )  # fmt: skip
    assert done.exit_code == 2
    assert "which TorchSharp does not have" in done.output
    assert not (tmp_path / "inputs.dat").exists()
