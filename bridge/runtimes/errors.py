"""Exceptions of runtimes and of hook programs. Codes such as A-4 are clauses of the contract (docs/contract.md)."""

from __future__ import annotations

from bridge.contract.messages import key
from bridge.errors import BridgeError


class ProgramEnded(BridgeError):
    """A step failed unexpectedly, or did not raise the expected error. The rest of the program is skipped."""


class InterpreterError(BridgeError, RuntimeError):
    """The C# interpreter cannot run a program."""


class UnsupportedTreeError(BridgeError):
    """C#'s types do not allow the program's tree (F-2)."""


class Error(BridgeError):
    """An exception raised by a hook program."""


class Interrupt(BaseException):
    """An exception raised by a hook program that, like KeyboardInterrupt, is not an ``Exception`` (A-4)."""


RAISED: dict[str, type[BaseException]] = {"Error": Error, "Interrupt": Interrupt}


def describe_error(error: BaseException) -> tuple[str, str]:
    """Return an exception's name and match key (:func:`bridge.contract.messages.key`), for a ``raise`` event."""
    if isinstance(error, (Error, Interrupt)):
        return type(error).__name__, str(error)
    return type(error).__name__, key(str(error))
