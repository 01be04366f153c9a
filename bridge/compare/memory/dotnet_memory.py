"""The memory of a call of a C# model: the tensors that its code creates, which TorchSharp keeps until code disposes them."""

from __future__ import annotations

import json
import linecache
from collections.abc import Mapping
from typing import Any

import torch

from bridge.compare.errors import RunError
from bridge.compare.memory.usage import Kept, ModuleMemory
from bridge.mirror.link import link_of
from bridge.mirror.loading import dotnet_runtime
from bridge.runtimes.dotnet import record


def measure(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[ModuleMemory]:
    """Call the model without gradients, and return the memory of each call of a module, in the order in which they begin.

    A tensor lives until C# code disposes it, as in TorchSharp before a garbage collection. Raises RunError if the model creates tensors
    on other threads, which are not measured.
    """
    exports = dotnet_runtime().exports
    with torch.no_grad(), record(model, values="none"):
        exports.measure_memory(1)
        try:
            model(*args, **kwargs)
        finally:
            found = json.loads(exports.measure_memory(0))
    if found["elsewhere"]:
        raise RunError(
            f"the memory of the C# model cannot be measured: {found['elsewhere']} of its tensors were created on other threads."
        )
    links = ((path, link_of(module)) for path, module in model.named_modules())
    paths = {link.id: path for path, link in links if link is not None}
    return [
        ModuleMemory(
            paths.get(call["id"], f"?{call['id']}"),
            call["live"],
            call["peak"],
            tuple(Kept(item["tensor"], item["bytes"], *_source(item)) for item in call["kept"]),
            call["ended"],
        )
        for call in found["calls"]
    ]


def _source(item: Mapping[str, Any]) -> tuple[str, str]:
    file, line = item["file"], item["line"]
    if not file:
        return f"in {item['method']}", ""
    # An assembly that was built on Windows has backslashes.
    name = file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{line} in {item['method']}", linecache.getline(file, line).strip()
