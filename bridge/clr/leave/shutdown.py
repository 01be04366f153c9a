"""Shutdown and signals of a process in which .NET runs.

- pythonnet's exit handler waits for finalizers *while it holds the GIL*, and runs many collections. The handler is removed. Our
  finalizers only enqueue handles, so the exit does not need to wait for them.
- .NET's handlers of SIGTERM and SIGINT delay the exit by seconds or swallow the signal. The previous handlers are restored.
- pythonnet calls CPython's ``_Py_IsFinalizing``, which Python 3.13 renamed. pythonnet gets the address of ``Py_IsFinalizing`` instead.
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

# The maximum number of seconds that the exit waits for threads to finish their current operators.
_TIMEOUT = 1.0
# At least the size of struct sigaction on every system.
_SIGACTION_SIZE = 512


@contextmanager
def preserve_signal_handlers() -> Iterator[None]:
    """Restore the handlers of SIGINT and SIGTERM after the block. Works on any thread, and does nothing on Windows."""
    if sys.platform == "win32":
        yield
        return
    libc = ctypes.CDLL(None)
    actions = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        actions[number] = ctypes.create_string_buffer(_SIGACTION_SIZE)
        libc.sigaction(int(number), None, actions[number])
    try:
        yield
    finally:
        for number, action in actions.items():
            libc.sigaction(int(number), action, None)


def restore_sigterm() -> None:
    """Restore the default action of SIGTERM, unless Python handles or ignores SIGTERM. Needed if other code has started .NET.

    The handler of .NET 8 delays the exit by seconds, and runs C++ exit handlers while threads still compute.
    """
    if sys.platform != "win32" and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        libc = ctypes.CDLL(None)
        libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        libc.signal.restype = ctypes.c_void_p
        libc.signal(int(signal.SIGTERM), None)


def stop_threads_at_exit(exports: Exports) -> None:
    """Register an exit handler that stops the threads that compute in .NET, before Python and libtorch are destroyed."""

    def stop() -> None:
        deadline = time.monotonic() + _TIMEOUT
        # A thread that waits for the GIL gets the GIL during the sleep, and stops at its next operator.
        while exports.begin_shutdown() > 0 and time.monotonic() < deadline:
            time.sleep(0.002)

    atexit.register(stop)


def unregister_unload() -> None:
    """Unregister pythonnet's exit handler, if pythonnet was imported."""
    unload = getattr(sys.modules.get("pythonnet"), "unload", None)
    if unload is not None:
        atexit.unregister(unload)


def remove_pythonnet_handler(exports: Exports) -> None:
    """Remove pythonnet's handler for an exit that C# causes (``Environment.Exit``).

    From Python 3.13 on, where ``_Py_IsFinalizing`` does not exist, also give pythonnet the address of ``Py_IsFinalizing``. Must be called
    soon after .NET has started: code that .NET has optimized would keep the old address.
    """
    missing = not hasattr(ctypes.pythonapi, "_Py_IsFinalizing")
    address = ctypes.cast(ctypes.pythonapi.Py_IsFinalizing, ctypes.c_void_p).value if missing else None
    exports.disable_pythonnet_exit(address or 0)


def close_at_exit(runtime: Any) -> None:
    """Close clr_loader's host when Python exits. The host's destructor would run later, and might print an error."""
    atexit.register(runtime.shutdown)
