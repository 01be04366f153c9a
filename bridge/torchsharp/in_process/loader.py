"""The loader of models that run on TorchSharp in this process."""

from __future__ import annotations

import json
import weakref
from pathlib import Path
from typing import Any

import torch

from bridge.mirror.crossing.constructor_arguments import EncodedArguments
from bridge.mirror.crossing.objects import DotNetObject
from bridge.mirror.tree.cycles import find_cycle
from bridge.torchsharp.in_process.library import load_library
from bridge.torchsharp.in_process.modes import defaults
from bridge.torchsharp.in_process.module import module_class
from bridge.torchsharp.in_process.objects import access, hold
from bridge.torchsharp.in_process.state import ModelState
from bridge.torchsharp.in_process.uncaught import warn_uncaught
from bridge.torchsharp.process.loader import find_library


def open_model(
    assembly: Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    folder: Path | None = None,
    forward_fires: bool = False,
) -> torch.nn.Module:
    """Load a model on the TorchSharp that :func:`find_library` returns for ``assembly`` and ``folder``.

    ``type_name`` is a class, whose constructor takes ``args`` and ``kwargs``, or a static method that takes them and returns the model.
    With ``forward_fires``, ``child.forward(x)`` in C# fires the child's hooks.

    Raises the exceptions of :func:`find_library`, :func:`load_library`, :class:`EncodedArguments` and :func:`defaults`, DotNetError for a
    C# exception, and ValueError if a module contains itself, or has a tensor whose name conflicts with another name.
    """
    functions = load_library(find_library(assembly, folder))
    warn_uncaught(assembly, functions["references"](str(assembly)).splitlines())
    described = json.loads(_create(functions, "load", assembly, type_name, args, kwargs, forward_fires))
    children = {entry["id"]: entry["children"] for entry in described}
    if cycle := find_cycle(described[0]["id"], lambda id: children[id].items()):
        functions["release"](described[0]["id"])
        raise ValueError(f"{type_name} {cycle}.")
    modules: dict[int, torch.nn.Module] = {}
    for entry in described:
        modules[entry["id"]] = module_class(entry)(functions, entry)
    state = ModelState(functions, modules)
    for entry in described:
        module = modules[entry["id"]]
        module.__dict__.update(_state=state, training=entry["training"])
        state.add(entry["id"], entry["tensors"], entry["children"])
    root = modules[described[0]["id"]]
    # The function is looked up when it is called: a forked child replaces it.
    weakref.finalize(state, lambda id: functions["release"](id), described[0]["id"]).atexit = False
    return root


def new_object(
    assembly: Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    folder: Path | None = None,
    forward_fires: bool = False,
) -> DotNetObject:
    """Create an object of a C# class for models of :func:`open_model`. Raises the same exceptions."""
    functions = load_library(find_library(assembly, folder))
    handle = _create(functions, "new", assembly, type_name, args, kwargs, forward_fires)
    return DotNetObject(access(functions), handle, type_name)


def _create(
    functions: dict[str, Any],
    name: str,
    assembly: Path,
    type_name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    forward_fires: bool,
) -> Any:
    """Call the C# function ``load`` or ``new`` with the arguments of a constructor, which are kept alive until the function returns."""
    arguments = EncodedArguments(args, kwargs, lambda value: hold(functions, value))
    return functions[name](str(assembly), type_name, arguments.text, int(forward_fires), *defaults())
