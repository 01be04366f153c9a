"""The start of .NET's runtime by hostfxr, its C library for hosts, and the addresses of C# functions.

pythonnet would do the same by clr_loader, in 0.15 s more: most of that is pythonnet's own start (``pythonnet_import``).
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, Final

# The numbers of hostfxr's delegates (hostfxr.h), and the delegate type of a method with UnmanagedCallersOnly (coreclr_delegates.h).
_GET_FUNCTION_POINTER: Final = 6
_LOAD_ASSEMBLY: Final = 7
_UNMANAGED_CALLERS_ONLY: Final = ctypes.c_void_p(-1)

_WINDOWS: Final = sys.platform == "win32"
# hostfxr's char_t
_Text: Final[Any] = ctypes.c_wchar_p if _WINDOWS else ctypes.c_char_p
_Pointer: Final = ctypes.c_void_p


class _Parameters(ctypes.Structure):
    """hostfxr's ``hostfxr_initialize_parameters``."""

    _fields_ = (("size", ctypes.c_size_t), ("host_path", _Text), ("dotnet_root", _Text))


class HostError(Exception):
    """A function of hostfxr or of .NET failed. The message has the code that the function returned, and the text that it wrote."""


class Host:
    """hostfxr with a configuration, and .NET's runtime in this process.

    hostfxr is never closed: .NET cannot be unloaded, and other code of this process may use the same hostfxr.
    """

    def __init__(self, library: Path, root: Path, configuration: Path) -> None:
        """Load hostfxr and read the configuration; .NET is not started yet.

        Args:
            library: The path of hostfxr.
            root: The folder of the .NET installation.
            configuration: The path of a ``runtimeconfig.json``.

        Raises HostError if hostfxr cannot be loaded, or finds no suitable runtime.
        """
        try:
            self._library = ctypes.CDLL(str(library))
        except OSError as error:
            raise HostError(f"{library}: {error}") from error  # Windows' message does not name the library
        self._handle = _Pointer()
        self._load: Any = None
        self._get: Any = None
        parameters = _Parameters(ctypes.sizeof(_Parameters), None, _text(root))
        initialize = self._library.hostfxr_initialize_for_runtime_config
        initialize.argtypes = (_Text, ctypes.POINTER(_Parameters), ctypes.POINTER(_Pointer))
        self._check(initialize, _text(configuration), ctypes.byref(parameters), ctypes.byref(self._handle))

    def start(self) -> None:
        """Start .NET's runtime, unless this process has started it. Raises HostError; the runtime cannot be started again then."""
        load = ctypes.CFUNCTYPE(ctypes.c_int, _Text, _Pointer, _Pointer)
        get = ctypes.CFUNCTYPE(ctypes.c_int, _Text, _Text, _Pointer, _Pointer, _Pointer, ctypes.POINTER(_Pointer))
        self._load, self._get = load(self._delegate(_LOAD_ASSEMBLY)), get(self._delegate(_GET_FUNCTION_POINTER))

    def load(self, assembly: Path) -> None:
        """Load an assembly into .NET's default context, in which pythonnet finds it too. Raises HostError."""
        self._check(self._load, _text(assembly), None, None)

    def function(self, type: str, method: str) -> int:
        """Return the address of a static method with UnmanagedCallersOnly. Raises HostError.

        ``type`` is the type's name with the name of its assembly, which must be loaded: ``Bridge.Interop.Exports, Bridge.Interop``.
        """
        address = _Pointer()
        self._check(self._get, _text(type), _text(method), _UNMANAGED_CALLERS_ONLY, None, None, ctypes.byref(address))
        return address.value or 0

    def _delegate(self, number: int) -> int:
        get = self._library.hostfxr_get_runtime_delegate
        get.argtypes = (_Pointer, ctypes.c_int, ctypes.POINTER(_Pointer))
        address = _Pointer()
        self._check(get, self._handle, number, ctypes.byref(address))
        return address.value or 0

    def _check(self, function: Any, *arguments: object) -> None:
        """Call a function that returns a status: negative for an error."""
        written: list[str] = []
        writer = ctypes.CFUNCTYPE(None, _Text)(lambda text: written.append(text if _WINDOWS else os.fsdecode(text)))
        set_writer = self._library.hostfxr_set_error_writer
        set_writer.argtypes, set_writer.restype = (_Pointer,), _Pointer
        before = set_writer(writer)
        try:
            status = function(*arguments)
        finally:
            set_writer(before)
        if status < 0:
            raise HostError(" ".join([f"0x{status & 0xFFFFFFFF:08X}", *(line.strip() for line in written)]))


def _text(value: Path | str) -> str | bytes:
    return str(value) if _WINDOWS else os.fsencode(value)
