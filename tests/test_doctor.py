"""bridge/doctor.py: whatever part is missing, it is a finding with a fix, and never a crash."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from bridge import doctor
from bridge.cli import main
from bridge.clr.find import assemblies, installation
from bridge.doctor import CheckResult, InstallationReport
from hook_contract import contract

_DOCTOR = "from bridge.cli import main; main(['doctor', '--json'])"
_PICTURE = ("skimage", "PIL")
_CPU = "--index-url https://download.pytorch.org/whl/cpu"


def named(findings: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (finding,) = [finding for finding in findings if finding["name"] == name]
    return finding


@pytest.fixture(scope="module")
def report() -> InstallationReport:
    """Return the report of this machine."""
    return doctor.examine()


def test_one_screen_and_json_tell_the_same(report: InstallationReport) -> None:
    console = Console(width=160, file=io.StringIO())
    console.print(doctor.render(report, 160), soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    screen = console.file.getvalue()
    assert len(screen.splitlines()) <= 50
    data = json.loads(doctor.to_json(report))
    assert data["ready"] is report.ready
    names = [finding["name"] for finding in data["findings"]]
    wanted = [
        "Python",
        "torch",
        "libtorch",
        "CUDA",
        "pythonnet",
        ".NET",
        ".NET SDK",
        "assemblies",
        ".NET starts",
        "TorchSharp",
        "weights",
    ]
    assert names == [*wanted, "picture", "hypothesis"]
    assert all(name in screen for name in names)
    for finding in report.findings:
        assert finding.fix is not None or finding.state != "problem", finding


def test_the_abi_version_is_that_of_torch() -> None:
    """torch's libtorch answers with major, minor and patch in its three highest bytes."""
    torch = pytest.importorskip("torch", reason="needs torch")
    finding = doctor._libtorch(torch)
    assert finding.state == "ok", finding
    assert finding.text.startswith(f"ABI version {torch.__version__.partition('+')[0]} ")


def test_everything_is_there(dotnet: installation.DotNet, report: InstallationReport) -> None:
    assemblies_found = not assemblies.missing(assemblies._PACKAGE / "_dotnet")
    if not assemblies_found and not report.ready:
        pytest.skip("our assemblies are not compiled yet: make setup, or make refresh")
    assert report.ready, [finding for finding in report.findings if finding.state == "problem"]
    (start,) = [finding for finding in report.findings if finding.name == ".NET starts"]
    assert start.text.startswith(f"runtime {dotnet.runtimes[0].partition('.')[0]}."), start


def test_torch_that_cannot_be_imported(in_process: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libtorch_cpu.so: broken on purpose')\n")
    done = in_process(_DOCTOR, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1, done.stderr
    finding = named(json.loads(done.stdout)["findings"], "torch")
    assert finding["state"] == "problem"
    assert "broken on purpose" in finding["text"]
    assert finding["fix"] == f"python -m pip install --force-reinstall torch {_CPU}"


def test_a_missing_torch_is_a_problem_whose_fix_is_the_small_build(run_snippet: Callable[..., Any]) -> None:
    done = run_snippet("absent", "command", [], ["torch"], True, True, "doctor", "--json", new=True)
    assert done.returncode == 1, done.stderr
    finding = named(json.loads(done.stdout)["findings"], "torch")
    assert (finding["state"], finding["text"]) == ("problem", "not installed")
    assert finding["fix"] == f"python -m pip install torch {_CPU}"


@pytest.mark.parametrize("arguments", [
    ("compare", "--python", "nets:Net", "--dotnet", "x.dll:Net", "--shape", "1"),
    ("port", "nets:Net", "-o", "New", "--shape", "1"),
    ("export", "x.dll:Net", "-o", "net.pt2", "--shape", "1"),
    ("trace", "--python", "nets:Net", "-o", "t.jsonl", "--shape", "1"),
    ("schema", "-o", "s.txt"),
    ("demo",),
    ("conformance", "--runtime", "pytorch"),
    ("fuzz", "--count", "1", "--runtime", "dotnet"),
], ids=lambda arguments: arguments[0])  # fmt: skip
def test_a_command_without_torch_says_so_and_how_to_install_it(
    run_snippet: Callable[..., Any], arguments: tuple[str, ...]
) -> None:
    done = run_snippet("absent", "command", [], ["torch"], True, True, *arguments, new=True)
    assert done.returncode == 2
    assert done.stderr == (
        f"cannot run: PyTorch is not installed.\nInstall it with: python -m pip install torch {_CPU}\n"
    )


@pytest.mark.parametrize(("variable", "name"), [("BRIDGE_DOTNET_ROOT", ".NET"), ("BRIDGE_ASSEMBLIES", "assemblies")])
def test_a_wrong_folder(forked: Callable[..., Any], tmp_path: Path, variable: str, name: str) -> None:
    done = forked(_DOCTOR, env={variable: str(tmp_path / "gone")})
    assert done.returncode == 1, done.stderr
    finding = named(json.loads(done.stdout)["findings"], name)
    assert finding["state"] == "problem"
    assert variable in finding["text"]
    assert re.search("unset (it|BRIDGE_ASSEMBLIES)", finding["fix"], re.IGNORECASE)


@pytest.mark.dotnet
def test_what_only_the_demo_needs_is_a_note_and_the_exit_code_is_0(run_snippet: Callable[..., Any]) -> None:
    """So is a .NET SDK, which only the building of projects needs. What the metadata do not know is not installed."""
    done = run_snippet("absent", "command", ["facenet-pytorch"], _PICTURE, True, False, "doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(done.stdout)
    assert data["ready"] is True
    for name, fix in (("weights", "facenet-pytorch==2.6.0"), ("picture", "scikit-image"), (".NET SDK", ".NET 10 SDK")):
        finding = named(data["findings"], name)
        assert finding["state"] == "note", finding
        assert fix in finding["fix"]
    shown = run_snippet(
        "absent", "command", ["facenet-pytorch"], _PICTURE, True, False, "doctor", env={"COLUMNS": "80"}
    )
    assert shown.returncode == 0
    assert "PROBLEM" not in shown.stdout
    last = shown.stdout.splitlines()[-1]
    assert last == "Ready, but not for the demo: see the notes on weights and picture."


def test_a_missing_hypothesis_is_a_note_and_fuzz_says_how_to_install_it(run_snippet: Callable[..., Any]) -> None:
    fix = "python -m pip install hypothesis"
    done = run_snippet("absent", "command", [], ["hypothesis"], True, True, "doctor", "--json", new=True)
    finding = named(json.loads(done.stdout)["findings"], "hypothesis")
    assert (finding["state"], finding["fix"]) == ("note", fix)
    done = run_snippet("absent", "command", [], ["hypothesis"], True, True, "fuzz", "--runtime", "model", new=True)
    assert done.returncode == 2
    assert done.stderr == f"Error: fuzz needs the package hypothesis. Install it with: {fix}\n"


def test_a_missing_pythonnet_is_a_problem(run_snippet: Callable[..., Any]) -> None:
    done = run_snippet("absent", "command", ["facenet-pytorch", "pythonnet"], _PICTURE, True, True, "doctor", "--json")
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert named(findings, "pythonnet")["state"] == "problem"
    assert named(findings, "weights")["state"] == "note"
    assert named(findings, ".NET starts")["state"] == "note"


def test_no_cuda_device_is_a_note() -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    if torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")
    assert doctor._cuda(torch).state == "note"


@pytest.mark.parametrize("columns", [60, 80])
def test_a_list_stays_one_on_a_narrow_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One item a line, below the text that it belongs to, and no word is broken."""
    monkeypatch.setattr(installation, "DISTRIBUTION", "a-distribution-that-nobody-has")
    with pytest.raises(installation.DotNetNotFound) as caught:
        installation.find_dotnet({"PATH": ""}, folders=[Path("/nowhere/else"), Path("/nowhere")])
    report = InstallationReport((doctor._from_error(".NET", caught.value),))
    lines = doctor.render(report, columns).plain.splitlines()
    assert all(len(line) <= columns for line in lines)
    items = [line for line in lines if line.lstrip().startswith("- ")]
    assert len(items) == str(caught.value).count("\n  - ") > 3
    assert {line.index("- ") for line in items} == {lines[0].index("no .NET runtime") + 2}
    assert set(str(caught.value).split()) <= {word for line in lines for word in line.split()}


@pytest.mark.parametrize("length", [5, 58, 59, 79, 80, 300])
def test_no_path_is_broken_by_us(length: int) -> None:
    """Where a word does not fit it begins a line of its own, as far left as it must; only what is wider than the screen overflows."""
    path = "/" + "folder/" * 60
    word = path[:length]
    report = InstallationReport(
        (
            CheckResult("libtorch", "ok", f"ABI version 2.13.0 (0x020d000000000000), {word} and more words behind it"),
            CheckResult(".NET starts", "problem", "it did not start", f"Set BRIDGE_DOTNET_ROOT to {word}, or unset it"),
        )
    )
    console = Console(width=80, file=io.StringIO())
    console.print(doctor.render(report, 80), soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert sum(word in line for line in lines) == 2
    assert all(len(line) <= 80 or line.strip() in (word, f"{word},") for line in lines), lines
    assert " ".join(console.file.getvalue().split()).count("and more words behind it") == 1


def test_net_8_is_a_note_that_recommends_net_10(monkeypatch: pytest.MonkeyPatch) -> None:
    found = installation.DotNet(Path("somewhere"), "PATH", ("8.0.4",), ())
    monkeypatch.setattr(installation, "find_dotnet", lambda environ: found)
    finding = doctor._dotnet({})
    assert finding.state == "note"
    assert "November 2026" in finding.text
    assert finding.fix is not None
    assert ".NET 10" in finding.fix


def test_an_old_torch_is_a_problem() -> None:
    for cuda in (None, "12.8"):

        class Old:
            __version__ = "2.9.1"
            version = type("version", (), {"cuda": cuda})

        finding = doctor._torch(Old)  # type: ignore[arg-type]  # only its versions are read
        assert finding.state == "problem"
        assert "2.10" in finding.text
        assert (_CPU in (finding.fix or "")) == (cuda is None)


def test_a_torch_newer_than_any_that_was_tested_is_a_note() -> None:
    """It may work as well; a bug fix of the newest release says nothing."""
    newest = contract.load().tested
    for version, state in ((f"{newest}.9+cpu", "ok"), ("99.1.0a0+gitdeadbee", "note")):

        class Other:
            __version__ = version

        finding = doctor._torch(Other)  # type: ignore[arg-type]  # only its version is read
        assert finding.state == state
        assert version in finding.text
    assert f"newer than {newest}" in finding.text


@pytest.mark.parametrize(
    ("version", "state", "words"),
    [((3, 10, 9), "problem", "3.11 or later"), ((3, 13, 9), "ok", ""), ((99, 0, 1), "note", "newer than 3.13")],
)
def test_a_python_newer_than_any_that_was_tested_is_a_note(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], state: str, words: str
) -> None:
    monkeypatch.setattr(doctor.sys, "version_info", version)
    finding = doctor._python()
    assert finding.state == state
    assert words in f"{finding.text} {finding.fix}"


@pytest.mark.parametrize(("version", "state"), [("10.0.9", "ok"), ("99.0.0", "note")])
def test_a_net_newer_than_any_that_was_tested_is_a_note(
    monkeypatch: pytest.MonkeyPatch, version: str, state: str
) -> None:
    found = installation.DotNet(Path("somewhere"), "PATH", ("8.0.4", version), ())
    monkeypatch.setattr(installation, "find_dotnet", lambda environ: found)
    finding = doctor._dotnet({})
    assert (finding.state, finding.fix) == (state, None)
    assert ("newer than .NET 10" in finding.text) == (state == "note")


def test_a_start_that_hangs_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_START", "import time; time.sleep(6000)")
    assert doctor._start({}, timeout=1.0).state == "problem"


def test_a_start_that_fails_shows_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_START", "raise RuntimeError('no CLR today')")
    finding = doctor._start({}, timeout=600.0)
    assert finding.state == "problem"
    assert "exit code 1: RuntimeError: no CLR today" in finding.text


def test_a_look_that_raises_is_a_finding() -> None:
    def look() -> CheckResult:
        raise ZeroDivisionError("unforeseen")

    finding = doctor._check("x", look)
    assert finding.state == "problem"
    assert "unforeseen" in finding.text


def test_only_problems_make_it_unready() -> None:
    assert InstallationReport((CheckResult("a", "ok", ""), CheckResult("b", "note", ""))).ready
    assert not InstallationReport((CheckResult("a", "ok", ""), CheckResult("b", "problem", "", "mend it"))).ready


@pytest.mark.dotnet
def test_which_torchsharp_runs_where_is_told(torchsharp: Path, reference: Path, tmp_path: Path, symlinks: None) -> None:
    """Three assemblies have that name, and one of them runs in a process of its own."""
    cache = tmp_path / "cache" / "torchsharp"
    for version, file in (("0.107.0", torchsharp), ("0.108.0", reference), ("0.102.6", torchsharp)):
        place = cache / version / "lib" / "net8.0"
        place.mkdir(parents=True)
        shutil.copy(file, place / "TorchSharp.dll")
        (cache / version / "runtimes").symlink_to(torchsharp.with_name("runtimes"), target_is_directory=True)
    environ = {**os.environ, "NUGET_PACKAGES": str(cache.parent), "BRIDGE_TORCHSHARP": ""}
    finding = doctor._torchsharp(environ, 60)
    used, passed, other = (
        cache / version / "lib/net8.0/TorchSharp.dll" for version in ("0.107.0", "0.108.0", "0.102.6")
    )
    assert finding.state == "ok"
    assert f"TorchSharp 0.107.0, {used} (by NuGet's cache), starts in a separate process, for runtime=" in finding.text
    assert (
        "models loaded without the argument runtime run in Python's process on Bridge.Torch, "
        f"through {assemblies.folder()[0] / 'TorchSharp.dll'}" in finding.text
    )
    assert (
        f"{passed} (NuGet's cache), only the signatures of TorchSharp 0.107.0, without code, to compile against, is not usable"
        in finding.text
    )
    assert re.search(rf"{re.escape(str(other))} .*, is not used$", finding.text)
    set_ = doctor._torchsharp({**environ, "BRIDGE_TORCHSHARP": str(other)}, 60)
    assert f"{other} (by BRIDGE_TORCHSHARP)" in set_.text
    assert "is not usable" not in set_.text
    nothing = doctor._torchsharp({**environ, "NUGET_PACKAGES": str(tmp_path)}, 60)
    assert nothing.state == "note"
    assert "set BRIDGE_TORCHSHARP to a folder" in (nothing.fix or "")


@pytest.mark.dotnet
def test_the_torchsharp_in_a_models_folder_is_told(
    build_csharp: Callable[..., Path],
    torchsharp: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    symlinks: None,
) -> None:
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    source = 'public class Net : TorchSharp.torch.nn.Module { public Net() : base("Net") { } }'
    model = Path(shutil.copy(build_csharp({"Net.cs": source}, "Doctored", against=[torchsharp]), tmp_path))
    assert "neither by BRIDGE_TORCHSHARP, nor in the model's folder" in doctor.check_torchsharp(model).text
    there = Path(shutil.copy(torchsharp, tmp_path / "TorchSharp.dll"))
    alone = doctor.check_torchsharp(model)
    assert alone.state == "note"
    assert re.search(
        rf"{re.escape(str(there))} \(by the model's folder\), does not start: .*libtorch", alone.text, re.DOTALL
    )
    (tmp_path / "runtimes").symlink_to(torchsharp.with_name("runtimes"), target_is_directory=True)
    assert f"{there} (by the model's folder), starts in a separate process" in doctor.check_torchsharp(model).text
    done = CliRunner().invoke(main, ["doctor", "--assembly", str(model)], terminal_width=200)
    assert f'With runtime="torchsharp": TorchSharp 0.107.0, {there}' in done.output
    ours = build_csharp({"Net.cs": source}, "DoctoredOurs")
    assert doctor.check_torchsharp(ours).text.startswith("not needed")
