"""The process of bench_memory.py: ``memory.py cascade dotnet|pytorch`` and ``memory.py rounds NUMBER TIMES``.

Each prints MB as JSON, after .NET has started.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

import torch

import bridge
from bridge.clr.find.assemblies import sample
from bridge.mirror.loading import dotnet_runtime


def _status(field: str) -> float:
    """Return a field of this process's status, in MB."""
    with open("/proc/self/status", encoding="utf-8") as file:  # noqa: PTH123  # no path objects where memory is counted
        return int(next(line for line in file if line.startswith(field)).split()[1]) / 1024


def cascade(side: str) -> float:
    """Return the peak of three detections by one side's nets, above the resident memory before them."""
    from bridge.demo.resources import load_resources
    from bridge.samples.cascade import detect

    parts = load_resources()
    nets = getattr(parts, side)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak begins anew
    before = _status("VmRSS")
    for _ in range(3):
        assert len(detect(parts.picture, nets, 60)) == 1
    return _status("VmHWM") - before


def rounds(number: int, times: int) -> list[float]:
    """Return the growth of the resident memory by ``number`` rounds of register, call, remove, each time."""
    exports = dotnet_runtime().exports
    model: Any = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
    x = torch.rand(1, 3, 12, 12)

    def run(count: int) -> tuple[float, dict[str, int]]:
        for _ in range(count):
            handle = model.conv1.register_forward_hook(lambda *_: None)
            model(x)
            handle.remove()
        gc.collect()
        return _status("VmRSS"), exports.live_counts()

    run(3000)
    grown = []
    for _ in range(times):
        before, live = run(1)
        after, still = run(number)
        assert still == live, (live, still)
        grown.append(after - before)
    return grown


if __name__ == "__main__":
    torch.set_num_threads(1)
    dotnet_runtime()
    what, *arguments = sys.argv[1:]
    print(json.dumps(cascade(*arguments) if what == "cascade" else rounds(*map(int, arguments))))
