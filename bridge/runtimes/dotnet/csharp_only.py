"""The variants ``alone`` of the runtime ``dotnet``: Bridge.Torch's modules, called and hooked by C# under Bridge.Hooks' dispatcher."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.program import Program, words
from bridge.runtimes import csharp
from bridge.runtimes.errors import UnsupportedTreeError
from bridge.runtimes.runtime import Events

#: The words that C# supports over Bridge.Torch without Python.
KNOWS: Final = frozenset(
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
    """Return the traces of a program with types and over ``object``, without those whose types do not allow its tree.

    Returns {} if the program needs an unsupported word.
    """
    found: dict[str, Events] = {}
    if words(program) <= KNOWS:
        for form in ("typed", "object"):
            try:
                found[f"{form}/alone"] = csharp.run(program, form, device)
            except UnsupportedTreeError:
                continue
    return found
