"""Exceptions of the runtimes that run C#."""

from __future__ import annotations

from bridge.errors import BridgeError


class InterpreterError(BridgeError, RuntimeError):
    """The C# interpreter cannot run a program."""


class UnsupportedTreeError(BridgeError):
    """C#'s types do not allow the module tree of a program."""
