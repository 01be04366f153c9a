"""The loader of models that run on Bridge.Torch in this process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from bridge.clr import DotNetRuntime, start
from bridge.mirror.copying.pickling import Recipe, check_assembly, digest, extract_part, remember
from bridge.mirror.crossing import objects
from bridge.mirror.crossing.constructor_arguments import EncodedArguments
from bridge.mirror.hooks import callbacks
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.tensors.registration import construct_on_cpu
from bridge.mirror.tree.creation import create_mirrors, find_mirrors, forget_on_failure
from bridge.mirror.tree.description import ModuleTree
from bridge.mirror.tree.wiring import wire

_lock = threading.Lock()
_options = threading.local()
#: The warnings that were given: assembly, type and text. Each is given once.
_warned: set[tuple[str, str, str]] = set()
_runtime: DotNetRuntime | None = None


def load_mirror(
    path: str | Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    forward_fires: bool = False,
    register_components: bool = True,
) -> torch.nn.Module:
    """Load a C# model on Bridge.Torch in this process (:func:`bridge.load`)."""
    file = resolve(path)
    arguments = encode(args, kwargs)
    dotnet = dotnet_runtime()
    assembly = str(build(file, dotnet.assemblies))
    recipe = Recipe(assembly, digest(assembly), type_name, arguments.text, forward_fires, register_components)
    return _load_model(dotnet, recipe)


def new_object(
    path: str | Path, type_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], forward_fires: bool
) -> objects.DotNetObject:
    """Create an object of a C# class for models that run on Bridge.Torch in this process (:func:`bridge.new`)."""
    file = resolve(path)
    arguments = encode(args, kwargs)
    dotnet = dotnet_runtime()
    assembly = str(build(file, dotnet.assemblies))
    handle = dotnet.exports.new_object(assembly, type_name, arguments.text, int(forward_fires))
    return objects.DotNetObject(objects.access(dotnet), handle, type_name)


def encode(args: tuple[Any, ...], kwargs: dict[str, Any]) -> EncodedArguments:
    """Encode the arguments of a constructor that runs on Bridge.Torch.

    Raises the exceptions of :class:`EncodedArguments`, and those of :func:`dotnet_runtime` if .NET must hold an argument.
    """
    return EncodedArguments(args, kwargs, lambda value: objects.hold(dotnet_runtime(), value))


def _load_model(runtime: DotNetRuntime, recipe: Recipe) -> torch.nn.Module:
    with construct_on_cpu() as device:
        tree = ModuleTree(_construct(runtime, recipe))
        with forget_on_failure(runtime, tree):
            tree.check()
            mirrors = find_mirrors(tree)
            nodes = create_mirrors(runtime, tree, mirrors, device)
            wire(runtime, tree, nodes, mirrors)
    for warning in tree.warnings():
        said = (recipe.assembly, recipe.type_name, warning)
        if said not in _warned:
            _warned.add(said)
            warnings.warn(warning, UserWarning, stacklevel=4)
    model = mirrors[tree.root]
    assert model is not None
    remember(model, recipe, load_pickled)
    return model


def resolve(path: str | Path) -> Path:
    """Return the path of a model's file.

    Raises FileNotFoundError if the path is not a file, ValueError if its suffix is not ``.dll``, ``.csproj`` or ``.cs``.
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
    if file.suffix == ".dll":
        return file.resolve()
    from bridge.clr.compile.projects import build_project  # takes 10 ms, which a model in an assembly need not wait for

    return build_project(file, assemblies)


def _construct(runtime: DotNetRuntime, recipe: Recipe) -> bytes:
    """Load the assembly into .NET, construct the model, and return .NET's description of its modules. Raises DotNetError."""
    keeps_lines = getattr(_options, "keeps_lines", False)
    if keeps_lines:
        runtime.exports.keep_lines(1)
    try:
        description: bytes = runtime.exports.load(
            recipe.assembly,
            recipe.type_name,
            recipe.arguments,
            int(recipe.forward_fires),
            int(recipe.register_components),
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
    """Load the model of a pickle again, and return its module with the index ``place``. Restores the state of PyTorch's CPU generator."""
    check_assembly(recipe)
    runtime = dotnet_runtime()
    state = torch.get_rng_state()
    try:
        model = _load_model(runtime, recipe)
    finally:
        torch.set_rng_state(state)
    return extract_part(model, place)
