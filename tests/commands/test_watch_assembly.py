"""bridge/commands/watch.py without an SDK, on every system: ``compare --watch`` of an assembly, while the Python model is edited."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bridge.clr.find.assemblies import sample
from tests.support.processes import is_running

pytestmark = pytest.mark.dotnet

#: A port of PNet; ``{}`` is what its forward does first.
PYTHON: Final = """
import os, time
from bridge.samples.mtcnn import PNet

class Net(PNet):
    def forward(self, x):
        {}
        return super().forward(x)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tmp_path, "pass")
    return tmp_path


@pytest.fixture
def watch(folder: Path) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    arguments = (
        "--watch",
        "--python",
        "net:Net",
        "--dotnet",
        f"{sample('Mtcnn.dll')}:Mtcnn.PNet",
        "--shape",
        "1,3,24,24",
    )
    with subprocess.Popen(
        [sys.executable, "-m", "bridge", "compare", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield process
        process.kill()


def save(folder: Path, first: str) -> None:
    (folder / "net.py").write_text(PYTHON.format(first), encoding="utf-8")


def read(watch: subprocess.Popen[str], start: str) -> str:
    """Read the output up to a line that starts so."""
    assert watch.stdout is not None
    lines = []
    for line in watch.stdout:
        lines.append(line)
        if line.startswith(start):
            return "".join(lines)
    raise AssertionError("".join(lines))


def test_each_edit_gives_a_verdict_and_a_kill_leaves_nothing_behind(watch: subprocess.Popen[str], folder: Path) -> None:
    """The processes share the command's output, also where they are not forked."""
    assert "Same: 11 equal module calls" in read(watch, "-- ")
    save(folder, "raise ValueError(3)")
    said = read(watch, "-- ")
    assert "pytorch raised." in said
    assert "net.py saved, compared" in said
    save(folder, "print('process', os.getpid(), flush=True); time.sleep(1000)")
    process = int(read(watch, "process").split()[-1])
    watch.kill()
    while is_running(process):
        pass  # the test's own limit is the limit
