"""Memory: what a model costs beyond its PyTorch twin, and what rounds of registering leave behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from harness import Figure

_PRELUDE = """
import ctypes, gc, json, sys
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
    counts = (ctypes.c_int64 * 3)()
    host.exports.live(counts)
    return resident(), list(counts)
rounds(3000)
before, live = rounds(1)
after, still = rounds({rounds})
assert still == live, (live, still)
print(json.dumps(after - before))
"""


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    ours, peer = (_run(_CASCADE.replace("{side}", side)) for side in ("dotnet", "pytorch"))
    yield Figure(
        "peak memory of the demo's cascade over the value before its first call: .NET / PyTorch", ours, peer, "MB", 1.2
    )
    yield Figure(
        "growth by 10,000 rounds of register, call, remove", _run(_ROUNDS.replace("{rounds}", "10000")), None, "MB", 5
    )


def _run(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", _PRELUDE + code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(json.loads(done.stdout.splitlines()[-1]))
