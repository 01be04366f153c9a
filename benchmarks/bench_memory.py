"""Memory: what a model costs beyond its PyTorch counterpart, and what rounds of registering leave behind."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import Any

from harness import FEW, Figure, Samples

_PRELUDE = """
import gc, json, sys
import torch, numpy as np
from bridge.mirror.loading import runtime
torch.set_num_threads(1)
host = runtime()
def peak():
    return int([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].split()[1]) / 1024
def resident():
    return int([line for line in open("/proc/self/status") if line.startswith("VmRSS")][0].split()[1]) / 1024
def reset_peak():
    open("/proc/self/clear_refs", "w").write("5")
"""
_CASCADE = """
from bridge.demo.parts import gather
from bridge.samples.cascade import detect
parts = gather()
nets = parts.{side}
gc.collect()
reset_peak()
before = resident()
for _ in range(3):
    assert len(detect(parts.picture, nets, 60)) == 1
print(json.dumps(peak() - before))
"""
_ROUNDS = """
import bridge
from bridge.clr.assemblies import sample
model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
x = torch.rand(1, 3, 12, 12)
def rounds(number):
    for _ in range(number):
        handle = model.conv1.register_forward_hook(lambda *_: None)
        model(x)
        handle.remove()
    gc.collect()
    return resident(), host.exports.live()
rounds(3000)
grown = []
for _ in range({times}):
    before, live = rounds(1)
    after, still = rounds({rounds})
    assert still == live, (live, still)
    grown.append(after - before)
print(json.dumps(grown))
"""


def _cascade() -> Samples:
    rounds = [[_run(_CASCADE.replace("{side}", side)) for side in ("dotnet", "pytorch")] for _ in range(FEW)]
    return Samples([ours for ours, _ in rounds], [peer for _, peer in rounds])


def _rounds(number: int, times: int) -> Samples:
    return Samples(_run(_ROUNDS.replace("{rounds}", str(number)).replace("{times}", str(times))))


def _run(code: str) -> Any:
    done = subprocess.run([sys.executable, "-c", _PRELUDE + code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


FIGURES = (
    Figure(
        "memory", "peak memory of the demo's cascade over the value just before its first call: .NET", "PyTorch", "MB", _cascade, 1.2
    ),
    Figure("rounds", "resident memory grown by 10,000 rounds of register, call, remove", None, "MB", partial(_rounds, 10_000, FEW), 5),
    Figure("rounds-80000", "the same by 80,000 rounds, no live handle left", None, "MB", partial(_rounds, 80_000, 1), 5),
)  # fmt: skip
