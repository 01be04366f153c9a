"""Exceptions about the separate process that runs TorchSharp. A C# exception in that process is raised as a DotNetError instead."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.errors import BridgeError


class HostError(BridgeError, RuntimeError):
    """The process of TorchSharp ended, could not be started, or did not answer correctly.

    ``stderr`` has the last lines that the process printed, to its standard output or standard error.
    """

    def __init__(self, message: str, stderr: Sequence[str] = ()) -> None:
        shown = "".join(f"\n  | {line}" for line in stderr)
        super().__init__(message + (f". Its last lines:{shown}" if shown else ""))
        self.stderr = tuple(stderr)


class HostStartError(HostError):
    """The process could not be started, failed before its first message, or could not load TorchSharp or libtorch."""


class HostDied(HostError):
    """The process ended during a request, or before it.

    ``returncode`` is the process's exit code, or minus the number of the signal that ended it; None if unknown.
    """

    def __init__(self, message: str, stderr: Sequence[str] = (), returncode: int | None = None) -> None:
        super().__init__(message, stderr)
        self.returncode = returncode


class HostTimeout(HostError, TimeoutError):
    """The process did not read a request or did not answer in time, and was killed."""


class HostProtocolError(HostError):
    """The process wrote an invalid answer, and was killed."""


class TorchSharpNotFound(HostStartError):
    """No TorchSharp was found on which models can run."""
