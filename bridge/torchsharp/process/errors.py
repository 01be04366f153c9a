"""Exceptions about the separate process that runs TorchSharp. A C# exception in that process is raised as a DotNetError instead."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.errors import BridgeError


class HostError(BridgeError, RuntimeError):
    """The process of TorchSharp failed or did not answer. The process has ended; the next call starts a new one.

    ``stderr`` has the last lines of the process's standard output and standard error.
    """

    def __init__(self, message: str, stderr: Sequence[str] = ()) -> None:
        shown = "".join(f"\n  | {line}" for line in stderr)
        super().__init__(message + (f". Its last lines:{shown}" if shown else ""))
        self.stderr = tuple(stderr)


class HostStartError(HostError):
    """The process cannot be started, or ended or failed before it was ready."""


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
    """No TorchSharp was found on which models can run. The message lists the files that were examined."""
