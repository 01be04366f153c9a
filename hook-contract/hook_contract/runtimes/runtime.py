"""The interface of the runtimes of hook programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hook_contract.program import Json, Program, words

#: A trace of a program: its events as JSON (docs/programs.md).
Events = list[dict[str, Json]]


class Runtime(Protocol):
    """A runtime of hook programs.

    Attributes:
        variants: The ways in which the runtime runs programs, such as with hooks in Python or in C#.
        lacks: Each unsupported word (:func:`hook_contract.program.words`) and the reason. :meth:`run` gets no program with such a word.
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


def unsupported_reason(runtime: Runtime, program: Program) -> str | None:
    """Return why a runtime cannot run a program; None if it can; "" if ``lacks`` has an empty reason for a word of the program."""
    lacking = [word for word in sorted(words(program)) if word in runtime.lacks]
    if not all(runtime.lacks[word].strip() for word in lacking):
        return ""
    return "; ".join(f"{word}: {runtime.lacks[word]}" for word in lacking) or None
