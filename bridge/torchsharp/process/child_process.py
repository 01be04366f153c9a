"""The process itself: started with two pipes, its standard error read, ended for certain."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from bridge.torchsharp.process.errors import HostDied, HostProtocolError, HostStartError, HostTimeout

#: Lines of standard error that an error tells.
KEPT = 20
#: Seconds for a process to end by itself, and for one that was killed to be gone.
_ENDING = 5.0
#: A line of an answer has at most so many bytes; elements of tensors are not in it.
_LONGEST = 1 << 28


class ChildProcess:
    """A running process with a pipe for what it is told and one for what it says.

    The thread that reads its standard error also starts it, since Linux kills the process when the thread that started it ends: this one
    ends with Python, however Python ends. The process itself asks for that (``Guard.cs``), and watches the first pipe besides.
    """

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], heard: Callable[[str], None] | None) -> None:
        """Starts ``command`` with three more arguments: the descriptors to read and to write, and the number of this process.

        ``heard`` gets each line of its standard output and standard error. Raises HostStartError.
        """
        self.tail: deque[str] = deque(maxlen=KEPT)
        self._heard = heard
        self._buffer = bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        theirs_in, self._write = os.pipe()
        self._read, theirs_out = os.pipe()
        os.set_blocking(self._write, False)
        os.set_blocking(self._read, False)
        started = threading.Event()
        whole = [*command, str(theirs_in), str(theirs_out), str(os.getpid())]
        self._reader = threading.Thread(
            target=self._run,
            args=(whole, dict(environ), (theirs_in, theirs_out), started),
            name="bridge-host",
            daemon=True,
        )
        try:
            self._reader.start()
            started.wait()
        except BaseException:
            started.wait(_ENDING)
            self.end(0)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        if self.pid < 0:
            self.forget()
            raise HostStartError(f"{command[0]} cannot be started: {self._failure}") from self._failure
        self._answers = select.poll()
        self._answers.register(self._read, select.POLLIN)
        self._requests = select.poll()
        self._requests.register(self._write, select.POLLOUT)

    @property
    def pid(self) -> int:
        """Its number; -1 where none was started."""
        return -1 if self._process is None else self._process.pid

    def write(self, data: bytes, deadline: float) -> None:
        """Writes all of ``data`` until ``deadline`` (``time.monotonic``). Raises HostDied and HostTimeout."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._write, left) :]
            except BlockingIOError:
                if not self._requests.poll(_milliseconds(deadline)):
                    raise self._timeout("did not read what it was asked") from None
            except BrokenPipeError:
                raise self.died() from None

    def line(self, deadline: float) -> bytes:
        """The next line, without its end. Raises HostDied, HostTimeout and HostProtocolError."""
        looked = 0
        while (found := self._buffer.find(b"\n", looked)) < 0:
            looked = len(self._buffer)
            if looked > _LONGEST:
                raise self.rubbish(bytes(self._buffer[:100]))
            if not self._answers.poll(_milliseconds(deadline)):
                raise self._timeout("did not answer")
            try:
                data = os.read(self._read, 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                raise self.died()
            self._buffer += data
        line = bytes(self._buffer[:found])
        del self._buffer[: found + 1]
        return line

    def died(self) -> HostDied:
        """The error of a process that has closed its pipe, which is gone afterwards."""
        code = self.end(0.5)
        return HostDied(f"The process of TorchSharp {_ended(code)}", self._last(), code)

    def rubbish(self, line: bytes) -> HostProtocolError:
        """The error of a line that is no answer; the process is gone afterwards."""
        self.kill()
        shown = line[:100].decode(errors="backslashreplace")
        return HostProtocolError(
            f"The process of TorchSharp wrote what is no answer, and was killed: {shown!r}", self._last()
        )

    def _timeout(self, what: str) -> HostTimeout:
        self.kill()
        return HostTimeout(f"The process of TorchSharp {what} in time, and was killed", self._last())

    def kill(self) -> None:
        """Ends the process at once."""
        self.end(0)

    def end(self, patience: float = _ENDING) -> int | None:
        """Closes the pipes, gives the process ``patience`` seconds to end, kills it then.

        Its exit code; None if it cannot even be killed.
        """
        self._close()
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
                return process.wait(_ENDING)
            return None
        finally:
            # What it wrote last. A process that it has started may hold the pipe open.
            self._reader.join(1.0)

    def forget(self) -> None:
        """In a forked child of Python: the process is the parent's, and ends when the parent's pipe is closed, not when this copy is."""
        self._close()
        self._process = None

    def _close(self) -> None:
        for name in ("_write", "_read"):
            descriptor = getattr(self, name)
            if descriptor >= 0:
                setattr(self, name, -1)
                os.close(descriptor)

    def _last(self) -> tuple[str, ...]:
        return tuple(self.tail)

    def _run(
        self, command: list[str], environ: dict[str, str], pipes: tuple[int, int], started: threading.Event
    ) -> None:
        """The thread: starts the process, then reads what it prints until it ends."""
        try:
            self._process = subprocess.Popen(
                command,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=pipes,
                process_group=0,  # Ctrl-C is Python's to handle
            )
        except OSError as error:
            self._failure = error
            return
        finally:
            started.set()
        assert self._process.stdout is not None
        with self._process.stdout as printed:
            for data in printed:
                line = data.decode(errors="replace").rstrip("\r\n")
                self.tail.append(line)
                if self._heard is not None:
                    with suppress(Exception):  # whoever listens must not end this thread, which holds the process
                        self._heard(line)
        # Not before: the process is killed when this thread ends.
        self._process.wait()


def _milliseconds(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic()) * 1000


def _ended(code: int | None) -> str:
    if code is None:
        return "closed its pipe and cannot be ended"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
