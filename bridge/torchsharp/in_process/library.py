"""The loading of TorchSharp's libraries into this process, if they can run on the libtorch of Python's torch."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch

from bridge.clr.call.exports import refuse
from bridge.clr.call.in_process import load_functions
from bridge.clr.start.runtime import libtorch
from bridge.mirror.loading import dotnet_runtime
from bridge.torchsharp.in_process import hooks, objects, operators
from bridge.torchsharp.in_process.errors import InProcessError
from bridge.torchsharp.in_process.symbols import imported_symbols, needed_symbols
from bridge.torchsharp.process.library_search import LibraryFile, own_library
from hook_contract.output.sentences import plural

#: Maps a version of TorchSharp to the versions of torch with which it was tested.
TESTED: Final = {"0.107.0": ("2.10", "2.11", "2.12")}
#: The environment variable that, if it is 1, allows versions of TorchSharp and torch that were not tested together.
FORCE: Final = "BRIDGE_TORCHSHARP_UNTESTED"
_OTHER_WAYS: Final = (
    'pass runtime="torchsharp" to run the model in a separate process, or leave out runtime to run it on Bridge.Torch'
)
_FUNCTIONS: Final = (
    "start",
    "load",
    "references",
    "watch",
    "tensor",
    "bind",
    "train",
    "get",
    "set",
    "call",
    "state",
    "connect",
    "release",
    "rethrow",
    "new",
    "hold",
    "hold_module",
    "bypasses_call",
    "object_get",
    "object_set",
    "object_call",
    "object_items",
)
_lock = threading.Lock()
_loaded: tuple[LibraryFile, dict[str, Callable[..., Any]]] | None = None


def load_library(file: LibraryFile) -> dict[str, Callable[..., Any]]:
    """Load TorchSharp at the first call, and return the functions of ``dotnet/src/Bridge.InProcess`` by name.

    Raises InProcessError if TorchSharp's native library is missing, or if another TorchSharp is loaded. Also raises the exceptions of
    :func:`check` and :func:`bridge.mirror.loading.dotnet_runtime`.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            native = own_library(file.path)
            if native is None:
                raise InProcessError(
                    f"the native library of {file.path} is missing: install TorchSharp's package again"
                )
            check(file.title, native)
            _loaded = file, _load(file.path, native)
        loaded, functions = _loaded
    if loaded.path != file.path:
        raise InProcessError(
            f"this process runs models on {loaded.path}, and cannot run others on {file.path}: start another process"
        )
    return functions


def loaded_title() -> str:
    """Return the name and version of the TorchSharp that runs in this process; "" if none is loaded."""
    return "" if _loaded is None else _loaded[0].title


def check(title: str, native: Path) -> None:
    """Raise InProcessError if TorchSharp cannot run on Python's torch, or was not tested with it and the variable :data:`FORCE` is not 1.

    ``title`` is ``TorchSharp`` with its version. ``native`` is the file of TorchSharp's native library, which is read, not loaded.
    """
    version = title.split()[-1]
    tested = TESTED.get(version, ())
    ours = re.match(r"\d+\.\d+", torch.__version__)
    advice = f"use torch {_join(tested)}, or {_OTHER_WAYS}" if tested else _OTHER_WAYS
    try:
        missing = missing_symbols(native)
    except ValueError as error:
        ways = f"{_OTHER_WAYS[0].upper()}{_OTHER_WAYS[1:]}"
        raise InProcessError(f"{title} cannot run in this process: {error}. {ways}") from error
    if missing:
        raise InProcessError(
            f"{title} cannot run in this process: its native library needs {plural(len(missing), 'function')} that torch "
            f"{torch.__version__} lacks ({missing[0]}{', …' if len(missing) > 1 else ''}). {advice[0].upper()}{advice[1:]}"
        )
    if (ours is None or ours[0] not in tested) and os.environ.get(FORCE) != "1":
        raise InProcessError(
            f"{title} was not tested in one process with torch {torch.__version__}: {advice}. Set {FORCE}=1 to try it: "
            "this process may crash"
        )


def missing_symbols(native: Path) -> list[str]:
    """Return the symbols that TorchSharp's native library needs, and that neither the loaded libtorch nor its dependencies have."""
    folder = _torch_folder()
    if sys.platform == "win32":
        # A library imports each symbol from a library that it names. Those in PyTorch's folder are loaded already.
        files = ((folder / file, names) for file, names in imported_symbols(native).items())
        found = ((ctypes.CDLL(str(file)), names) for file, names in files if file.is_file())
        return sorted(name for library, names in found for name in names if not hasattr(library, name))
    # CDLL returns the libtorch that is loaded already. A search in libtorch also finds the symbols of its dependencies.
    library = ctypes.CDLL(str(libtorch(folder)))
    return sorted(name for name in needed_symbols(native) if not hasattr(library, name))


def _load(path: Path, native: Path) -> dict[str, Callable[..., Any]]:
    dotnet_runtime()
    if sys.platform == "win32":
        ctypes.CDLL(str(native))
    else:
        ctypes.CDLL(str(native), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    functions = load_functions(path, native, _torch_folder(), _FUNCTIONS)
    fail = functools.partial(operators.fail, functions["rethrow"])
    wrap = functools.partial(objects.wrap, functions)
    functions["start"](hooks.enter, hooks.leave, hooks.recover, hooks.refresh, operators.run, fail, wrap)
    if hasattr(os, "register_at_fork"):
        # .NET cannot run in a forked child, which lacks .NET's other threads.
        disabled = {**dict.fromkeys(_FUNCTIONS, refuse), "release": lambda _: None}
        os.register_at_fork(after_in_child=lambda: functions.update(disabled))
    return functions


def _torch_folder() -> Path:
    return Path(torch.__file__).parent / "lib"


def _join(versions: tuple[str, ...]) -> str:
    return versions[0] if len(versions) == 1 else f"{', '.join(versions[:-1])} or {versions[-1]}"
