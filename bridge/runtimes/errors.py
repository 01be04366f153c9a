"""Exceptions of runtimes and of hook programs. A-4 is a clause of the contract (docs/contract.md)."""

from __future__ import annotations

from bridge.contract.messages import key
from bridge.errors import BridgeError


class ProgramEnded(BridgeError):
    """A step raised an unexpected error, or did not raise the expected one. The rest of the program, ``try`` step or thread is skipped."""


class InterpreterError(BridgeError, RuntimeError):
    """The C# interpreter cannot run a program."""


class UnsupportedTreeError(BridgeError):
    """C#'s types do not allow the module tree of a program."""


class Error(BridgeError):
    """An exception raised by a hook program."""


class Interrupt(BaseException):
    """An exception raised by a hook program that, like KeyboardInterrupt, is not an ``Exception`` (A-4)."""


RAISED: dict[str, type[BaseException]] = {"Error": Error, "Interrupt": Interrupt}


def describe_error(error: BaseException) -> tuple[str, str]:
    """Return the name and ``key`` of an exception for a ``raise`` event.

    The key of an exception that the program raised is its message. For others, it is :func:`bridge.contract.messages.key` of the message.
    """
    if isinstance(error, (Error, Interrupt)):
        return type(error).__name__, str(error)
    return type(error).__name__, key(str(error))
