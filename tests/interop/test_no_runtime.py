"""The import of the package, and a start where there is no .NET."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.clr import DotNetNotFound
from bridge.clr.find import assemblies
from tests.interop.helpers import raised
from tests.support.fork_server import Run

ROOT = Path(__file__).resolve().parents[2]

_IMPORT = """
import sys, threading
from pathlib import Path
import torch
before = set(sys.modules)
import bridge
print(*sorted(set(sys.modules) - before))
if sys.platform == "linux":
    assert "coreclr" not in Path("/proc/self/maps").read_text()
assert threading.active_count() == 1
"""


def test_import_starts_nothing_and_costs_nothing(in_process: Callable[..., Run]) -> None:
    """Beyond torch it imports a dozen modules, all of them ours and small: no pythonnet, no runtime, no thread."""
    run = in_process(_IMPORT)
    assert (run.returncode, run.stderr) == (0, "")
    names = run.stdout.split()
    assert {name.partition(".")[0] for name in names} == {"bridge"}
    assert "bridge.mirror" not in names
    assert len(names) < 30, names


@pytest.mark.subprocess(env={"BRIDGE_DOTNET_ROOT": "/no-such-place"})
def test_no_runtime_is_one_message() -> None:
    """The exception names the folder and the fix, also at the second attempt, and the process goes on."""
    errors = []
    for _ in range(2):
        error = raised(lambda: bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet"))
        assert isinstance(error, DotNetNotFound | bridge.StartError), error
        errors.append(str(error))
    for text in errors:
        for words in ("BRIDGE_DOTNET_ROOT is set to", "no-such-place", "unset it"):
            assert words in text, text
    assert errors[0] == errors[1]
    assert torch.ones(2).sum() == 2


def test_a_broken_root_ends_the_demo_without_a_traceback(tmp_path: Path, python: Path) -> None:
    """The command prints the problem and the fix once, and exits with the documented 2."""
    done = subprocess.run(
        [python, "-m", "bridge", "demo", "--html", str(tmp_path / "demo.html")],
        cwd=ROOT,
        env={**os.environ, "BRIDGE_DOTNET_ROOT": str(tmp_path / "no-such-place"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 2, said
    assert "Traceback" not in said
    assert said.count("BRIDGE_DOTNET_ROOT is set to") == 1, said
    assert "no-such-place" in said
