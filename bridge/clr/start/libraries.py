"""torch's C++ libraries and those of their functions that have mangled names. Both are named differently on each system."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

#: The file name of a library, by ``sys.platform``; that of other systems is Linux's.
_FILES: Final = {"win32": "{}.dll", "darwin": "lib{}.dylib"}
_LINUX_FILE: Final = "lib{}.so"

Found = TypeVar("Found")
Number = TypeVar("Number", bound="ctypes._SimpleCData[Any]")


class _Symbol(NamedTuple):
    """A C++ function or variable: its library, and its names by the Itanium ABI (Linux, macOS) and by Microsoft's compiler (Windows)."""

    library: str
    itanium: str
    microsoft: str

    @property
    def name(self) -> str:
        return self.microsoft if sys.platform == "win32" else self.itanium


#: The symbols by our own keys: those of ``boundary.json``, and ``log_level``.
_SYMBOLS: Final = {
    "wrap": _Symbol(
        "torch_python", "_Z16THPVariable_WrapRKN2at10TensorBaseE", "?THPVariable_Wrap@@YAPEAU_object@@AEBVTensorBase@at@@@Z"
    ),
    "any_modes": _Symbol(
        "c10", "_ZN3c104impl20TorchDispatchModeTLS13any_modes_setEb", "?any_modes_set@TorchDispatchModeTLS@impl@c10@@SA_N_N@Z"
    ),
    "function_mode": _Symbol(
        "torch_cpu", "_ZN2at4impl27torch_function_mode_enabledEv", "?torch_function_mode_enabled@impl@at@@YA_NXZ"
    ),
    "trace_state": _Symbol(
        "torch_cpu",
        "_ZN5torch3jit6tracer15getTracingStateEv",
        "?getTracingState@tracer@jit@torch@@YAAEBV?$shared_ptr@UTracingState@tracer@jit@torch@@@std@@XZ",
    ),
    "log_level": _Symbol("c10", "FLAGS_caffe2_log_level", "?FLAGS_caffe2_log_level@@3HA"),
}  # fmt: skip


def file_name(name: str, platform: str = sys.platform) -> str:
    """Return the file name of a library of torch, such as ``torch_cpu``, on the system whose ``sys.platform`` is given."""
    return _FILES.get(platform, _LINUX_FILE).format(name)


def path(name: str, folder: Path | None = None) -> Path | None:
    """Return the path of a library of torch: in ``folder``, by default torch's, or where it was loaded from. None if there is none."""
    if folder is None:
        import torch

        folder = Path(torch.__file__).parent / "lib"
    file = folder / file_name(name)
    return file if file.exists() else _loaded(file.name)


def function(key: str, load: Callable[[str], ctypes.CDLL] = ctypes.CDLL) -> Any:
    """Return a C++ function by its key in :data:`_SYMBOLS`; None if the library is not found or does not export the function.

    ``load`` is PyDLL for a function that needs the GIL.
    """
    return _find(key, lambda file, name: load(file)[name])


def variable(key: str, kind: type[Number]) -> Number | None:
    """Return a C++ variable by its key in :data:`_SYMBOLS`; None if the library is not found or does not export the variable."""
    return _find(key, lambda file, name: kind.in_dll(ctypes.CDLL(file), name))


def _find(key: str, find: Callable[[str, str], Found]) -> Found | None:
    symbol = _SYMBOLS[key]
    file = path(symbol.library)
    try:
        return None if file is None else find(str(file), symbol.name)
    except (OSError, AttributeError, ValueError):
        return None


def _loaded(file: str) -> Path | None:
    """Return the path of the library that this process has loaded from a file of this name; None if there is none."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetModuleHandleW.argtypes, kernel.GetModuleHandleW.restype = (ctypes.c_wchar_p,), ctypes.c_void_p
        kernel.GetModuleFileNameW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_uint32)
        handle, name = kernel.GetModuleHandleW(file), ctypes.create_unicode_buffer(1 << 15)  # the longest path
        return Path(name.value) if handle and kernel.GetModuleFileNameW(handle, name, len(name)) else None
    if sys.platform == "darwin":
        system = ctypes.CDLL(None)
        system._dyld_get_image_name.restype = ctypes.c_char_p
        names = map(system._dyld_get_image_name, range(system._dyld_image_count()))
        paths = [os.fsdecode(name) for name in names if name]  # None if another thread has unloaded a library meanwhile
    else:
        try:
            lines = os.fsdecode(Path("/proc/self/maps").read_bytes()).splitlines()
        except OSError:
            return None
        paths = [fields[5] for line in lines if len(fields := line.split(maxsplit=5)) > 5]
    prefix = file.partition(".")[0] + "."  # the rest may have a version: libtorch_cpu.so.2
    return next((Path(path) for path in paths if Path(path).name.startswith(prefix)), None)
