"""bridge/commands/watch.py: ``compare --watch``, a process that is started, fed with edits and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.processes import is_running

pytestmark = [pytest.mark.sdk, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")]

PYTHON: Final = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.conv(x))
"""
CSHARP: Final = """
using System;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

public class Net : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 4, 3);
    private readonly BatchNorm2d norm = BatchNorm2d(4);
    public Net() : base("Net") => RegisterComponents();
    public override Tensor forward(Tensor x)
    {
        return norm.call(conv.call(x));
    }
}
"""
#: The file, what is replaced in the right one, by what, and what the verdict says.
EDITS: Final = [
    ("Net.cs", "BatchNorm2d(4)", "BatchNorm2d(4, eps: 0.1)", "norm (BatchNorm2d): eps is 1e-05 in pytorch and 0.1 in"),
    ("Net.cs", "conv.call(x)", "konv.call(x)", "Net.cs(14,26): error CS0103: The name 'konv' does not exist"),
    ("Net.cs", "return", "retrun", "Net.cs does not compile:"),
    ("Net.cs", "return", 'throw new InvalidOperationException("no good today"); return', "dotnet raised."),
    (
        "Net.cs",
        "=> Register",
        '=> throw new InvalidOperationException("no net"); void No() => Register',
        "cannot run: ",
    ),
    ("net.py", "BatchNorm2d(4)", "BatchNorm2d(4, eps=0.2)", "norm (BatchNorm2d): eps is 0.2 in pytorch and 1e-05 in"),
    ("net.py", "return", "retrun", "cannot run: importing net raised SyntaxError"),
    ("net.py", "return", "raise ValueError(3); return", "pytorch raised."),
    ("Net.cs", "norm.call", "norm.forward", "Write norm.call(x)."),
    ("Net.cs", "", "", "Same: 3 equal module calls on each side"),
]


class Watch:
    """A ``compare --watch`` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "Net.cs").write_text(CSHARP, encoding="utf-8")
        (folder / "net.py").write_text(PYTHON, encoding="utf-8")
        (folder / "out").mkdir()
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "bridge", "compare", "--watch"),
                *("--python", "net:Net", "--dotnet", "Net.cs:Net", "--shape", "2,3,8,8"),
            ],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(root),
                "BRIDGE_CACHE": str(folder / "out"),
                "TMPDIR": str(folder / "out"),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def verdict(self) -> str:
        """Read the output up to the end of the round."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("-- "):
                return "".join(lines)
        raise AssertionError("".join(lines))

    def save(self, name: str, old: str, new: str) -> None:
        """Write one file with an edit, and the other one without."""
        for file, right in (("Net.cs", CSHARP), ("net.py", PYTHON)):
            text = right.replace(old, new) if file == name and old else right
            place = self.folder / file
            if place.read_text(encoding="utf-8") != text:
                place.write_text(text, encoding="utf-8")

    def processes(self) -> set[int]:
        """Return the ids of the process and its descendants."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int(
                        (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
                    )
                except OSError:
                    continue
        found = {self.process.pid}
        while more := {child for child, parent in parents.items() if parent in found} - found:
            found |= more
        return found


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(tmp_path)
    try:
        yield watch
    finally:
        watch.process.kill()
        watch.process.communicate()


def all_gone(processes: set[int]) -> None:
    """Wait until all processes have ended; zombies count as ended. The time limit is the test's."""
    while any(is_running(process) for process in processes):
        pass


@pytest.mark.parametrize(
    "edits", [pytest.param(EDITS[1:8:3] + EDITS[-1:], id="four"), pytest.param(EDITS, id="ten", marks=pytest.mark.slow)]
)
def test_each_edit_gives_a_verdict_and_ctrl_c_leaves_nothing_behind(
    watch: Watch, edits: list[tuple[str, str, str, str]]
) -> None:
    """Some do not compile, some raise, some are in the .py; the last is right again."""
    first = watch.verdict()
    assert "Same: 3 equal module calls" in first
    for file, old, new, words in edits:
        watch.save(file, old, new)
        said = watch.verdict()
        assert words in said, said
        assert " saved, " in said.splitlines()[-1]
    while len(started := watch.processes()) < 4:
        pass  # the command, the one that works, the next comparison, the compiler
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait() == 130
    all_gone(started)


@pytest.mark.slow
def test_an_edit_ends_a_run_that_hangs_and_a_kill_leaves_nothing_behind(watch: Watch) -> None:
    watch.verdict()
    watch.save("Net.cs", "return", "while (true) { } return")
    watch.save("Net.cs", "BatchNorm2d(4)", "BatchNorm2d(4, eps: 0.1)")
    assert "eps is 1e-05 in pytorch and 0.1 in dotnet" in watch.verdict()
    started = watch.processes()
    watch.process.kill()
    all_gone(started)


def test_a_missing_file_is_reported_at_once(process: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = process("compare", "--watch", "--python", "net:Net", "--dotnet", "Nowhere.cs:Net", "--shape", "1")
    assert done.returncode == 2
    assert "no file Nowhere.cs" in done.stderr
