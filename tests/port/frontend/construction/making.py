"""Functions of the tests as what constructors call, in C#."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.port import passes
from bridge.port.csharp import methods, tree
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.methods import unnamed
from tests.port.frontend.lowering import lower


def made(function: Callable[..., Any], *given: Any, known: Callable[..., Any] | None = None) -> str:
    """Return the body of a function, which is called with these arguments, in C#; it may call ``known``."""
    functions = {} if known is None else {known: tree.Name(known.__name__)}
    lowered = unnamed(passes.run(lower(function, given, constructs=True)), False)
    whole = text(methods.lower(lowered, begin(functions=functions)))
    lines = whole.splitlines()[2:-1]
    return "\n".join(line.removeprefix("    ") for line in lines)
