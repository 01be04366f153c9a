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

from bridge.clr.exports import Exports

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


def closed_at_exit(runtime: Any) -> None:
    """Closes clr_loader's host when Python ends. Else its destructor does, which may come after what it needs has gone, and says so."""
    atexit.register(runtime.shutdown)


def tell_of_the_end() -> None:
    """Lets pythonnet see that Python is ending, from Python 3.13 on; at once after it started, before its code is optimized.

    It looks for ``_Py_IsFinalizing``, which is ``Py_IsFinalizing`` there, and takes a Python that is ending for one that never began:
    freeing a method that the user kept (``f = model.Run``) then throws where nothing can catch it, and the process aborts.
    """
    if hasattr(ctypes.pythonapi, "_Py_IsFinalizing"):
        return
    import clr  # noqa: F401  # makes .NET's namespaces importable
    from System import Array, IntPtr, Object, Type
    from System.Reflection import BindingFlags
    from System.Reflection.Emit import DynamicMethod, OpCodes

    delegates = Type.GetType("Python.Runtime.Runtime+Delegates, Python.Runtime")
    field = delegates and delegates.GetField(
        "<_Py_IsFinalizing>k__BackingField", BindingFlags.NonPublic | BindingFlags.Static
    )
    if not field:  # another version of pythonnet may have none
        return
    # It is read-only, which reflection respects.
    write = DynamicMethod(
        "write", Type.GetType("System.Void"), Array[Type]([Type.GetType("System.IntPtr")]), delegates.Module, True
    )
    code = write.GetILGenerator()
    code.Emit(OpCodes.Ldsflda, field)
    code.Emit(OpCodes.Ldarg_0)
    code.Emit(OpCodes.Stind_I)
    code.Emit(OpCodes.Ret)
    address = ctypes.cast(ctypes.pythonapi.Py_IsFinalizing, ctypes.c_void_p).value
    write.Invoke(None, Array[Object]([IntPtr(address)]))
