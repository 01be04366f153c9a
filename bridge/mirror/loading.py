"""``bridge.load``: from a file and a type name to a mirror."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import torch

from bridge.clr import Host, start
from bridge.clr.building import build_project
from bridge.mirror import callbacks, watching
from bridge.mirror.arguments import written
from bridge.mirror.pickling import Recipe, check, digest, part, remember
from bridge.mirror.tree import build

_lock = threading.Lock()
_ready: Host | None = None


def load(
    path: str | Path, type_name: str, /, *args: Any, forward_fires: bool = False, **kwargs: Any
) -> torch.nn.Module:
    """A C# model as a torch.nn.Module.

    ``path`` is an assembly (``Models.dll``), or a project or one C# file (``Models.csproj``, ``Net.cs``), which is built first, outside of
    its folder, and needs the .NET SDK; ``type_name``
    the full name of a class that derives from ``torch.nn.Module`` (``Namespace.Type``), or of a static method that gives one
    (``Namespace.Type.Method``), public or internal; ``args`` and ``kwargs`` the arguments of the constructor or the method, by position
    and by the names of its parameters: numbers, NumPy's too, strings, booleans, None and lists of them. A C# parameter that is named as
    an option below is given by position. Starts .NET if it does not run yet.

    An assembly that was compiled against TorchSharp runs as it is. With ``forward_fires``, ``child.forward(x)`` in it, and in the
    assemblies beside it that it refers to, is ``child.call(x)``: hooks fire and traces see the child, which TorchSharp bypasses (C-3).
    So does ``this.forward(x)``. Not reached are overloads of ``forward`` that the model adds, reflection and ``dynamic``.

    Raises FileNotFoundError, DotNetNotFound or StartError when the file or .NET is missing, BuildError when the project does not
    compile, and DotNetError when the type or the arguments do not fit or the constructor throws.
    ValueError: the file is neither an assembly nor a project, or a module contains itself. TypeError: an argument is of no such kind.
    """
    host, assembly, given = prepared(path, args, kwargs)
    recipe = Recipe(assembly, digest(assembly), type_name, given, forward_fires)
    return _made(host, recipe)


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


def _made(host: Host, recipe: Recipe) -> torch.nn.Module:
    model = build(host, recipe.assembly, recipe.type_name, recipe.arguments, recipe.forward_fires)
    remember(model, recipe, remade)
    return model


def prepared(path: str | Path, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Host, str, str]:
    """The .NET of this process, the assembly of a path, built if need be, and the arguments as .NET reads them.

    Raises what :func:`load` raises.
    """
    file = Path(path)
    if file.is_dir():
        raise FileNotFoundError(
            f"{file} is a folder: give the assembly (.dll), project (.csproj) or C# file (.cs) in it"
        )
    if not file.is_file():
        raise FileNotFoundError(f"no file {file}" + ("" if file.is_absolute() else f" in {Path.cwd()}"))
    if file.suffix not in (".dll", ".csproj", ".cs"):
        raise ValueError(f"{file.name} is neither an assembly (.dll) nor a C# project (.csproj) nor a C# file (.cs)")
    given = written(args, kwargs)
    host = runtime()
    return host, str(file.resolve() if file.suffix == ".dll" else build_project(file, host.assemblies)), given


def runtime() -> Host:
    """The .NET of this process, started and able to call mirrors."""
    global _ready
    if _ready is None:
        host = start()
        with _lock:
            if _ready is None:
                watching.begin(host)
                callbacks.install(host)
                _ready = host
    return _ready
