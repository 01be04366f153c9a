"""The functions ``bridge.load``, ``bridge.new`` and ``bridge.list_models``, which use the C# classes in a file.

:mod:`bridge.mirror.loading` loads models that run on Bridge.Torch, and ``bridge.torchsharp`` those that run on TorchSharp itself.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from bridge.clr.call.surface import examine, text_lines
from bridge.clr.find import assemblies
from bridge.mirror.crossing.objects import DotNetObject
from bridge.mirror.loading import build, load_mirror, new_object, resolve

#: The modules that load models on TorchSharp itself, by the name of the runtime; imported when used.
_LOADERS: Final = {
    "torchsharp": "bridge.torchsharp.process.loader",
    "torchsharp-in-process": "bridge.torchsharp.in_process.loader",
}


def load(
    path: str | Path,
    type_name: str,
    /,
    *args: Any,
    forward_fires: bool = False,
    register_components: bool | None = None,
    runtime: str = "dotnet",
    **kwargs: Any,
) -> torch.nn.Module:
    """Load a C# model as a torch.nn.Module.

    ``path`` is an assembly (``Models.dll``), a project (``Models.csproj``) or a C# file (``Net.cs``). Projects and C# files are built
    first, outside of their folder, unless nothing has changed since the last build. Building needs the .NET SDK. ``type_name`` is the full
    name of a class that derives from ``torch.nn.Module`` (``Namespace.Type``), or of a static method that returns a module
    (``Namespace.Type.Method``); both may be internal. Nested types are named as in C#. ``args`` and ``kwargs`` are the arguments of the
    constructor or method, by position and by parameter name. They are numbers (also NumPy's), strings, booleans, None, tensors, devices,
    dtypes, loaded C# modules, objects of C# classes (:func:`new`), Python functions where C# declares a delegate, and lists, tuples and
    dicts of these. A dict may stand for an object of a class, record or struct. Pass by position an argument whose parameter is named
    ``runtime``, ``forward_fires`` or ``register_components``.

    An assembly that was compiled against TorchSharp runs unchanged. With ``forward_fires``, each ``child.forward(x)`` in its code becomes
    ``child.call(x)``: the child's hooks fire and traces see the call, unlike on TorchSharp (C-3 of docs/contract.md). ``this.forward(x)``
    becomes ``this.call(x)``. The code of referenced assemblies in the same folder is changed too. Calls of overloads of ``forward`` that
    the model adds, calls by reflection and ``dynamic`` calls remain calls of ``forward``.

    A class whose constructor does not call ``RegisterComponents()`` relies on a parent to do it. If such a class is loaded alone, its
    components are registered, with a warning. With ``register_components=False`` they are not, as in TorchSharp: the module can be called,
    but in Python it has no parameters and no children, so ``eval()`` and ``state_dict()`` do not reach them, and pickles lack the weights.
    A module of such a class in a Sequential is treated in the same way, but without a warning. With a ``runtime`` other
    than ``"dotnet"``, nothing is registered, and ``register_components=True`` raises ValueError.

    With ``runtime="torchsharp"`` the model runs in a separate process, on the TorchSharp that ``BRIDGE_TORCHSHARP`` names or, if
    this variable is not set, that is in the model's folder or NuGet's cache; with ``"torchsharp:FOLDER"``, on the TorchSharp in that
    folder. Calls from Python, and changes of weights by Python or C#, are sent between the processes. Computing gradients raises an error,
    and so do Python hooks on modules that C# calls (docs/torchsharp-process.md). Without ``:FOLDER``, an assembly that was compiled against
    Bridge.Torch runs on Bridge.Torch in that process.

    With ``runtime="torchsharp-in-process"`` (or ``"torchsharp-in-process:FOLDER"``), TorchSharp is found in the same way, but runs in this
    process, on Python's libtorch (docs/torchsharp-in-process.md). Hooks and gradients work. An error that TorchSharp does not catch ends
    the process.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The file is neither an assembly, a project nor a C# file; or ``runtime`` is invalid, or cannot do what another
            option demands; or a module contains itself, or has a tensor with a name that Python cannot hold.
        ReferenceError: A module also belongs to another model, which Python has freed.
        TypeError: An argument cannot be passed to C#.
        DotNetNotFound: There is no .NET, or no .NET SDK to build a project or C# file.
        AssembliesNotFound: Assemblies of this package are missing.
        StartError: .NET does not start.
        BuildError: The project or C# file cannot be built.
        DotNetError: The type does not exist, the arguments do not fit, or the constructor throws.
        HostError: No TorchSharp is found; or its process does not start, ends, or does not answer in time.
        BridgeError: TorchSharp cannot run in this process: its native library is missing, or does not fit this torch, or was not tested
            with this torch (unless ``BRIDGE_TORCHSHARP_UNTESTED`` is 1); or another TorchSharp.dll is loaded.
    """
    if runtime != "dotnet":
        loader, assembly, folder, options = _on_torchsharp(path, runtime, forward_fires, register_components)
        return loader.open_model(assembly, type_name, args, kwargs, folder, **options)  # type: ignore[no-any-return]  # loader is Any
    return load_mirror(path, type_name, args, kwargs, forward_fires, register_components is not False)


def new(
    path: str | Path, type_name: str, /, *args: Any, forward_fires: bool = False, runtime: str = "dotnet", **kwargs: Any
) -> DotNetObject:
    """Create an object of a C# class of a model's assembly, such as the model's options or input, or a module for a constructor.

    ``path``, ``forward_fires`` and ``runtime`` are those of the model that gets the object (:func:`load`). ``type_name`` names a class,
    record or struct, a static method that returns the object, or an array type such as ``long[]``, whose items are given as a list.
    ``args`` and ``kwargs`` are the arguments of the constructor or method. Keyword arguments may also be values of properties and fields;
    their names may be written as in Python (``vocab_size`` for ``VocabSize``).

    A dict may be passed in place of the object where C# declares a parameter's type as a class that is neither abstract nor generic.

    Raises the exceptions of :func:`load`.
    """
    if runtime != "dotnet":
        loader, assembly, folder, options = _on_torchsharp(path, runtime, forward_fires)
        return loader.new_object(assembly, type_name, args, kwargs, folder, **options)  # type: ignore[no-any-return]  # loader is Any
    return new_object(path, type_name, args, kwargs, forward_fires)


def _on_torchsharp(
    path: str | Path, runtime: str, forward_fires: bool, register_components: bool | None = None
) -> tuple[Any, Path, Path | None, dict[str, bool]]:
    """Return the Python module that loads models on ``runtime``, the assembly, TorchSharp's folder, and the options of the loader.

    A project is built first. The folder is None if ``runtime`` names none. Raises ValueError if ``runtime`` is unknown, or does not support
    ``forward_fires`` or ``register_components``.
    """
    name, _, given = runtime.partition(":")
    if name not in _LOADERS:
        raise ValueError(
            f"runtime must be 'dotnet', 'torchsharp', 'torchsharp-in-process' or one of the last two with ':FOLDER', not {runtime!r}"
        )
    if register_components:
        raise ValueError(
            "register_components=True works only on Bridge.Torch: TorchSharp does not register the components of a class whose "
            "constructor does not call RegisterComponents(). Omit the argument"
        )
    if forward_fires and name == "torchsharp":
        raise ValueError(
            "forward_fires is for models in this process: TorchSharp's own process runs an assembly unchanged"
        )
    assembly = build(resolve(path), assemblies.folder()[0])
    folder = Path(given) if given else None
    loader = importlib.import_module(_LOADERS[name])
    return loader, assembly, folder, {} if name == "torchsharp" else {"forward_fires": forward_fires}


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A module class of an assembly, or the static methods of one name that return a module.

    Attributes:
        name: The full name as C# writes it, with dots before nested types: the one that :func:`load` takes.
        kind: ``class`` or ``method``.
        constructors: The public and internal constructors, or the overloads of the method, as C# declares them.
        runs: Whether :func:`load` can create the model, and the model can be called.
        missing: The members of TorchSharp that Bridge.Torch lacks and that are needed to create and call the model.
        note: Why no object of the class can be created; else the methods and properties that raise when they run, since Bridge.Torch lacks
            members that they need (``Train needs A, B``). Creating and calling the model does not run them. "" if there is nothing to note.
    """

    name: str
    kind: str
    constructors: tuple[str, ...]
    runs: bool
    missing: tuple[str, ...]
    note: str

    def __str__(self) -> str:
        return "\n".join(text_lines(self.name, self.constructors, self.missing, self.runs, self.note))


class ModelList(list[ModelInfo]):
    """A list of models. The ``repr`` of the list shows each model: the constructors, the missing members, whether it runs, and the note."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "[]"


def list_models(path: str | Path, /) -> ModelList:
    """List the module classes of a file, and its static methods that return a module, sorted by name.

    ``path`` is as for :func:`load`: a project or C# file is built first. The code of the assembly does not run.
    ``runs``, ``missing`` and ``note`` describe models on Bridge.Torch; TorchSharp itself lacks no members.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The file is neither an assembly, a project nor a C# file.
        DotNetNotFound: There is no .NET, or no .NET SDK to build a project or C# file.
        AssembliesNotFound: Assemblies of this package are missing.
        StartError: .NET does not start.
        BuildError: The project or C# file cannot be built.
        DotNetError: The file is not a .NET assembly.
    """
    return ModelList(
        ModelInfo(
            entry.name,
            entry.kind,
            entry.constructors,
            entry.runs,
            tuple(dict.fromkeys(missing.member for missing in entry.missing)),
            entry.note,
        )
        for entry in examine(build(resolve(path), assemblies.folder()[0]))
        if entry.module
    )
