"""One comparison in a process of its own, forked from one that has torch imported and made ready before it is needed."""

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

from bridge.clr.build.orphans import end_with

#: Where distributions are installed: what is there does not change while one edits, and is imported before it is needed.
_INSTALLED: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(__file__).parents[2])}
)
#: The exit code of a worker that could not say what happened.
_BROKEN: Final = 70


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker says in the end: its exit code, negative for a signal; the user's Python files that it read; the installed modules
    that these import."""

    code: int
    files: tuple[Path, ...] = ()
    modules: tuple[str, ...] = ()


class Worker:
    """A process that waits, ready, until it is told the assembly to compare. ``run(assembly)`` is the comparison; it gives an exit code.

    ``modules`` are imported at once, and .NET is started where ``dotnet``; errors of that are left to the comparison.
    """

    def __init__(self, run: Callable[[Path | None], int], modules: Sequence[str], *, dotnet: bool) -> None:
        told, self._tell = os.pipe()
        self._said, say = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._tell)
            os.close(self._said)
            _work(parent, run, modules, dotnet, told, say)
        os.close(told)
        os.close(say)
        self._heard = b""

    def begin(self, assembly: Path | None) -> None:
        """Starts the comparison; one that is not ready yet, or gone, is no error."""
        with suppress(BrokenPipeError):
            os.write(self._tell, json.dumps({"assembly": None if assembly is None else str(assembly)}).encode() + b"\n")

    def report(self, seconds: float) -> Report | None:
        """What it says in the end, if it ends within ``seconds``; it is gone then."""
        while select.select([self._said], [], [], seconds)[0]:
            data = os.read(self._said, 1 << 16)
            self._heard += data
            if not data or self._heard.endswith(b"\n"):
                return self._ended()
        return None

    def _ended(self) -> Report:
        whole = self._heard.endswith(b"\n")
        status = self.end(whole)
        if not whole:
            return Report(os.waitstatus_to_exitcode(status))
        said: dict[str, Any] = json.loads(self._heard)
        return Report(said["code"], tuple(map(Path, said["files"])), tuple(said["modules"]))

    def end(self, kill: bool = True) -> int:
        """Waits for the process, or kills it first, whatever it does. Gives its status."""
        if kill:
            os.kill(self._pid, signal.SIGKILL)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._tell)
        os.close(self._said)
        return status


def _work(
    parent: int, run: Callable[[Path | None], int], modules: Iterable[str], dotnet: bool, told: int, say: int
) -> NoReturn:
    """What the forked process does; it never returns."""
    try:
        end_with(parent)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # What Python would keep of a module is known by its size and the second: two edits may have the same.
        sys.dont_write_bytecode = True
        read = _Read()
        known = set(sys.modules)
        _make_ready(modules, dotnet)
        with os.fdopen(told, "rb") as lines:
            line = lines.readline()
        if line:
            assembly = json.loads(line)["assembly"]
            code = run(None if assembly is None else Path(assembly))
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            said = {"code": code, "files": read.files(), "modules": _installed(set(sys.modules) - known)}
            _write(say, json.dumps(said).encode() + b"\n")
    finally:
        # Without the interpreter's and .NET's exit, which take long.
        os._exit(_BROKEN)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _make_ready(modules: Iterable[str], dotnet: bool) -> None:
    # What goes wrong here goes wrong in the comparison again, which says so.
    with suppress(Exception):
        if dotnet:
            from bridge.mirror.loading import runtime

            runtime()
    for name in modules:
        with suppress(Exception, SystemExit):
            importlib.import_module(name)


class _Read:
    """The user's Python files that are read from now on, by imports mostly, also by those that fail."""

    def __init__(self) -> None:
        self._files: dict[str, None] = {}
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith((".py", ".pyc")):
            self._files[arguments[0]] = None

    def files(self) -> list[str]:
        """Their absolute paths."""
        found = dict.fromkeys(str(Path(_source(file)).absolute()) for file in list(self._files))
        return [file for file in found if not file.startswith(_INSTALLED) and Path(file).exists()]


def _source(file: str) -> str:
    if file.endswith(".pyc"):
        with suppress(ValueError):
            return source_from_cache(file)
    return file


def _installed(names: Iterable[str]) -> list[str]:
    """Those of the modules that belong to distributions, outermost first."""
    found = []
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and file.startswith(_INSTALLED):
            found.append(name)
    return sorted(found, key=lambda name: (name.count("."), name))
