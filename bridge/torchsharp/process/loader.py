"""The loader of models that run in a separate process. Models on the same TorchSharp.dll share a process."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any, Final

from bridge.clr.errors import DotNetFailure
from bridge.mirror.crossing.constructor_arguments import EncodedArguments
from bridge.mirror.crossing.objects import DotNetObject
from bridge.torchsharp.process.errors import HostStartError
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.library_search import (
    LibraryFile,
    choose_library,
    loader_path,
    native_libraries,
    python_libtorch,
    references,
    search,
)
from bridge.torchsharp.process.remote_model import Recipe, RemoteModel
from bridge.torchsharp.process.remote_module import RemoteModule, build
from bridge.torchsharp.process.requests import TorchSharpProcess

#: The dynamic linker's message that a library needs a newer libstdc++.
_OLD_SYSTEM: Final = re.compile(r"(\S+): version `(GLIBCXX_[\d.]+)' not found \(required by ([^)]+)\)")
_lock = threading.Lock()
#: The connection with each process that runs models, by the path of TorchSharp.dll; "" stands for Bridge.Torch.
_exchanges: dict[str, Exchange] = {}
#: The process that describes assemblies; see :func:`_describing_process`.
_describing: TorchSharpProcess | None = None


def open_model(
    assembly: Path, type_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], folder: Path | None = None
) -> RemoteModule:
    """Load a model in a separate process, on the TorchSharp in ``folder``.

    If ``folder`` is None, an assembly that references Bridge.Torch, not TorchSharp, runs on Bridge.Torch and this Python's libtorch.
    Any other assembly runs on the TorchSharp that ``library_search`` finds.

    ``type_name`` is a class, whose constructor takes ``args`` and ``kwargs``, or a static method that takes them and returns the model.

    Raises TorchSharpNotFound if no TorchSharp was found, TypeError or ValueError for an argument that cannot be sent, and the exceptions of
    :meth:`TorchSharpProcess.ask`.
    """
    exchange = _choose_exchange(assembly, folder)
    arguments = EncodedArguments(args, kwargs, exchange.objects.hold)
    recipe = Recipe(str(assembly), type_name, json.loads(arguments.text), tuple(arguments.objects))
    return build(RemoteModel(exchange, recipe))


def new_object(
    assembly: Path, type_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], folder: Path | None = None
) -> DotNetObject:
    """Create an object of a C# class, in the process where :func:`open_model` runs models of the assembly. Raises the same exceptions."""
    exchange = _choose_exchange(assembly, folder)
    arguments = EncodedArguments(args, kwargs, exchange.objects.hold)
    members = {"path": str(assembly), "type": type_name, "arguments": json.loads(arguments.text)}
    return exchange.objects.create(members, type_name)


def _choose_exchange(assembly: Path, folder: Path | None) -> Exchange:
    needed = references(_describing_process(), assembly)
    if folder is None and "TorchSharp" not in needed and "Bridge.Torch" in needed:
        return _exchange("")
    return _exchange(str(_find_library(needed, assembly, folder).path))


def find_library(assembly: Path, folder: Path | None) -> LibraryFile:
    """Return the TorchSharp.dll in ``folder``; if ``folder`` is None, the file that ``library_search`` finds for the assembly.

    Raises TorchSharpNotFound, and the exceptions of :meth:`TorchSharpProcess.ask`.
    """
    return _find_library(references(_describing_process(), assembly), assembly, folder)


def _find_library(needed: dict[str, str], assembly: Path, folder: Path | None) -> LibraryFile:
    found = search(_describing_process(), assembly, folder, version=needed.get("TorchSharp", ""))
    return choose_library(found, assembly)


def _describing_process() -> TorchSharpProcess:
    """Return the process that describes assemblies, and runs no models."""
    global _describing
    with _lock:
        if _describing is None:
            _describing = TorchSharpProcess()
        return _describing


def _exchange(path: str) -> Exchange:
    with _lock:
        if path not in _exchanges:
            _exchanges[path] = Exchange(
                make_process(Path(path)) if path else TorchSharpProcess(prepare=prepare_bridge_torch)
            )
        return _exchanges[path]


def make_process(path: Path) -> TorchSharpProcess:
    """Return a process, not yet started, that runs models on the TorchSharp.dll at ``path``."""
    return TorchSharpProcess(prepare=prepare_torchsharp(path), environ=loader_path(path))


def prepare_torchsharp(path: Path) -> Any:
    """Return the function ``prepare`` for a process that runs models on the TorchSharp.dll at ``path``.

    The function raises HostStartError if TorchSharp cannot be loaded.
    """

    def prepare(host: TorchSharpProcess) -> None:
        try:
            host.title = host.ask("use_torchsharp", path=str(path), libraries=native_libraries(path))["title"]
        except DotNetFailure as error:
            raise HostStartError(f"TorchSharp at {path} does not start: {_explain_failure(str(error))}") from error

    return prepare


def _explain_failure(message: str) -> str:
    """Return the message of an error at TorchSharp's start; if libstdc++ is too old, return advice instead."""
    if (found := _OLD_SYSTEM.search(message)) is None:
        return message
    installed, version, library = found.groups()
    gcc = " of GCC 13" if version == "GLIBCXX_3.4.32" else ""
    return (
        f"{Path(library).name} needs libstdc++{gcc} ({version}), and {installed} is older, as on Debian 12 and Ubuntu 22.04: "
        "use Debian 13, Ubuntu 24.04 or newer, or set LD_LIBRARY_PATH to a folder with a newer libstdc++.so.6, such as that of "
        "conda-forge's libstdcxx"
    )


def prepare_bridge_torch(host: TorchSharpProcess) -> None:
    """Prepare a new process to run models on Bridge.Torch and this Python's libtorch.

    Raises HostStartError if there is no libtorch, and the exceptions of :meth:`TorchSharpProcess.ask`.
    """
    from bridge.clr.start import schemas

    library = python_libtorch()
    if library is None:
        raise HostStartError("there is no libtorch_cpu in the folder of this Python's torch: install torch again")
    text = schemas.text(host.ask("operators")["operators"])
    host.title = host.ask("use_bridge_torch", libtorch=str(library), schemas=text)["title"]
