"""bridge.conformance.plugin in a user's project: found by its entry point, costs nothing unused, runs the corpus, records."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(installed: str, tmp_path: Path) -> Pytest:
    """``project("test_a.py text", "--option", …)``: runs pytest in an empty project in whose environment the package is installed."""
    folder = tmp_path / "project"
    folder.mkdir()

    def run(test: str, *options: str) -> subprocess.CompletedProcess[str]:
        (folder / "test_it.py").write_text(test, encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": installed, "COLUMNS": "160"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


_UNUSED = """
import sys

def test_nothing_is_imported():
    assert "bridge.conformance.plugin" in sys.modules, "the plugin is not there"
    heavy = {"torch", "numpy", "clr", "rich", "jinja2", "click", "jsonschema"} & set(sys.modules)
    assert not heavy, heavy
    ours = {name for name in sys.modules if name.startswith("bridge")}
    assert ours == {"bridge", "bridge.conformance", "bridge.conformance.plugin"}, ours
"""


def test_unused_it_imports_nothing(project: Pytest) -> None:
    done = project(_UNUSED)
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


_BROKEN = """
import torch

def test_that_breaks_pytorch():
    pass

# A dispatcher that forgets the pre hooks.
call = torch.nn.Module.__call__
torch.nn.Module.register_forward_pre_hook = lambda self, hook, **options: torch.utils.hooks.RemovableHandle({})
"""


def test_a_wrong_runtime_fails_with_the_first_difference_and_the_clause(project: Pytest) -> None:
    done = project(_BROKEN, "--bridge-runtime", "pytorch", "--bridge-filter", "P-2")
    assert done.returncode == 1, done.stdout
    assert "differs from PyTorch" in done.stdout
    assert "expected pre " in done.stdout
    assert "P-2: A pre hook's return value replaces" in done.stdout


def test_what_a_runtime_lacks_is_skipped_with_the_reason(project: Pytest) -> None:
    done = project("", "--bridge-runtime", "model", "--bridge-filter", "Z-2-global-hook-sees-no-out-proj", "-rs")
    assert "SKIPPED" in done.stdout
    assert "node:attention: the model has no modules of a library" in done.stdout


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


_TRACE = """
import torch

def test_trace(hook_trace):
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    trace = hook_trace(model, torch.ones(1, 2), values="digest")
    assert [(event.path, event.phase) for event in trace] == [
        ("", "pre"), ("0", "pre"), ("0", "forward"), ("1", "pre"), ("1", "forward"), ("", "forward")]
    assert trace[2].values[0].digest is not None
"""


def test_the_fixture_records_a_model(project: Pytest) -> None:
    done = project(_TRACE)
    assert done.returncode == 0, done.stdout
