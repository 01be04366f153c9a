"""What starting costs: importing the package, and .NET up to the first call."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

from harness import Figure

_IMPORT = (
    "import torch, numpy, time; t = time.perf_counter(); import bridge, bridge.mirror; print(time.perf_counter() - t)"
)
_CALL = """import torch, time, bridge, bridge.mirror
from bridge.clr.assemblies import sample
x = torch.rand(1, 3, 12, 12)
t = time.perf_counter()
bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")(x)
print(time.perf_counter() - t)"""


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    yield Figure("import bridge, beyond torch", _median(_IMPORT) * 1e3, None, "ms", 20)
    yield Figure("start of .NET to the first call's result", _median(_CALL) * 1e3, None, "ms", 500)


def _median(code: str) -> float:
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    return statistics.median(float(run.stdout) for run in runs)
