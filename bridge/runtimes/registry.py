"""The runtimes of this package, by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final

from hook_contract.runtimes.runtime import Runtime

#: The module of each runtime, followed by the name of its Runtime object if that is not RUNTIME. Modules are imported at first use, since
#: torch and .NET take seconds to load.
RUNTIMES: Final[Mapping[str, str]] = {
    "pytorch": "bridge.runtimes.pytorch.programs",
    "dotnet": "bridge.runtimes.dotnet.programs",
    "hooks": "bridge.runtimes.hooks",
    "model": "hook_contract.runtimes.model.programs",
    "torchsharp": "bridge.runtimes.torchsharp.programs:NATIVE",
    "torchsharp+bridge": "bridge.runtimes.torchsharp.programs:ORDERED",
    "torchsharp-in-process": "bridge.runtimes.in_process.programs",
}

#: The runtimes that need TorchSharp, which is not part of this package.
NEED_TORCHSHARP: Final = frozenset({"torchsharp", "torchsharp+bridge", "torchsharp-in-process"})

#: The runtimes that need a version of torch on which TorchSharp runs in this process.
NEED_OTHER_TORCH: Final = frozenset({"torchsharp-in-process"})

#: The runtimes that do not need TorchSharp.
ORDINARY: Final = tuple(name for name in RUNTIMES if name not in NEED_TORCHSHARP)

#: The runtimes that run C#.
NEED_DOTNET: Final = NEED_TORCHSHARP | {"dotnet", "hooks"}


def runtime(name: str) -> Runtime:
    """Return a runtime by its name. Raises KeyError for an unknown name."""
    module, _, variable = RUNTIMES[name].partition(":")
    found: Runtime = getattr(importlib.import_module(module), variable or "RUNTIME")
    return found
