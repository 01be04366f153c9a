"""The variants ``typed/alone`` and ``object/alone`` of the runtime ``dotnet``: C# calls and hooks its own modules, without Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hook_contract.program import Program, words
from bridge.runtimes import csharp
from bridge.runtimes.errors import UnsupportedTreeError
from hook_contract.runtimes.runtime import Events

#: The words (:func:`hook_contract.program.words`) of programs that C# can run without Python.
SUPPORTED: Final = frozenset(
    {"global", "parameters", "threads"}
    | {"hook:pre", "hook:forward", "option:prepend", "option:always_call"}
    | {f"step:{word}" for word in ("register", "remove", "call", "forward", "try", "with", "thread", "read")}
    | {f"value:{form}" for form in ("plain", "text", "tuple", "list", "dict", "name")}
    | {f"action:{word}" for word in ("return", "add", "raise", "register", "remove", "call", "read")}
    | {"read:value", "read:device"}
    | {
        f"node:{kind}"
        for kind in (
            "same", "leaf", "identity", "inputs", "give", "raise", "sequence", "parallel", "recurse", "swallow", "register",
            "detach", "opaque", "sequential", "modulelist",
        )
    }
)  # fmt: skip


def traces(program: Program, device: str = "cpu") -> Mapping[str, Events]:
    """Return the traces of a program by variant: with tensors as the modules' arguments, and with arguments of type ``object``.

    A trace is left out if C#'s types do not allow the program's tree. Returns {} if a word of the program is not in :data:`SUPPORTED`.
    """
    found: dict[str, Events] = {}
    if words(program) <= SUPPORTED:
        for form in ("typed", "object"):
            try:
                found[f"{form}/alone"] = csharp.run(program, form, device)
            except UnsupportedTreeError:
                continue
    return found
