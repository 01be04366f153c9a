"""The loader of models that run on TorchSharp in this process."""

from __future__ import annotations

import json
import weakref
from pathlib import Path
from typing import Any

import torch

from bridge.torchsharp.in_process.library import load_library
from bridge.torchsharp.in_process.module import InProcessModule
from bridge.torchsharp.process.loader import find_library


def open_model(
    assembly: Path, type_name: str, arguments: str, folder: Path | None = None, forward_fires: bool = False
) -> InProcessModule:
    """Load a model on the TorchSharp in ``folder``, or on the one that ``library_search`` finds.

    ``arguments`` is the JSON text of the constructor's arguments. Raises InProcessError if TorchSharp does not fit this process,
    TorchSharpNotFound if there is none, and DotNetError for a C# exception.
    """
    functions = load_library(find_library(assembly, folder))
    described = json.loads(functions["load"](str(assembly), type_name, arguments, int(forward_fires)))
    paths = _paths(described)
    modules = {
        entry["id"]: InProcessModule(functions, entry["id"], paths[entry["id"]], entry["forward"] or [])
        for entry in described
    }
    for entry in described:
        module = modules[entry["id"]]
        module.training = entry["training"]
        for name, id in entry["children"].items():
            module.add_module(name, modules[id])
        for place, (name, kind) in enumerate(entry["tensors"]):
            tensor = functions["tensor"](entry["id"], place)
            if kind == 0:
                tensor.__class__ = torch.nn.Parameter  # the same object that TorchSharp's tensor has in Python
                module.register_parameter(name, tensor)
            else:
                module.register_buffer(name, tensor, persistent=kind == 1)
        functions["watch"](
            entry["id"],
            *(
                id_of(module.__dict__[name])
                for name in ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
            ),
        )
    root = modules[described[0]["id"]]
    for module in modules.values():
        module.__dict__["_all"] = modules
    weakref.finalize(root, functions["release"], described[0]["id"]).atexit = False
    return root


id_of = id


def _paths(described: list[dict[str, Any]]) -> dict[int, str]:
    """Return the first path of each module by its number."""
    children = {entry["id"]: entry["children"] for entry in described}
    paths: dict[int, str] = {described[0]["id"]: ""}
    pending = [described[0]["id"]]
    while pending:
        parent = pending.pop()
        for name, id in reversed(children[parent].items()):
            if id not in paths:
                paths[id] = f"{paths[parent]}.{name}" if paths[parent] else name
                pending.append(id)
    return paths
