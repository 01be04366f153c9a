"""What a runtime of hook programs is, and which there are."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final, Protocol

from bridge.program import Json, Program, words

#: A trace of a program: its events as JSON has them (docs/programs.md).
Events = list[dict[str, Json]]


class Runtime(Protocol):
    """Takes a program and returns traces.

    ``lacks`` says which words (:func:`bridge.program.words`) the runtime does not know, each with the reason; it never gets
    a program that needs one. ``variants`` are the ways in which it runs programs, each of them at least one of the corpus. ``devices`` are
    those it can use here.
    """

    name: str
    variants: tuple[str, ...]
    lacks: Mapping[str, str]

    @property
    def devices(self) -> tuple[str, ...]: ...

    def version(self) -> str:
        """The runtime and its version: ``PyTorch 2.13.0``."""
        ...

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        """The trace of a program by variant: the ways in which the runtime can run it, ``""`` where there is one only.

        An exception that leaves this is a defect of the runtime; what the program raises is part of the trace.
        """
        ...


#: The runtimes by name, and where they are: imported when they are used, since torch and .NET cost seconds.
RUNTIMES: Final[Mapping[str, str]] = {
    "pytorch": "bridge.runtimes.pytorch.programs",
    "dotnet": "bridge.runtimes.dotnet.programs",
    "hooks": "bridge.runtimes.hooks",
    "model": "bridge.runtimes.model.programs",
    "torchsharp": "bridge.runtimes.torchsharp.native",
    "torchsharp+bridge": "bridge.runtimes.torchsharp.ordered",
}

#: Those that need a TorchSharp, which is no part of this package.
NEED_TORCHSHARP: Final = frozenset({"torchsharp", "torchsharp+bridge"})

#: The others.
ORDINARY: Final = tuple(name for name in RUNTIMES if name not in NEED_TORCHSHARP)

#: Those that run C#.
NEED_DOTNET: Final = NEED_TORCHSHARP | {"dotnet", "hooks"}


def runtime(name: str) -> Runtime:
    """The runtime of that name. Raises KeyError for an unknown name."""
    made: Runtime = importlib.import_module(RUNTIMES[name]).RUNTIME
    return made


def missing(runtime: Runtime, program: Program) -> str | None:
    """Why a runtime cannot run a program, or None when it can; empty when it does not say why."""
    lacking = [word for word in sorted(words(program)) if word in runtime.lacks]
    if not all(runtime.lacks[word].strip() for word in lacking):
        return ""
    return "; ".join(f"{word}: {runtime.lacks[word]}" for word in lacking) or None
