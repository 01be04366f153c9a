"""Exceptions of the process that runs TorchSharp. C# exceptions are DotNetErrors, as in Python's own process."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.errors import BridgeError


class HostError(BridgeError, RuntimeError):
    """The process of TorchSharp cannot be used, or did not answer. It has ended; the next call starts a new one.

    ``stderr`` has the last lines of its standard error.
    """

    def __init__(self, message: str, stderr: Sequence[str] = ()) -> None:
        shown = "".join(f"\n  | {line}" for line in stderr)
        super().__init__(message + (f". Its last lines:{shown}" if shown else ""))
        self.stderr = tuple(stderr)


class HostStartError(HostError):
    """The process cannot be started, or ended without an answer."""


class HostDied(HostError):
    """The process ended during a request. ``returncode`` is the negative signal number if a signal ended it."""

    def __init__(self, message: str, stderr: Sequence[str] = (), returncode: int | None = None) -> None:
        super().__init__(message, stderr)
        self.returncode = returncode


class HostTimeout(HostError, TimeoutError):
    """The process did not answer within the deadline, and was killed."""


class HostProtocolError(HostError):
    """The process wrote an invalid answer, and was killed."""


class TorchSharpNotFound(HostStartError):
    """No TorchSharp was found that models can run on; the message lists the places and files."""
