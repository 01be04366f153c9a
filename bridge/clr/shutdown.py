"""Shutdown, interrupts and forks with .NET in the process.

- pythonnet's own ``unload`` waits for finalizers *holding the GIL* and runs up to 80 collections; it is removed, also where C# ends the
  process. Our finalizers only enqueue handles, so none ever needs the GIL and there is nothing to wait for.
- .NET's own handlers of SIGTERM and SIGINT delay the exit by seconds or swallow the signal: the previous handlers are restored.
- A forked child has one thread of .NET's dozen: any call would crash, so all of them are made to raise.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bridge.clr.exports import Exports

# Seconds that a thread gets to finish the operator that it is in.
_PATIENCE = 1.0
# Larger than struct sigaction anywhere; the contents are only put back where they came from.
_ROOM = 512
# Whether a fork has looked for shared code.
_checked = False


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


def without_unload() -> None:
    """Removes pythonnet's exit handlers: Python's, and .NET's for when C# ends the process (``Environment.Exit``)."""
    not_at_exit()
    import clr  # noqa: F401  # makes .NET's namespaces importable
    from System import AppDomain, Delegate, EventHandler, Type
    from System.Reflection import BindingFlags

    engine = Type.GetType("Python.Runtime.PythonEngine, Python.Runtime")
    handler = engine.GetMethod("OnProcessExit", BindingFlags.NonPublic | BindingFlags.Static)
    if handler is not None:  # another version of pythonnet may have none
        # By reflection: pythonnet's own `-=` knows only handlers that Python added.
        domain = AppDomain.CurrentDomain
        domain.GetType().GetEvent("ProcessExit").RemoveEventHandler(
            domain, Delegate.CreateDelegate(EventHandler, handler)
        )


def guard_forks(exports: Exports) -> None:
    """In a forked child every export raises StartError (a RuntimeError), and finalizers do nothing.

    The first fork warns (RuntimeWarning) if .NET runs with W^X: then a child may crash when it ends.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_warn_of_shared_code, after_in_child=exports.disable)


def _warn_of_shared_code() -> None:
    global _checked
    if _checked:
        return
    _checked = True
    try:
        maps = Path("/proc/self/maps").read_text(errors="replace")
    except OSError:
        return  # not Linux
    # The file behind .NET's memory for code, which a child shares with its parent.
    if "doublemapper" in maps:
        warnings.warn(
            "forked children of this process may crash when they end: .NET was started with W^X, and they share its compiled code. "
            "Set DOTNET_EnableWriteXorExecute=0 before .NET starts, let bridge start it, or use the 'spawn' start method.",
            RuntimeWarning,
            stacklevel=2,
        )
