"""What starting costs: importing the package, and .NET up to the first call."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from harness import FEW, Figure, Samples

_IMPORT = "import time; t = time.process_time(); import bridge; print(time.process_time() - t)"
_CALL = """import torch, time, bridge, bridge.mirror
from bridge.clr.assemblies import sample
x = torch.rand(1, 3, 12, 12)
t = time.perf_counter()
bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")(x)
print(time.perf_counter() - t)"""


def _milliseconds(code: str) -> Samples:
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(FEW)]
    return Samples([float(run.stdout) * 1e3 for run in runs])


FIGURES = (
    Figure(
        "import",
        "`import bridge`, which imports neither torch nor .NET",
        None,
        "ms",
        partial(_milliseconds, _IMPORT),
        20,
    ),
    Figure("start", "start of .NET to the first call's result", None, "ms", partial(_milliseconds, _CALL), 500),
)
