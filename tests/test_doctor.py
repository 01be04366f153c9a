"""bridge/doctor.py: whatever part is missing, it is a finding with a fix, and never a crash."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bridge import doctor
from bridge.clr import assemblies, locate
from bridge.doctor import Finding, Report

_DOCTOR = "from bridge.cli import main; main(['doctor', '--json'])"


def named(findings: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (finding,) = [finding for finding in findings if finding["name"] == name]
    return finding


def test_one_screen_and_json_tell_the_same() -> None:
    report = doctor.examine()
    console = Console(width=160, file=io.StringIO())
    console.print(doctor.render(report))
    assert isinstance(console.file, io.StringIO)
    screen = console.file.getvalue()
    assert len(screen.splitlines()) <= 50
    data = json.loads(doctor.to_json(report))
    assert data["ready"] is report.ready
    names = [finding["name"] for finding in data["findings"]]
    wanted = ["Python", "torch", "libtorch", "CUDA", "pythonnet", ".NET", "assemblies", ".NET starts", "weights"]
    assert names == [*wanted, "picture"]
    assert all(name in screen for name in names)
    for finding in report.findings:
        assert finding.fix is not None or finding.state != "problem", finding


def test_the_abi_version_is_that_of_torch() -> None:
    """torch's libtorch answers with major, minor and patch in its three highest bytes."""
    torch = pytest.importorskip("torch", reason="needs torch")
    finding = doctor._libtorch(torch)
    assert finding.state == "ok", finding
    assert finding.text.startswith(f"ABI version {torch.__version__.partition('+')[0]} ")


def test_everything_is_there(dotnet: locate.DotNet) -> None:
    assemblies_found = not assemblies.missing(assemblies._PACKAGE / "_dotnet")
    report = doctor.examine()
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
    assert "torch>=2.10" in finding["fix"]


@pytest.mark.parametrize(("variable", "name"), [("BRIDGE_DOTNET_ROOT", ".NET"), ("BRIDGE_ASSEMBLIES", "assemblies")])
def test_a_wrong_folder(in_process: Callable[..., Any], tmp_path: Path, variable: str, name: str) -> None:
    done = in_process(_DOCTOR, env={variable: str(tmp_path / "gone")})
    assert done.returncode == 1, done.stderr
    finding = named(json.loads(done.stdout)["findings"], name)
    assert finding["state"] == "problem"
    assert variable in finding["text"]
    assert "nset it" in finding["fix"]


def test_missing_weights_picture_and_pythonnet(in_process: Callable[..., Any]) -> None:
    """What the metadata and the import system do not know is not installed."""
    code = (
        "import importlib.metadata, importlib.util, sys\n"
        "real, spec = importlib.metadata.distribution, importlib.util.find_spec\n"
        "def distribution(name):\n"
        "    if name in ('facenet-pytorch', 'pythonnet'): raise importlib.metadata.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "importlib.metadata.distribution = distribution\n"
        "importlib.util.find_spec = lambda name, *rest: None if name in ('skimage', 'PIL') else spec(name, *rest)\n"
    )
    done = in_process(code + _DOCTOR)
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    for name, fix in (("pythonnet", "pythonnet"), ("weights", "facenet-pytorch==2.6.0"), ("picture", "scikit-image")):
        finding = named(findings, name)
        assert finding["state"] == "problem", finding
        assert fix in finding["fix"]
    assert named(findings, ".NET starts")["state"] == "note"


def test_net_8_is_a_note_that_recommends_net_10(monkeypatch: pytest.MonkeyPatch) -> None:
    found = locate.DotNet(Path("somewhere"), "PATH", ("8.0.4",), ())
    monkeypatch.setattr(locate, "find_dotnet", lambda environ: found)
    finding = doctor._dotnet({})
    assert finding.state == "note"
    assert "November 2026" in finding.text
    assert finding.fix is not None
    assert ".NET 10" in finding.fix


def test_an_old_torch_is_a_problem() -> None:
    class Old:
        __version__ = "2.9.1+cpu"

    finding = doctor._torch(Old)  # type: ignore[arg-type]  # only its version is read
    assert finding.state == "problem"
    assert "2.10" in finding.text


def test_a_start_that_hangs_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_START", "import time; time.sleep(6000)")
    assert doctor._start({}, timeout=1.0).state == "problem"


def test_a_start_that_fails_shows_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_START", "raise RuntimeError('no CLR today')")
    finding = doctor._start({}, timeout=600.0)
    assert finding.state == "problem"
    assert "exit code 1: RuntimeError: no CLR today" in finding.text


def test_a_look_that_raises_is_a_finding() -> None:
    def look() -> Finding:
        raise ZeroDivisionError("unforeseen")

    finding = doctor._guarded("x", look)
    assert finding.state == "problem"
    assert "unforeseen" in finding.text


def test_only_problems_make_it_unready() -> None:
    assert Report((Finding("a", "ok", ""), Finding("b", "note", ""))).ready
    assert not Report((Finding("a", "ok", ""), Finding("b", "problem", "", "mend it"))).ready
