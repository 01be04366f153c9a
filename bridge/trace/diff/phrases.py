"""Phrases for sentences about traces."""

from __future__ import annotations

import re

from bridge.trace import Trace


def path_name(path: str) -> str:
    """Return a module path for a sentence: ``the root`` for "", else the path."""
    return path or "the root"


def expression(path: str, owner: str = "") -> str:
    """Return a module path as code: ``blocks.0.fc`` becomes ``blocks[0].fc``, or ``self.blocks[0].fc`` for the owner ``self``.

    Without an owner, a path that begins with a digit gets the owner ``this``: ``0`` becomes ``this[0]``.
    """
    whole = f"{owner or 'this'}.{path}" if owner or path[:1].isdigit() else path
    return re.sub(r"\.(\d+)\b", r"[\1]", whole)


def call_of(path: str, runtime: str) -> str:
    """Return the code that calls a module with its hooks, in the language of a runtime: ``conv(x)`` or ``conv.call(x)``."""
    python = runtime.startswith("pytorch")
    name = expression(path, "self" if python and path[:1].isdigit() else "") if path else "model"
    return f"{name}(x)" if python else f"{name}.call(x)"


def names(a: Trace, b: Trace) -> tuple[str, str]:
    """Return names for two traces: the runtimes' names, made distinct if equal."""
    return (a.runtime, b.runtime) if a.runtime != b.runtime else (f"{a.runtime} (left)", f"{b.runtime} (right)")


def times(number: int) -> str:
    """Return ``once``, ``2 times``, ``3 times`` …"""
    return "once" if number == 1 else f"{number} times"


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``11th`` …"""
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
