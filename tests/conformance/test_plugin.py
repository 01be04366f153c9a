"""bridge.conformance.plugin in a user's project: found by its entry point, costs nothing unused, runs the corpus, records."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_PYTEST = ("-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
Pytest = Callable[..., subprocess.CompletedProcess[str]]


def _file(name: str) -> str:
    return Path(__file__).with_name("snippets").joinpath(f"{name}.py").read_text(encoding="utf-8")


@pytest.fixture
def project(installed: str, python: Path, tmp_path: Path) -> Pytest:
    """Run pytest in an empty project in whose environment the package is installed: ``project("test_a.py text", "--option", …)``.

    PyTorch is imported already, unless the process is new. Hypothesis's plugin, which imports all of Hypothesis, is left out.
    """
    folder = tmp_path / "project"
    folder.mkdir()

    def run(test: str, *options: str, new: bool = False) -> subprocess.CompletedProcess[str]:
        (folder / "test_it.py").write_text(test, encoding="utf-8")
        return subprocess.run(
            [sys.executable if new else python, *_PYTEST, *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": installed, "COLUMNS": "160"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_unused_it_imports_nothing(project: Pytest) -> None:
    done = project(_file("unused"), new=True)
    assert done.returncode == 0, done.stdout


def test_it_runs_the_programs_of_a_clause_as_tests(project: Pytest) -> None:
    done = project("def test_mine(): pass\n", "--bridge-runtime", "pytorch", "--bridge-filter", "O-2")
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("PASSED bridge::O-2")]
    assert len(lines) >= 2, done.stdout
    assert all(line.endswith("[pytorch]") for line in lines)
    assert "PASSED test_it.py::test_mine" in done.stdout


def test_its_tests_can_be_chosen_by_marker_and_name(project: Pytest) -> None:
    done = project(
        "def test_mine(): pass\n", "--bridge-runtime", "pytorch", "--bridge-filter", "O-*", "-m", "bridge", "-k", "O-4"
    )
    assert done.returncode == 0, done.stdout
    assert "test_mine" not in done.stdout
    assert "PASSED bridge::O-4" in done.stdout
    assert "PASSED bridge::O-1" not in done.stdout


def test_a_wrong_runtime_fails_with_the_first_difference_and_the_clause(project: Pytest) -> None:
    done = project(_file("broken"), "--bridge-runtime", "pytorch", "--bridge-filter", "P-2")
    assert done.returncode == 1, done.stdout
    assert "differs from PyTorch" in done.stdout
    assert "expected pre " in done.stdout
    assert "P-2: A pre hook's return value replaces" in done.stdout


def test_what_a_runtime_lacks_is_skipped_with_the_reason(project: Pytest) -> None:
    done = project("", "--bridge-runtime", "model", "--bridge-filter", "Z-2-global-hook-sees-no-out-proj", "-rs")
    assert "SKIPPED" in done.stdout
    assert "node:attention: the model does not implement PyTorch's attention and encoder modules" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bridge-runtime", "caffe"), "unknown runtime 'caffe'"),
        (("--bridge-runtime", "pytorch", "--bridge-filter", "Y-7"), "'Y-7' matches no clause"),
        (("--bridge-runtime", "pytorch", "--bridge-device", "tpu"), "pytorch has no device tpu here"),
    ],
)
def test_a_wrong_option_is_a_usage_error(project: Pytest, options: tuple[str, ...], message: str) -> None:
    done = project("", *options)
    assert done.returncode == 4, done.stdout
    assert message in done.stdout + done.stderr


def test_the_fixture_records_a_model(project: Pytest) -> None:
    done = project(_file("recorded"))
    assert done.returncode == 0, done.stdout
