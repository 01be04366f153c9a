"""The exceptions that programs raise."""

from __future__ import annotations

from bridge.contract.messages import key


class Error(Exception):
    """A program's own error."""


class Interrupt(BaseException):
    """A program's own exception that, like KeyboardInterrupt, is not an ``Exception`` (A-4)."""


RAISED: dict[str, type[BaseException]] = {"Error": Error, "Interrupt": Interrupt}


def described(error: BaseException) -> tuple[str, str]:
    """The name of an exception and its match key, as a ``raise`` event has them."""
    if isinstance(error, (Error, Interrupt)):
        return type(error).__name__, str(error)
    return type(error).__name__, key(str(error))
