"""The interface of runtimes of hook programs, and the list of them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final, Protocol

from bridge.program import Json, Program, words

#: A trace of a program: its events as JSON (docs/programs.md).
Events = list[dict[str, Json]]


class Runtime(Protocol):
    """A runtime of hook programs.

    ``lacks`` maps each unsupported word (:func:`bridge.program.words`) to the reason; the runtime never gets a program with such a word.
    ``variants`` are the ways in which it runs programs, each of them at least one program of the corpus. ``devices`` are available here.
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
        """Run a program and return its trace for each variant, ``""`` if there is only one.

        Exceptions of the program are part of the trace; an exception of this method is a defect of the runtime.
        """
        ...


#: The modules of the runtimes by name, with the variable if it is not RUNTIME. Imported at first use: torch and .NET take seconds.
RUNTIMES: Final[Mapping[str, str]] = {
    "pytorch": "bridge.runtimes.pytorch.programs",
    "dotnet": "bridge.runtimes.dotnet.programs",
    "hooks": "bridge.runtimes.hooks",
    "model": "bridge.runtimes.model.programs",
    "torchsharp": "bridge.runtimes.torchsharp.programs:NATIVE",
    "torchsharp+bridge": "bridge.runtimes.torchsharp.programs:ORDERED",
}

#: The runtimes that need TorchSharp, which is not part of this package.
NEED_TORCHSHARP: Final = frozenset({"torchsharp", "torchsharp+bridge"})

#: The other runtimes.
ORDINARY: Final = tuple(name for name in RUNTIMES if name not in NEED_TORCHSHARP)

#: The runtimes that run C#.
NEED_DOTNET: Final = NEED_TORCHSHARP | {"dotnet", "hooks"}


def runtime(name: str) -> Runtime:
    """Return the runtime of that name. Raises KeyError for an unknown name."""
    module, _, variable = RUNTIMES[name].partition(":")
    made: Runtime = getattr(importlib.import_module(module), variable or "RUNTIME")
    return made


def unsupported_reason(runtime: Runtime, program: Program) -> str | None:
    """Return why a runtime cannot run a program; None if it can, "" if a word has no reason."""
    lacking = [word for word in sorted(words(program)) if word in runtime.lacks]
    if not all(runtime.lacks[word].strip() for word in lacking):
        return ""
    return "; ".join(f"{word}: {runtime.lacks[word]}" for word in lacking) or None
