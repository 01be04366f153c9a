"""``compare --watch``: the seconds from a save to the verdict, elapsed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from harness import FEW, HERE, Figure, Samples

SOURCES = {
    "Net.cs": """
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

public class Net : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 8, 3);
    private readonly BatchNorm2d norm = BatchNorm2d(8);
    private readonly Linear fc = Linear(8, 4);
    public Net() : base("Net") => RegisterComponents();
    public override Tensor forward(Tensor x) => fc.call(norm.call(conv.call(x)).mean([2, 3]));
}
""",
    "net.py": """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(self.norm(self.conv(x)).mean([2, 3]))
""",
}


def _verdicts(file: str, edit: Callable[[str, int], str]) -> Samples:
    """Measure the seconds from each save of ``file`` to the verdict's last line, with pauses as between edits."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SOURCES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "bridge", "compare", "--watch", "--python", "net:Net"]
        process = subprocess.Popen(
            [*command, "--dotnet", "Net.cs:Net", "--shape", "2,3,16,16"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(HERE.parent), "BRIDGE_CACHE": f"{folder}/cache"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        lines = process.stdout
        found = []
        try:
            _read(lines)
            for number in range(FEW + 1):
                time.sleep(4)
                begin = time.perf_counter()
                Path(folder, file).write_text(edit(SOURCES[file], number), encoding="utf-8")
                _read(lines)
                found.append(time.perf_counter() - begin)
        finally:
            process.kill()
            process.communicate()
        return Samples(found[1:])


def _read(lines: IO[str]) -> None:
    for line in lines:
        if line.startswith("-- "):
            return
    raise RuntimeError("compare --watch has ended")


def _csharp(text: str, number: int) -> str:
    return text.replace("BatchNorm2d(8)", f"BatchNorm2d(8, eps: 1e-5, momentum: 0.{number + 1})")


def _python(text: str, number: int) -> str:
    return text.replace("BatchNorm2d(8)", f"BatchNorm2d(8, momentum=0.{number + 1})")


FIGURES = (
    Figure(
        "watch-csharp",
        "`compare --watch`: from a saved .cs to the verdict, a small model, elapsed",
        None,
        "s",
        partial(_verdicts, "Net.cs", _csharp),
        3,
    ),
    Figure(
        "watch-python",
        "the same from a saved .py",
        None,
        "s",
        partial(_verdicts, "net.py", _python),
        3,
    ),
)
