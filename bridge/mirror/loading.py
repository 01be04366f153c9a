"""``bridge.load``, which loads a C# model from a file, by the name of the model's type."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from bridge.clr import DotNetRuntime, start
from bridge.clr.compile.projects import build_project
from bridge.mirror.copying.pickling import Recipe, check_assembly, digest, extract_part, remember
from bridge.mirror.crossing.constructor_arguments import encode
from bridge.mirror.hooks import callbacks
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.tensors.registration import construct_on_cpu
from bridge.mirror.tree.creation import create_mirrors, find_mirrors, forget_on_failure
from bridge.mirror.tree.description import ModuleTree
from bridge.mirror.tree.wiring import wire

_lock = threading.Lock()
_options = threading.local()
_runtime: DotNetRuntime | None = None


def load(
    path: str | Path,
    type_name: str,
    /,
    *args: Any,
    forward_fires: bool = False,
    runtime: str = "dotnet",
    **kwargs: Any,
) -> torch.nn.Module:
    """Load a C# model as a torch.nn.Module.

    ``path`` is an assembly (``Models.dll``), a project (``Models.csproj``) or a C# file (``Net.cs``). Projects and C# files are built
    first, outside of their folder, unless nothing has changed since the last build. Building needs the .NET SDK. ``type_name`` is the full
    name of a class that derives from ``torch.nn.Module`` (``Namespace.Type``), or of a static method that returns one
    (``Namespace.Type.Method``); either may be internal. Nested types are named as in C#. ``args`` and ``kwargs`` are the arguments of the
    constructor or method, by position and by parameter name. They are finite numbers (also NumPy's), strings, booleans, None and lists of
    these. Pass by position an argument whose parameter is named ``runtime`` or ``forward_fires``.

    An assembly that was compiled against TorchSharp runs unchanged. With ``forward_fires``, each ``child.forward(x)`` in its code becomes
    ``child.call(x)``: the child's hooks fire and traces see the call, unlike on TorchSharp (C-3). ``this.forward(x)`` becomes
    ``this.call(x)``. The same holds for referenced assemblies in the same folder. Calls of overloads of ``forward`` that the model adds,
    calls by reflection and ``dynamic`` calls remain calls of ``forward``.

    With ``runtime="torchsharp"`` the model runs in a separate process, on the TorchSharp that ``BRIDGE_TORCHSHARP`` names, or that is in
    the model's folder or NuGet's cache; with ``"torchsharp:FOLDER"``, on the TorchSharp in that folder. Calls from Python, and changes of
    weights by Python or C#, are sent between the processes. Computing gradients raises an error, and so do Python hooks on modules that C#
    calls (docs/torchsharp-process.md).

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The file is neither an assembly, a project nor a C# file; or ``runtime`` is invalid; or a module contains itself.
        TypeError: An argument, such as a tensor, cannot be expressed in JSON.
        DotNetNotFound: There is no .NET, or no .NET SDK to build a project.
        StartError: .NET does not start.
        BuildError: The project does not compile.
        DotNetError: The type does not exist, the arguments do not fit, or the constructor throws.
        HostError: The process of TorchSharp does not start, or ends.
    """
    if runtime != "dotnet":
        return _load_on_torchsharp(path, type_name, args, kwargs, runtime, forward_fires)
    file = resolve(path)
    arguments = encode(args, kwargs)
    dotnet = dotnet_runtime()
    assembly = str(build(file, dotnet.assemblies))
    return _load_model(dotnet, Recipe(assembly, digest(assembly), type_name, arguments, forward_fires))


def _load_model(runtime: DotNetRuntime, recipe: Recipe) -> torch.nn.Module:
    with construct_on_cpu() as device:
        tree = ModuleTree(_construct(runtime, recipe))
        with forget_on_failure(runtime, tree):
            tree.check()
            mirrors = find_mirrors(tree)
            nodes = create_mirrors(runtime, tree, mirrors, device)
            wire(runtime, tree, nodes, mirrors)
    for warning in tree.warnings():
        warnings.warn(warning, UserWarning, stacklevel=3)
    model = mirrors[tree.root]
    assert model is not None
    remember(model, recipe, load_pickled)
    return model


def resolve(path: str | Path) -> Path:
    """Return the path of a model's file.

    Raises FileNotFoundError if the file does not exist, ValueError if its suffix is not ``.dll``, ``.csproj`` or ``.cs``.
    """
    file = Path(path)
    if file.is_dir():
        raise FileNotFoundError(
            f"{file} is a folder: pass the assembly (.dll), project (.csproj) or C# file (.cs) in it"
        )
    if not file.is_file():
        raise FileNotFoundError(f"no file {file}" + ("" if file.is_absolute() else f" in {Path.cwd()}"))
    if file.suffix not in (".dll", ".csproj", ".cs"):
        raise ValueError(f"{file.name} is neither an assembly (.dll) nor a C# project (.csproj) nor a C# file (.cs)")
    return file


def build(file: Path, assemblies: Path) -> Path:
    """Return the assembly of a file. A project or C# file is built first. Raises BuildError and DotNetNotFound."""
    return file.resolve() if file.suffix == ".dll" else build_project(file, assemblies)


def _construct(runtime: DotNetRuntime, recipe: Recipe) -> bytes:
    """Load the assembly into .NET, construct the model, and return .NET's description of its modules. Raises DotNetError."""
    keeps_lines = getattr(_options, "keeps_lines", False)
    if keeps_lines:
        runtime.exports.keep_lines(1)
    try:
        description: bytes = runtime.exports.load(
            recipe.assembly, recipe.type_name, recipe.arguments, int(recipe.forward_fires)
        )
    finally:
        if keeps_lines:
            runtime.exports.keep_lines(0)
    return description


def dotnet_runtime() -> DotNetRuntime:
    """Start .NET, give it the Python functions that it calls, and return the runtime. Later calls return the same object.

    Raises the exceptions of :func:`bridge.clr.start`.
    """
    global _runtime
    if _runtime is None:
        started = start()
        with _lock:
            if _runtime is None:
                dirty_tracking.start(started)
                callbacks.install(started)
                _runtime = started
    return _runtime


@contextmanager
def exact_lines() -> Iterator[None]:
    """Make .NET keep exact line numbers in the assemblies that this thread loads in the block, instead of optimizing their code."""
    _options.keeps_lines = True
    try:
        yield
    finally:
        _options.keeps_lines = False


def load_pickled(recipe: Recipe, place: int) -> torch.nn.Module:
    """Load the model of a pickle again, and return its module with the index ``place``. PyTorch's random state stays the same."""
    check_assembly(recipe)
    runtime = dotnet_runtime()
    state = torch.get_rng_state()
    try:
        model = _load_model(runtime, recipe)
    finally:
        torch.set_rng_state(state)
    return extract_part(model, place)


def _load_on_torchsharp(
    path: str | Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    runtime: str,
    forward_fires: bool,
) -> torch.nn.Module:
    name, _, given = runtime.partition(":")
    folder = Path(given) if given else None
    if name not in ("torchsharp", "torchsharp-in-process"):
        raise ValueError(
            f"runtime is 'dotnet', 'torchsharp', 'torchsharp-in-process' or one of the last two with ':FOLDER', not {runtime!r}"
        )
    if forward_fires and name == "torchsharp":
        raise ValueError(
            "forward_fires is for models in this process: TorchSharp's own process runs an assembly unchanged"
        )
    from bridge.clr.find import assemblies
    from bridge.torchsharp.in_process import loader as in_process
    from bridge.torchsharp.process import loader as process

    file, arguments = resolve(path), encode(args, kwargs)
    assembly = file.resolve() if file.suffix == ".dll" else build_project(file, assemblies.folder()[0])
    if name == "torchsharp":
        return process.open_model(assembly, type_name, json.loads(arguments), folder)
    return in_process.open_model(assembly, type_name, arguments, folder, forward_fires)
