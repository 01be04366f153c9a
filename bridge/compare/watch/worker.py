"""The process of one comparison, prepared before it is needed.

On Linux it is forked from a process that has imported torch. Other systems have no fork (Windows), or none that is safe after an import of
torch (macOS): there it is a new process, which imports torch itself.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import source_from_cache
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final, NoReturn

from bridge.clr.compile.children import END, exit_with_parent

#: Whether a worker's process is forked, so that it has the modules of its parent.
FORKS: Final = sys.platform == "linux"
#: The folders of the standard library, of installed packages and of this package. Modules from these folders are imported in advance,
#: since they are assumed not to change during a --watch.
_INSTALLED: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(__file__).parents[2])}
)
#: The exit code of a worker's process; it is read only if the worker has written no result.
_BROKEN: Final = 70


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """The result of a worker."""

    #: The exit code; negative if a signal ended the process.
    code: int
    #: The user's Python files that the process read.
    files: tuple[Path, ...] = ()
    #: The modules from :data:`_INSTALLED` that the process imported.
    modules: tuple[str, ...] = ()
    #: Whether the process has compared; False if it ended before.
    complete: bool = True


class Worker:
    """A process that waits for the assembly to compare. ``run(assembly)`` compares and returns an exit code.

    The process imports ``modules`` at once, and with ``dotnet`` starts .NET. If one of these steps fails, the error is ignored: the
    comparison repeats the step. Unless :data:`FORKS`, ``run`` is pickled.
    """

    def __init__(self, run: Callable[[Path | None], int], modules: Sequence[str], *, dotnet: bool) -> None:
        self._connection, connection = multiprocessing.Pipe()
        arguments = os.getpid(), run, tuple(modules), dotnet, self._connection, connection
        self._process = _Fork(arguments) if FORKS else _spawn(arguments)
        connection.close()

    def begin(self, assembly: Path | None) -> None:
        """Let the process compare as soon as it is prepared; do nothing if it has ended."""
        with suppress(OSError):
            self._connection.send(assembly)

    def report(self, seconds: float) -> WorkerResult | None:
        """Return the result and end the process; return None if nothing has come from the process for ``seconds``."""
        try:
            if self._connection.poll(seconds):
                result: WorkerResult = self._connection.recv()
                self.end()
                return result
        except (EOFError, OSError):
            pass
        else:
            if self._process.exitcode is None:
                return None
        return WorkerResult(self.end(kill=False), complete=False)

    def end(self, kill: bool = True) -> int:
        """Kill the process, or with ``kill=False`` only wait for its end; return its exit code."""
        if kill:
            self._process.kill()
        self._process.join()
        self._connection.close()
        return self._process.exitcode or 0


class _Fork:
    """A forked process, with the members of multiprocessing's processes. Unlike these, it keeps the standard input."""

    exitcode: int | None = None

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self._pid = os.fork()
        if not self._pid:
            _work(*arguments)

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def join(self) -> None:
        _, status = os.waitpid(self._pid, 0)
        self.exitcode = os.waitstatus_to_exitcode(status)


def _spawn(arguments: tuple[Any, ...]) -> SpawnProcess:
    process = multiprocessing.get_context("spawn").Process(target=_work, args=arguments)
    process.start()
    return process


def _work(
    parent: int,
    run: Callable[[Path | None], int],
    modules: Iterable[str],
    dotnet: bool,
    parents: Connection,
    connection: Connection,
) -> NoReturn:
    """Run the process: prepare, read the request, compare, write the result."""
    try:
        parents.close()
        exit_with_parent(parent)
        signal.signal(END, signal.SIG_DFL)
        # Python would use stale bytecode after an edit that changes neither the size nor the modification time (in seconds) of the source.
        sys.dont_write_bytecode = True
        read = _ReadFiles()
        imported = set(sys.modules)
        _prepare(modules, dotnet)
        with suppress(EOFError):
            code = run(connection.recv())
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            new = _installed_modules(set(sys.modules) - imported)
            connection.send(WorkerResult(code, tuple(map(Path, read.files())), tuple(new)))
    finally:
        # Skips the exit handlers of the interpreter and of .NET, which are slow.
        os._exit(_BROKEN)


def _prepare(modules: Iterable[str], dotnet: bool) -> None:
    with suppress(Exception):
        if dotnet:
            from bridge.mirror.loading import dotnet_runtime

            dotnet_runtime()
    for name in modules:
        with suppress(Exception, SystemExit):
            importlib.import_module(name)


class _ReadFiles:
    """A recorder of the Python files that are opened, mostly by imports."""

    def __init__(self) -> None:
        self._files: dict[str, None] = {}
        sys.addaudithook(self._record)

    def _record(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith((".py", ".pyc")):
            self._files[arguments[0]] = None

    def files(self) -> list[str]:
        """Return the absolute paths of the recorded files that are the user's and exist."""
        found = dict.fromkeys(str(Path(_source_file(file)).absolute()) for file in list(self._files))
        return [file for file in found if not file.startswith(_INSTALLED) and Path(file).exists()]


def _source_file(file: str) -> str:
    if file.endswith(".pyc"):
        with suppress(ValueError):
            return source_from_cache(file)
    return file


def _installed_modules(names: Iterable[str]) -> list[str]:
    """Return the names of modules from :data:`_INSTALLED`, packages before their submodules."""
    found = []
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and file.startswith(_INSTALLED):
            found.append(name)
    return sorted(found, key=lambda name: (name.count("."), name))
