"""tools/inprocess.py: which environments, what a run prints, and when it fails."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import inprocess
import matrix
from bridge.torchsharp.in_process.library import TESTED

THIS = Path(sys.executable)
#: No plugins but pytest's own, and nothing of this checkout.
QUICK = "-q -p no:cacheprovider -p no:hypothesispytest -p no:xdist"


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder of tests, which the tool runs instead of this checkout's."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = inprocess\n")
    (tmp_path / "tests").mkdir()
    here: Any = inprocess.run
    monkeypatch.setattr(inprocess, "run", lambda python, section, options: here(python, section, options, tmp_path))
    monkeypatch.setattr(inprocess, "SECTIONS", {"marked": ("-m", "inprocess")})
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path / "tests"


def run(folder: Path, *more: str) -> int:
    return inprocess.main(["--python", str(THIS), "--folder", str(folder.parent / "made"), "--pytest", QUICK, *more])


def test_the_versions_are_those_that_the_package_accepts() -> None:
    assert tuple(inprocess.RELEASES) == tuple(number for numbers in TESTED.values() for number in numbers)
    assert all(release.startswith(f"{number}.") for number, release in inprocess.RELEASES.items())


def test_another_version_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert inprocess.main(["2.13", "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "'2.13' is not 2.10, 2.11, 2.12: TorchSharp was tested with these versions of torch.\n"
    )


def test_each_version_has_an_environment_with_pypis_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for the CPU alone are on an index of PyTorch's."""
    asked: list[tuple[matrix.Row, Path, str]] = []

    def prepare(row: matrix.Row, folder: Path, index: str = matrix.CPU_INDEX) -> Path:
        asked.append((row, folder, index))
        return folder / "bin" / "python"

    monkeypatch.setattr(inprocess, "prepare", prepare)
    found = inprocess.make_environment("2.12", tmp_path)
    name = "python{}.{}-torch2.12.1".format(*sys.version_info)
    assert found == tmp_path / name / "bin" / "python"
    assert asked == [(matrix.Row(name[6:].partition("-")[0], THIS, "2.12.1"), tmp_path / name, "")]


def test_files_are_counted_and_what_was_skipped_has_its_reason(tests: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tests / "test_a.py").write_text(
        "import pytest\npytestmark = pytest.mark.inprocess\n"
        "@pytest.mark.parametrize('x', [1, 2])\ndef test_x(x): pass\n"
        "@pytest.mark.parametrize('x', [1, 2])\ndef test_left_out(x): pytest.skip('needs more')\n"
    )
    (tests / "test_b.py").write_text(
        "import pytest\n@pytest.mark.inprocess\ndef test_y(): pass\ndef test_other(): assert False\n"
    )
    assert run(tests) == 0
    printed = [line.strip() for line in capfd.readouterr().out.splitlines()]
    assert f"torch {version('torch')}: marked" in printed
    counts = [line.split() for line in printed if re.search(r"\d +\d +\d+$", line)]
    assert counts == [["tests/test_a.py", "2", "0", "2"], ["tests/test_b.py", "1", "0", "0"], ["all", "3", "0", "2"]]
    assert printed[printed.index("skipped, 2: needs more") + 1 :] == ["tests/test_a.py::test_left_out"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def test_x(): assert False", "failed: tests/test_a.py::test_x"),
        ("def test_x(): pytest.skip('so')", "failed: no test ran"),
        ("import gone", "failed: pytest ended with 2"),
        ("def test_x(): __import__('os')._exit(0)", "failed: no test ran"),
    ],
)
def test_a_run_that_fails_or_runs_nothing_is_said(
    tests: Path, capfd: pytest.CaptureFixture[str], source: str, said: str
) -> None:
    (tests / "test_a.py").write_text(f"import pytest\npytestmark = pytest.mark.inprocess\n{source}\n", encoding="utf-8")
    assert run(tests) == 1
    assert said in capfd.readouterr().out.splitlines()


def test_no_test_of_the_marker_is_a_failure(tests: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tests / "test_a.py").write_text("def test_x(): pass\n")
    assert run(tests) == 1
    assert "failed: pytest ended with 5" in capfd.readouterr().out.splitlines()


def test_a_python_that_is_none_is_named(tmp_path: Path, tests: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "python")
    assert inprocess.main(["--python", missing, "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"{missing} has no torch: ")
