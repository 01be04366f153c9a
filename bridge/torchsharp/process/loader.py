"""From an assembly to a model in the process of TorchSharp. Models on one library share a process."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any, Final

from bridge.clr.errors import DotNetFailure
from bridge.torchsharp.process.errors import HostStartError
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.library_search import (
    chosen,
    loader_path,
    native_libraries,
    python_libtorch,
    references,
    search,
)
from bridge.torchsharp.process.remote_model import Recipe, RemoteModel
from bridge.torchsharp.process.remote_module import RemoteModule, build
from bridge.torchsharp.process.requests import TorchSharpProcess

#: How the loader says that the system's libstdc++ is older than the one that a library was compiled with.
_OLD_SYSTEM: Final = re.compile(r"(\S+): version `(GLIBCXX_[\d.]+)' not found \(required by ([^)]+)\)")
_lock = threading.Lock()
#: By the TorchSharp that they run models on; the empty path is Bridge.Torch.
_exchanges: dict[str, Exchange] = {}
_asking: TorchSharpProcess | None = None


def open_model(assembly: Path, type_name: str, arguments: list[Any], folder: Path | None = None) -> RemoteModule:
    """A model of an assembly, in a process with the TorchSharp that it runs on: ``folder``'s, or the one that is found.

    One that refers to Bridge.Torch by itself runs on that, on this Python's libtorch, if no folder is asked for.
    ``arguments`` are those of the constructor by position and by name. Raises HostError (TorchSharpNotFound where there is none), and
    DotNetError for what C# throws.
    """
    needed = references(_describing(), assembly)
    if folder is None and "TorchSharp" not in needed and "Bridge.Torch" in needed:
        exchange = _exchange("")
    else:
        file = chosen(search(_describing(), assembly, folder, version=needed.get("TorchSharp", "")))
        exchange = _exchange(str(file.path))
    return build(RemoteModel(exchange, Recipe(str(assembly), type_name, arguments)))


def _describing() -> TorchSharpProcess:
    """A process that runs no models: it says what files are."""
    global _asking
    with _lock:
        if _asking is None:
            _asking = TorchSharpProcess()
        return _asking


def _exchange(path: str) -> Exchange:
    with _lock:
        if path not in _exchanges:
            _exchanges[path] = Exchange(
                make_process(Path(path)) if path else TorchSharpProcess(prepare=prepare_bridge_torch)
            )
        return _exchanges[path]


def make_process(path: Path) -> TorchSharpProcess:
    """Return a host that runs models on the TorchSharp of a file."""
    return TorchSharpProcess(prepare=prepare_torchsharp(path), environ=loader_path(path))


def prepare_torchsharp(path: Path) -> Any:
    """Return the ``prepare`` of a host that runs models on the TorchSharp of a file; it raises HostStartError where that does not load."""

    def prepare(host: TorchSharpProcess) -> None:
        try:
            host.title = host.ask("use_torchsharp", path=str(path), libraries=native_libraries(path))["title"]
        except DotNetFailure as error:
            raise HostStartError(f"TorchSharp does not start, {path}: {_why(str(error))}") from error

    return prepare


def _why(said: str) -> str:
    """Return why a library does not load, with what to do where it is known."""
    if (found := _OLD_SYSTEM.search(said)) is None:
        return said
    there, version, library = found.groups()
    gcc = " of GCC 13" if version == "GLIBCXX_3.4.32" else ""
    return (
        f"{Path(library).name} needs libstdc++{gcc} ({version}), and {there} is older, as it is on Debian 12 and Ubuntu 22.04: "
        "use Debian 13, Ubuntu 24.04 or newer, or set LD_LIBRARY_PATH to a folder with a newer libstdc++.so.6, such as that of "
        "conda-forge's libstdcxx"
    )


def prepare_bridge_torch(host: TorchSharpProcess) -> None:
    """Makes a host run models on Bridge.Torch and the libtorch of this Python: its ``prepare``."""
    from bridge.clr.start import schemas

    library = python_libtorch()
    if library is None:
        raise HostStartError("there is no libtorch_cpu in the folder of this Python's torch")
    text = schemas.text(host.ask("operators")["operators"])
    host.title = host.ask("use_bridge_torch", libtorch=str(library), schemas=text)["title"]
