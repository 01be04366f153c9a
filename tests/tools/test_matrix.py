"""tools/matrix.py: which Pythons and torches, the environment without .NET, and what a run of pytest gave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from rich.console import Console

import matrix

THIS = "{}.{}".format(*sys.version_info)
ROW = matrix.Row(THIS, Path(sys.executable), "2.13.0")


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an empty PATH to which programs can be added, without pyenv."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    (tmp_path / "bin").mkdir()
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("pair", ["3.13", "3:2.13.0", "3.13:", "3.13:old", "newest:3.13", "2.13.0"])
def test_what_is_no_pair_is_refused_with_an_example(pair: str) -> None:
    with pytest.raises(
        matrix.MatrixError, match=rf"'{pair}' is not PYTHON:TORCH: write 3\.13:newest or 3\.12:2\.13\.0"
    ):
        matrix.rows([pair])


def test_a_python_that_is_missing_is_named_with_what_to_do(nothing: Path) -> None:
    """A stand-in of pyenv's that runs no Python is none."""
    script(nothing / "bin" / "python3.99", "echo 'command not found' >&2; exit 127")
    with pytest.raises(
        matrix.MatrixError, match=r"Python 3\.99 is not on this machine.*\n.*--python /path/to/python3\.99"
    ):
        matrix.rows(["3.99:2.13.0"])


@pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")
@pytest.mark.parametrize("place", ["named", "bin/python3.98", "pyenv/versions/3.98.10/bin/python3.98"])
def test_a_python_is_found(nothing: Path, place: str) -> None:
    """By its name on PATH, or as the newest of pyenv's; one that is named, by what it answers."""
    script(
        nothing / "pyenv" / "versions" / "3.98.9" / "bin" / "python3.98", "echo 3.98" if "pyenv" in place else "exit 1"
    )
    program = script(nothing / place, "echo 3.98")
    assert matrix.rows(["3.98:2.1.0"], [nothing / "named"]) == [matrix.Row("3.98", program, "2.1.0")]


def test_the_tests_see_neither_dotnet_nor_the_user(tmp_path: Path) -> None:
    """pip's configuration and what else the machine needs stays."""
    old, home = tmp_path / "old", tmp_path / "home"
    (old / ".config" / "pip").mkdir(parents=True)
    (old / ".config" / "pip" / "pip.conf").touch()
    script(tmp_path / "dotnet" / "dotnet", "exit 0")
    path = os.pathsep.join((str(tmp_path / "dotnet"), "/usr/bin"))
    hidden = (
        "DOTNET_ROOT",
        "BRIDGE_DOTNET_ROOT",
        "BRIDGE_TORCHSHARP",
        "NUGET_PACKAGES",
        "PYTHONPATH",
        "XDG_CACHE_HOME",
    )
    environ = {**dict.fromkeys(hidden, "x"), "HOME": str(old), "PATH": path, "PIP_FIND_LINKS": "wheels", "LANG": "C"}
    assert matrix.without_sdk(environ, home) == {
        "HOME": str(home),
        "PATH": "/usr/bin",
        "PIP_FIND_LINKS": "wheels",
        "LANG": "C",
        "PIP_CONFIG_FILE": str(old / ".config" / "pip" / "pip.conf"),
    }


def test_a_run_of_pytest_is_counted_and_its_failures_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(
        "import os, pathlib, pytest\n"
        "def test_home(): assert os.name == 'nt' or not any(pathlib.Path.home().iterdir())\n"
        "@pytest.mark.parametrize('x', [1, 'a - b'])\n"
        "def test_x(x): assert x == 1\n"
        "@pytest.fixture\n"
        "def broken():\n    yield\n    raise OSError\n"
        "def test_torn(broken): assert False\n"
        "def test_left_out(): pytest.skip('so')\n"
    )
    quick = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:xdist")
    found = matrix.run_tests(ROW, Path(sys.executable), ("-q", *quick), root=tmp_path)
    assert (found.passed, found.skipped, found.problem) == (2, 1, "")
    assert found.failed == ("tests/test_a.py::test_x[a - b]", "tests/test_a.py::test_torn")
    assert not found.green
    none = matrix.run_tests(ROW, Path(sys.executable), ("gone", *quick), root=tmp_path)
    assert none.problem == "pytest ended with 4"


def test_the_table_fits_a_terminal_and_names_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    """A torch or a Python newer than any that was tested is said so."""
    newer = matrix.Row("3.99", Path("python3.99"), "99.1.0")
    failed = ("tests/hook_contract/contract/test_programs.py::test_pytorch_does_what_it_says[" + "x" * 80 + "]",)
    results = [
        matrix.Result(ROW, 9203, 5175, (), 812.4),
        matrix.Result(newer, 9000, 1, failed, 9.0),
        matrix.Result(newer, problem="no pip"),
    ]
    matrix.show(results, Console(width=60))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["Python", "torch", "passed", "failed", "skipped", "seconds"],
        [THIS, "2.13.0", "9,203", "0", "5,175", "812"],
        ["3.99", "99.1.0", "9,000", "1", "1", "9"],
        ["3.99", "99.1.0", "0", "0", "0", "0"],
    ]
    assert all(len(line) <= 60 for line in lines[:4])
    assert lines[4:6] == [f"python3.99-torch99.1.0: {failed[0]}", "python3.99-torch99.1.0: no pip"]
    assert [line.partition(" is newer than ")[0] for line in lines[6:]] == ["Python 3.99", "PyTorch 99.1.0"]


def test_nothing_runs_where_a_row_cannot(nothing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["3.99:2.13.0"]) == 2
    assert "Python 3.99 is not on this machine" in capsys.readouterr().err
