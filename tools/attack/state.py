"""What a case must leave as it found it: modes, hooks, threads, timers, a pending error; and what .NET holds and the process weighs."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
from typing import Any, Final

import torch
from torch.nn.modules import module as module_globals

from bridge.clr import started


def modes() -> dict[str, Any]:
    """Return PyTorch's modes, which a case must restore."""
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
        "global hooks": sum(
            len(value)
            for name, value in vars(module_globals).items()
            if name.startswith("_global_") and isinstance(value, dict)
        ),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "pending error": bool(ctypes.pythonapi.PyErr_Occurred()),
        "collector": gc.isenabled(),
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "threads": sorted(thread.name for thread in threading.enumerate() if not thread.daemon),
    }


def changed(before: dict[str, Any]) -> str | None:
    """Describe the state that was not restored."""
    now = modes()
    found = [f"{name} {before[name]} -> {value}" for name, value in now.items() if value != before[name]]
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


_TRIM: Final[Any] = getattr(ctypes.CDLL(None), "malloc_trim", None)


def resident() -> float:
    """Return the resident memory in MiB, after trimming the heap."""
    if _TRIM is not None:
        _TRIM(0)
    with open("/proc/self/statm") as file:  # noqa: PTH123  # no path objects where memory is counted
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
