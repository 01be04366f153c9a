"""``bridge.load``: from a file and a type name to a mirror."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from bridge.clr import DotNetRuntime, start
from bridge.clr.build.projects import build_project
from bridge.mirror import dirty_tracking
from bridge.mirror.copying.pickling import Recipe, check, digest, part, remember
from bridge.mirror.crossing.constructor_arguments import written
from bridge.mirror.hooks import callbacks
from bridge.mirror.tree.mirrors import build

_lock = threading.Lock()
_lines = threading.local()
_ready: DotNetRuntime | None = None


def load(
    path: str | Path,
    type_name: str,
    /,
    *args: Any,
    forward_fires: bool = False,
    runtime: str = "dotnet",
    **kwargs: Any,
) -> torch.nn.Module:
    """A C# model as a torch.nn.Module.

    ``path`` is an assembly (``Models.dll``), or a project or one C# file (``Models.csproj``, ``Net.cs``), which is built first, outside of
    its folder, unless nothing has changed since it was built, and needs the .NET SDK; ``type_name`` the full name of a class that derives
    from ``torch.nn.Module`` (``Namespace.Type``), or of a static method that gives one (``Namespace.Type.Method``), public or internal;
    nested types are named as in C#. ``args`` and ``kwargs`` are the arguments of the constructor or the method, by position
    and by the names of its parameters: numbers, NumPy's too, strings, booleans, None and lists of them. A C# parameter that is named as
    an option below is given by position. Starts .NET if it does not run yet.

    An assembly that was compiled against TorchSharp runs as it is. With ``forward_fires``, ``child.forward(x)`` in it, and in the
    assemblies beside it that it refers to, is ``child.call(x)``: hooks fire and traces see the child, which TorchSharp bypasses (C-3).
    So does ``this.forward(x)``. Not reached are overloads of ``forward`` that the model adds, reflection and ``dynamic``.

    With ``runtime="torchsharp"`` the model runs in a process of its own, on the TorchSharp that is found by ``BRIDGE_TORCHSHARP``, in the
    model's folder or in NuGet's cache, or with ``"torchsharp:FOLDER"`` on that of a folder. ``forward``, weights in both directions and
    calls of its modules cross; gradients and hooks inside of a call do not, which is then said by an error (docs/torchsharp-process.md).

    Raises FileNotFoundError, DotNetNotFound or StartError when the file or .NET is missing, BuildError when the project does not
    compile, and DotNetError when the type or the arguments do not fit or the constructor throws.
    ValueError: the file is neither an assembly nor a project, or a module contains itself. TypeError: an argument is of no such kind.
    HostError: the process of TorchSharp did not start, or ended.
    """
    if runtime != "dotnet":
        return _apart(path, type_name, args, kwargs, runtime, forward_fires)
    host, assembly, given = prepared(path, args, kwargs)
    recipe = Recipe(assembly, digest(assembly), type_name, given, forward_fires)
    return _made(host, recipe)


@contextmanager
def exact_lines() -> Iterator[None]:
    """The lines of C# that this thread loads meanwhile are known exactly while it runs: it is less optimized for that."""
    _lines.kept = True
    try:
        yield
    finally:
        _lines.kept = False


def remade(recipe: Recipe, place: int) -> torch.nn.Module:
    """A model, or the module of that place in one, as :func:`load` made it in the process that pickled it; draws no random numbers."""
    check(recipe)
    host = runtime()
    state = torch.get_rng_state()
    try:
        model = _made(host, recipe)
    finally:
        torch.set_rng_state(state)
    return part(model, place)


def _made(host: DotNetRuntime, recipe: Recipe) -> torch.nn.Module:
    lines = getattr(_lines, "kept", False)
    if lines:
        host.exports.keep_lines(1)
    try:
        model = build(host, recipe.assembly, recipe.type_name, recipe.arguments, recipe.forward_fires)
    finally:
        if lines:
            host.exports.keep_lines(0)
    remember(model, recipe, remade)
    return model


def _checked(path: str | Path) -> Path:
    """The file of a model. Raises FileNotFoundError and ValueError."""
    file = Path(path)
    if file.is_dir():
        raise FileNotFoundError(
            f"{file} is a folder: give the assembly (.dll), project (.csproj) or C# file (.cs) in it"
        )
    if not file.is_file():
        raise FileNotFoundError(f"no file {file}" + ("" if file.is_absolute() else f" in {Path.cwd()}"))
    if file.suffix not in (".dll", ".csproj", ".cs"):
        raise ValueError(f"{file.name} is neither an assembly (.dll) nor a C# project (.csproj) nor a C# file (.cs)")
    return file


def _apart(
    path: str | Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    runtime: str,
    forward_fires: bool,
) -> torch.nn.Module:
    """A model in the process of TorchSharp."""
    name, _, folder = runtime.partition(":")
    if name != "torchsharp":
        raise ValueError(f"runtime is 'dotnet', 'torchsharp' or 'torchsharp:FOLDER', not {runtime!r}")
    if forward_fires:
        raise ValueError("forward_fires is for models in this process: TorchSharp runs an assembly as it is")
    from bridge.clr.find import assemblies
    from bridge.torchsharp.process.loader import open_model

    file, arguments = _checked(path), json.loads(written(args, kwargs))
    assembly = file.resolve() if file.suffix == ".dll" else build_project(file, assemblies.folder()[0])
    return open_model(assembly, type_name, arguments, Path(folder) if folder else None)


def prepared(path: str | Path, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[DotNetRuntime, str, str]:
    """The .NET of this process, the assembly of a path, built if need be, and the arguments as .NET reads them.

    Raises what :func:`load` raises.
    """
    file = _checked(path)
    given = written(args, kwargs)
    host = runtime()
    return host, str(file.resolve() if file.suffix == ".dll" else build_project(file, host.assemblies)), given


def runtime() -> DotNetRuntime:
    """The .NET of this process, started and able to call mirrors."""
    global _ready
    if _ready is None:
        host = start()
        with _lock:
            if _ready is None:
                dirty_tracking.begin(host)
                callbacks.install(host)
                _ready = host
    return _ready
