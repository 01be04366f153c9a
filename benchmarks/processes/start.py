"""The process of bench_start.py: prints the seconds of ``import torch``, and those from ``import bridge`` to a C# model's first result.

Each is printed as processor time and as time on the clock.
"""

from __future__ import annotations

import time

if __name__ == "__main__":
    begin = time.process_time(), time.perf_counter()
    import torch

    imported = time.process_time(), time.perf_counter()
    x = torch.rand(1, 3, 12, 12)
    ready = time.process_time(), time.perf_counter()
    import bridge
    from bridge.clr.find.assemblies import sample

    bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")(x)
    done = time.process_time(), time.perf_counter()
    print(imported[0] - begin[0], imported[1] - begin[1], done[0] - ready[0], done[1] - ready[1])
