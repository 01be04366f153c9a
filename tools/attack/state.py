"""The state that a case must restore, the objects that .NET holds, and the memory of the process."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules import module as module_globals

from bridge.clr import started


def modes() -> dict[str, Any]:
    """Return PyTorch's and Python's modes, which a case must restore."""
    return {
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "anomaly": torch.is_anomaly_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "dispatch modes": torch._C._len_torch_dispatch_stack(),
        "function modes": torch._C._len_torch_function_stack(),
        "functorch": torch._C._functorch.peek_interpreter_stack() is not None,
        "default type": torch.get_default_dtype(),
        "global hooks": sum(len(hooks) for name, hooks in vars(module_globals).items() if "_hooks" in name),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "pending error": bool(ctypes.pythonapi.PyErr_Occurred()),
        "collector": gc.isenabled(),
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "threads": sorted(thread.name for thread in threading.enumerate() if not thread.daemon),
    }


def changed(before: dict[str, Any]) -> str | None:
    """Describe the modes that were not restored."""
    found = [f"{name} {before[name]} -> {now}" for name, now in modes().items() if now != before[name]]
    return "it left behind: " + ", ".join(found) if found else None


def collect() -> None:
    """Run both garbage collectors, and free tensors queued by .NET's finalizers."""
    gc.collect()
    if started() is not None:
        from System import GC

        GC.Collect()
        GC.WaitForPendingFinalizers()
        gc.collect()


def live() -> tuple[int, ...]:
    """Count the tensor handles, mirrors, C# hooks and applied autograd functions that .NET holds.

    Empty before .NET has started.
    """
    host = started()
    return tuple(host.exports.live_counts().values()) if host is not None else ()


def resident() -> float:
    """Return the resident memory in MiB, after trimming the heap."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
