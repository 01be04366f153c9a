"""The interface of the runtimes of hook programs, and the list of the runtimes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final, Protocol

from bridge.program import Json, Program, words

#: A trace of a program: its events as JSON (docs/programs.md).
Events = list[dict[str, Json]]


class Runtime(Protocol):
    """A runtime of hook programs.

    Attributes:
        variants: The ways in which the runtime runs programs, such as with hooks in Python or in C#.
        lacks: Each unsupported word (:func:`bridge.program.words`) and the reason. :meth:`run` gets no program with such a word.
        devices: The available devices, such as ``cpu``.
    """

    name: str
    variants: tuple[str, ...]
    lacks: Mapping[str, str]

    @property
    def devices(self) -> tuple[str, ...]: ...

    def version(self) -> str:
        """Return the runtime and its version: ``PyTorch 2.13.0``."""
        ...

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        """Run a program and return its trace for each variant that can run it. A runtime's only variant is named ``""``.

        Exceptions of the program are part of the trace. An exception of this method is a defect of the runtime.
        """
        ...


#: The module of each runtime, followed by the name of its Runtime object if that is not RUNTIME. Modules are imported at first use, since
#: torch and .NET take seconds to load.
RUNTIMES: Final[Mapping[str, str]] = {
    "pytorch": "bridge.runtimes.pytorch.programs",
    "dotnet": "bridge.runtimes.dotnet.programs",
    "hooks": "bridge.runtimes.hooks",
    "model": "bridge.runtimes.model.programs",
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


def unsupported_reason(runtime: Runtime, program: Program) -> str | None:
    """Return why a runtime cannot run a program; None if it can; "" if ``lacks`` has an empty reason for a word of the program."""
    lacking = [word for word in sorted(words(program)) if word in runtime.lacks]
    if not all(runtime.lacks[word].strip() for word in lacking):
        return ""
    return "; ".join(f"{word}: {runtime.lacks[word]}" for word in lacking) or None
