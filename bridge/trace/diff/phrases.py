"""Phrases for sentences about traces."""

from __future__ import annotations

import re

from bridge.trace import Trace


def called(path: str) -> str:
    """A module path in a sentence."""
    return path or "the root"


def expression(path: str, owner: str = "") -> str:
    """A module path as both languages write it, from ``owner`` on: ``blocks.0.fc`` is ``blocks[0].fc``, ``0`` is ``this[0]`` of a list."""
    whole = f"{owner or 'this'}.{path}" if owner or path[:1].isdigit() else path
    return re.sub(r"\.(\d+)\b", r"[\1]", whole)


def call_of(path: str, runtime: str) -> str:
    """Return how a module is called in the language of a runtime, so that its hooks fire."""
    python = runtime.startswith("pytorch")
    name = expression(path, "self" if python and path[:1].isdigit() else "") if path else "model"
    return f"{name}(x)" if python else f"{name}.call(x)"


def names(a: Trace, b: Trace) -> tuple[str, str]:
    """What to call two traces: the runtimes' names, told apart when they are the same."""
    return (a.runtime, b.runtime) if a.runtime != b.runtime else (f"{a.runtime} (left)", f"{b.runtime} (right)")


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def times(number: int) -> str:
    """``once``, ``2 times``."""
    return "once" if number == 1 else f"{number} times"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
