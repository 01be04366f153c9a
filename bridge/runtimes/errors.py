"""Exceptions of runtimes, and those that hook programs raise."""

from __future__ import annotations

from bridge.contract.messages import key
from bridge.errors import BridgeError


class ProgramEnded(BridgeError):
    """A step failed unexpectedly, or did not fail as expected: the rest of the program is skipped."""


class InterpreterError(BridgeError, RuntimeError):
    """The C# interpreter could not run a program that it was given."""


class UnsupportedTreeError(BridgeError):
    """Types forbid the program's tree (F-2)."""


class Error(BridgeError):
    """A program's own error."""


class Interrupt(BaseException):
    """A program's own exception that, like KeyboardInterrupt, is not an ``Exception`` (A-4)."""


RAISED: dict[str, type[BaseException]] = {"Error": Error, "Interrupt": Interrupt}


def describe_error(error: BaseException) -> tuple[str, str]:
    """The name of an exception and its match key, as a ``raise`` event has them."""
    if isinstance(error, (Error, Interrupt)):
        return type(error).__name__, str(error)
    return type(error).__name__, key(str(error))
