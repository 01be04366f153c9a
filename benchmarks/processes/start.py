"""The process of bench_start.py: prints the seconds from the start of .NET to the first call's result."""

from __future__ import annotations

import time

import torch

import bridge
import bridge.mirror  # imported before the measurement, as by a user
from bridge.clr.find.assemblies import sample

if __name__ == "__main__":
    x = torch.rand(1, 3, 12, 12)
    begin = time.perf_counter()
    bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")(x)
    print(time.perf_counter() - begin)
