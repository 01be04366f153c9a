"""Shutdown and interrupts with .NET in the process.

- pythonnet's own ``unload`` waits for finalizers *holding the GIL* and runs up to 80 collections; it is removed, also where C# ends the
  process. Our finalizers only enqueue handles, so none ever needs the GIL and there is nothing to wait for.
- .NET's own handlers of SIGTERM and SIGINT delay the exit by seconds or swallow the signal: the previous handlers are restored.
- pythonnet's objects that outlive its names ask whether Python is ending, under a name that Python 3.13 changed: the new one is given.
"""

from __future__ import annotations

import atexit
import ctypes
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bridge.clr.call.exports import Exports

# Seconds that a thread gets to finish the operator that it is in.
_PATIENCE = 1.0
# Larger than struct sigaction anywhere; the contents are only put back where they came from.
_ROOM = 512


@contextmanager
def signals_kept() -> Iterator[None]:
    """Whatever the block does to the handlers of SIGINT and SIGTERM is undone; works on any thread."""
    if sys.platform == "win32":
        yield
        return
    libc = ctypes.CDLL(None)
    kept = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        kept[number] = ctypes.create_string_buffer(_ROOM)
        libc.sigaction(int(number), None, kept[number])
    try:
        yield
    finally:
        for number, action in kept.items():
            libc.sigaction(int(number), action, None)


def default_sigterm() -> None:
    """Restores the default action of SIGTERM if Python uses it; for a .NET that other code started.

    .NET 8's handler takes seconds, and runs the C++ exit handlers under threads that still compute.
    """
    if sys.platform != "win32" and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        libc = ctypes.CDLL(None)
        libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        libc.signal.restype = ctypes.c_void_p
        libc.signal(int(signal.SIGTERM), None)


def stop_threads(exports: Exports) -> None:
    """At exit, puts threads that compute in .NET to sleep before Python and libtorch are destroyed under them."""

    def stop() -> None:
        deadline = time.monotonic() + _PATIENCE
        # One that waits for the GIL gets it meanwhile, and goes to sleep at its next step.
        while exports.begin_shutdown() > 0 and time.monotonic() < deadline:
            time.sleep(0.002)

    atexit.register(stop)


def not_at_exit() -> None:
    """The handler that pythonnet registered to run when Python ends does not run, if there is one; imports nothing."""
    unload = getattr(sys.modules.get("pythonnet"), "unload", None)
    if unload is not None:
        atexit.unregister(unload)


def settle_pythonnet(exports: Exports) -> None:
    """Removes pythonnet's handler of an end that C# brings about (``Environment.Exit``), and from Python 3.13 on tells it where to look
    whether Python is ending; soon after it started, before its code is optimized.
    """
    missing = not hasattr(ctypes.pythonapi, "_Py_IsFinalizing")  # what pythonnet looks for
    address = ctypes.cast(ctypes.pythonapi.Py_IsFinalizing, ctypes.c_void_p).value if missing else None
    exports.settle_pythonnet(address or 0)


def closed_at_exit(runtime: Any) -> None:
    """Closes clr_loader's host when Python ends. Else its destructor does, which may come after what it needs has gone, and says so."""
    atexit.register(runtime.shutdown)
