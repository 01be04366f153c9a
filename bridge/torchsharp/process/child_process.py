"""A child process with a pipe for requests and a pipe for answers."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from bridge.torchsharp.process import system
from bridge.torchsharp.process.errors import HostDied, HostProtocolError, HostStartError, HostTimeout

#: The maximum number of lines of the process's output in an exception.
TAIL_LENGTH = 20
#: The seconds to wait for a process to end, and again after it was killed.
_END_TIMEOUT = 5.0
#: The maximum length of a line from the process, in bytes.
_MAX_LINE = 1 << 28
#: Windows' exit codes of processes that the system (ntstatus.h) or .NET has ended.
_WINDOWS_ENDS: Final = {
    0x80131623: "Environment.FailFast",
    0xC0000005: "an access violation",
    0xC000001D: "an illegal instruction",
    0xC00000FD: "a stack overflow",
    0xC0000135: "a DLL that was not found",
    0xC0000374: "a corrupted heap",
    0xC0000409: "abort or a failed check",
    0xC0000602: "Environment.FailFast",
    0xE0434352: "an uncaught C# exception",
}


class ChildProcess:
    """A running process with a pipe for requests and a pipe for answers.

    A thread starts the process and reads its output. The process ends when the pipe for requests is closed. It ends even if Python is
    killed: it asks Linux to kill it when that thread ends, and Windows to tell it of Python's end (``dotnet/src/Bridge.Host/Systems``).
    """

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], on_output: Callable[[str], None] | None
    ) -> None:
        """Start ``command`` with three more arguments: two descriptors (on Windows, handles) and the id of Python's process.

        The command reads requests from the first one, and writes answers to the second one.

        ``on_output`` is called with each line of the command's standard output and standard error. Raises HostStartError if the
        command cannot be started.
        """
        self.tail: deque[str] = deque(maxlen=TAIL_LENGTH)
        self._on_output = on_output
        self._buffer = bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: Exception | None = None
        self._pipes = system.new_pipes()
        started = threading.Event()
        self._reader = threading.Thread(
            target=self._run, args=(list(command), dict(environ), started), name="bridge-host", daemon=True
        )
        try:
            self._reader.start()
            started.wait()
        except BaseException:
            started.wait(_END_TIMEOUT)
            self.end(0)
            raise
        if self.pid < 0:
            self.release()
            raise HostStartError(f"{command[0]} cannot be started: {self._failure}") from self._failure

    @property
    def pid(self) -> int:
        """Return the process id; -1 if the process did not start."""
        return -1 if self._process is None else self._process.pid

    def write(self, data: bytes, deadline: float) -> None:
        """Write ``data`` before ``deadline``, a value of ``time.monotonic``. Raises HostDied and HostTimeout."""
        try:
            if not self._pipes.write(data, deadline):
                raise self._timeout_error("did not read the request")
        except BrokenPipeError:
            raise self.exit_error() from None

    def read_line(self, deadline: float) -> bytes:
        """Read a line before ``deadline``, and return it without the newline. Raises HostDied, HostTimeout and HostProtocolError."""
        looked = 0
        while (found := self._buffer.find(b"\n", looked)) < 0:
            looked = len(self._buffer)
            if looked > _MAX_LINE:
                raise self.protocol_error(bytes(self._buffer[:100]))
            data = self._pipes.read(deadline)
            if data is None:
                raise self._timeout_error("did not answer")
            if not data:
                raise self.exit_error()
            self._buffer += data
        line = bytes(self._buffer[:found])
        del self._buffer[: found + 1]
        return line

    def exit_error(self) -> HostDied:
        """End the process, which has closed its pipe, and return a HostDied for the caller to raise."""
        code = self.end(0.5)
        return HostDied(f"The process of TorchSharp {_describe_exit(code)}", self._last(), code)

    def protocol_error(self, line: bytes) -> HostProtocolError:
        """Kill the process, which has written an invalid line, and return an exception for the caller to raise."""
        self.kill()
        shown = line[:100].decode(errors="backslashreplace")
        return HostProtocolError(
            f"The process of TorchSharp wrote an invalid answer, and was killed: {shown!r}", self._last()
        )

    def _timeout_error(self, what: str) -> HostTimeout:
        self.kill()
        return HostTimeout(f"The process of TorchSharp {what} in time, and was killed", self._last())

    def kill(self) -> None:
        self.end(0)

    def end(self, patience: float = _END_TIMEOUT) -> int | None:
        """Close the pipes, wait up to ``patience`` seconds for the process to end, and kill it if it does not.

        Returns the exit code; None if the process did not start or cannot be killed.
        """
        self._pipes.close()
        process = self._process
        if process is None:
            return None
        try:
            if patience:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(patience)
            with suppress(ProcessLookupError):
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_END_TIMEOUT)
            return None
        finally:
            # Wait for the thread to read the last output, but not long: a child of the process may keep the pipe open.
            self._reader.join(1.0)
            self._pipes.join(1.0)

    def release(self) -> None:
        """Close the pipes and forget the process without ending it. A forked child of Python must not end its parent's process."""
        self._pipes.release()
        self._process = None

    def _last(self) -> tuple[str, ...]:
        return tuple(self.tail)

    def _run(self, command: list[str], environ: dict[str, str], started: threading.Event) -> None:
        """Start the process, and read its output until it ends. Runs in the thread ``_reader``."""
        try:
            self._process = self._pipes.start(command, environ)
        except Exception as error:
            self._failure = error
            return
        finally:
            started.set()
        assert self._process.stdout is not None
        with self._process.stdout as printed:
            for data in printed:
                line = data.decode(errors="replace").rstrip("\r\n")
                self.tail.append(line)
                if self._on_output is not None:
                    with suppress(Exception):  # an exception would end this thread, and Linux would kill the process
                        self._on_output(line)
        # Linux would kill the process if this thread ended first.
        self._process.wait()


def _describe_exit(code: int | None) -> str:
    if code is None:
        return "closed its pipe and cannot be ended"
    if code >= 1 << 31:
        why = _WINDOWS_ENDS.get(code)
        return f"ended with exit code 0x{code:08X}" + (f" ({why})" if why else "")
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
