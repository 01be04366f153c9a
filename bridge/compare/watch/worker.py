"""The process of one comparison: forked from a process that has imported torch, and prepared before it is needed."""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, Final, NoReturn

from bridge.clr.compile.orphans import exit_with_parent

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


class Worker:
    """A process that waits for the assembly to compare. ``run(assembly)`` compares and returns an exit code.

    The process imports ``modules`` at once, and with ``dotnet`` starts .NET. If one of these steps fails, the error is ignored: the
    comparison repeats the step.
    """

    def __init__(self, run: Callable[[Path | None], int], modules: Sequence[str], *, dotnet: bool) -> None:
        requests, self._requests = os.pipe()
        self._results, results = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._requests)
            os.close(self._results)
            _work(parent, run, modules, dotnet, requests, results)
        os.close(requests)
        os.close(results)
        self._received = b""

    def begin(self, assembly: Path | None) -> None:
        """Let the process compare as soon as it is prepared; do nothing if it has ended."""
        with suppress(BrokenPipeError):
            os.write(
                self._requests, json.dumps({"assembly": None if assembly is None else str(assembly)}).encode() + b"\n"
            )

    def report(self, seconds: float) -> WorkerResult | None:
        """Return the result and end the process; return None if nothing has come from the process for ``seconds``."""
        while select.select([self._results], [], [], seconds)[0]:
            data = os.read(self._results, 1 << 16)
            self._received += data
            if not data or self._received.endswith(b"\n"):
                return self._take_result()
        return None

    def _take_result(self) -> WorkerResult:
        complete = self._received.endswith(b"\n")
        status = self.end(kill=complete)
        if not complete:
            return WorkerResult(os.waitstatus_to_exitcode(status))
        result: dict[str, Any] = json.loads(self._received)
        return WorkerResult(result["code"], tuple(map(Path, result["files"])), tuple(result["modules"]))

    def end(self, kill: bool = True) -> int:
        """Kill the process, or with ``kill=False`` only wait for its end; return its wait status."""
        if kill:
            os.kill(self._pid, signal.SIGKILL)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._requests)
        os.close(self._results)
        return status


def _work(
    parent: int, run: Callable[[Path | None], int], modules: Iterable[str], dotnet: bool, requests: int, results: int
) -> NoReturn:
    """Run the forked process: prepare, read the request, compare, write the result."""
    try:
        exit_with_parent(parent)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Python would use stale bytecode after an edit that changes neither the size nor the modification time (in seconds) of the source.
        sys.dont_write_bytecode = True
        read = _ReadFiles()
        imported = set(sys.modules)
        _prepare(modules, dotnet)
        with os.fdopen(requests, "rb") as lines:
            line = lines.readline()
        if line:
            assembly = json.loads(line)["assembly"]
            code = run(None if assembly is None else Path(assembly))
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            result = {"code": code, "files": read.files(), "modules": _installed_modules(set(sys.modules) - imported)}
            _write(results, json.dumps(result).encode() + b"\n")
    finally:
        # Skips the exit handlers of the interpreter and of .NET, which are slow.
        os._exit(_BROKEN)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


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
