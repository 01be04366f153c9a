"""Exceptions of runtimes and of hook programs. A-4 is a clause of the contract (docs/contract.md)."""

from __future__ import annotations

from hook_contract.contract.messages import key
from hook_contract.errors import HookContractError


class ProgramEnded(HookContractError):
    """A step raised an unexpected error, or did not raise the expected one. The rest of the program, ``try`` step or thread is skipped."""


class UnknownRuntimeError(HookContractError, LookupError):
    """There is no runtime of this name."""


class AdapterError(HookContractError):
    """The adapter that connects a runtime does not work. This says nothing about the runtime's hooks."""


class Error(HookContractError):
    """An exception raised by a hook program."""


class Interrupt(BaseException):
    """An exception raised by a hook program that, like KeyboardInterrupt, is not an ``Exception`` (A-4)."""


RAISED: dict[str, type[BaseException]] = {"Error": Error, "Interrupt": Interrupt}


def describe_error(error: BaseException) -> tuple[str, str]:
    """Return the name and ``key`` of an exception for a ``raise`` event.

    The key of an exception that the program raised is its message. For others, it is :func:`hook_contract.contract.messages.key` of the
    message.
    """
    if isinstance(error, (Error, Interrupt)):
        return type(error).__name__, str(error)
    return type(error).__name__, key(str(error))
