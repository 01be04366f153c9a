"""The process of bench_check.py: prints the seconds of the first model's check and of a list of all, and the number of classes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bridge.clr import start
from bridge.clr.call.surface import examine


def check(assembly: Path, name: str) -> float:
    """Check a model as ``bridge.load`` does, and return the seconds."""
    from System import AppDomain, Array, Object
    from System.IO import File
    from System.Reflection import BindingFlags

    loaded = {item.GetName().Name: item for item in AppDomain.CurrentDomain.GetAssemblies()}
    flags = BindingFlags.NonPublic | BindingFlags.Static
    opening = loaded["Bridge.Interop"].GetType("Bridge.Interop.AssemblyCheck").GetMethod("Check", flags)
    requiring = loaded["Bridge.Interop"].GetType("Bridge.Interop.Surface.SurfaceReport").GetMethod("Require", flags)
    given = Array[Object]([File.ReadAllBytes(str(assembly)), str(assembly)])
    begin = time.perf_counter()
    opened = opening.Invoke(None, given)
    requiring.Invoke(None, Array[Object]([opened, name, str(assembly)]))
    return time.perf_counter() - begin


if __name__ == "__main__":
    assembly = Path(sys.argv[1])
    start()
    times = [check(assembly, sys.argv[2])]
    begin = time.perf_counter()
    classes = examine(assembly)
    times.append(time.perf_counter() - begin)
    lacking = [entry.name for entry in classes if entry.missing]
    if lacking:
        raise SystemExit(f"{lacking[0]} lacks {classes[0].missing}")
    print(*times, sum(entry.module for entry in classes))
