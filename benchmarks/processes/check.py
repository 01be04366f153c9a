"""The process of bench_check.py: prints the seconds of two checks of an assembly, and its number of module classes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bridge.clr import start
from bridge.clr.call.surface import examine

if __name__ == "__main__":
    assembly = Path(sys.argv[1])
    start()
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        classes = examine(assembly)
        times.append(time.perf_counter() - begin)
    lacking = [entry.name for entry in classes if entry.missing]
    if lacking:
        raise SystemExit(f"{lacking[0]} lacks {classes[0].missing}")
    print(*times, sum(entry.module for entry in classes))
