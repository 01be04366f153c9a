"""What goes wrong with the process that runs TorchSharp. What its C# throws is a DotNetError, as in Python's own process."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.errors import BridgeError


class HostError(BridgeError, RuntimeError):
    """The process of TorchSharp cannot be used, or did not answer. It is gone; the next call starts another one.

    ``stderr`` are the last lines that it wrote to its standard error.
    """

    def __init__(self, message: str, stderr: Sequence[str] = ()) -> None:
        shown = "".join(f"\n  | {line}" for line in stderr)
        super().__init__(message + (f". Its last lines:{shown}" if shown else ""))
        self.stderr = tuple(stderr)


class HostStartError(HostError):
    """The process could not be started, or said nothing before it ended."""


class HostDied(HostError):
    """The process ended while it was asked something. ``returncode`` is minus the signal's number where one ended it."""

    def __init__(self, message: str, stderr: Sequence[str] = (), returncode: int | None = None) -> None:
        super().__init__(message, stderr)
        self.returncode = returncode


class HostTimeout(HostError, TimeoutError):
    """The process did not answer within the deadline, and was killed."""


class HostProtocolError(HostError):
    """The process answered with what is no answer, and was killed."""


class TorchSharpNotFound(HostStartError):
    """There is no TorchSharp that a model can run on; the message names each place and what is there."""
