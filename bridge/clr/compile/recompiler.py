"""Fast rebuilds of a project while its sources are edited: by the compiler alone, without MSBuild.

``dotnet build`` takes seconds even if only one line has changed. It runs for the first build, and again when a project file or a source of
a referenced project changes, when sources are added or removed, and after a ``dotnet build`` that failed. Each ``dotnet build`` records the
compiler's arguments. After other edits, only the compiler is called, with the recorded arguments. The compiler runs in the SDK's compiler
server, a child process of this process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.clr.compile.children import Child
from bridge.clr.compile.projects import build_folder, build_project, environment, explain, lock
from bridge.clr.errors import BuildError
from bridge.clr.find.installation import find_dotnet

#: Recorded options that are replaced, or not needed to run a model.
_DROPPED_OPTIONS: Final = ("/refout:", "/doc:", "/out:", "/pdb:", "/noconfig")
#: The maximum number of checks whether the server listens, and the seconds between two checks. A start takes a tenth of a second.
_TRIES, _INTERVAL = 100, 0.05
#: The folder of the compiler server's socket on POSIX: the SDK puts it there, even if TMPDIR is set.
_SOCKETS: Final = Path("/tmp")
#: Windows' error if all instances of a pipe are in use.
_ERROR_SEM_TIMEOUT: Final = 121
_SKIPPED: Final = frozenset({"bin", "obj", "artifacts", "node_modules", "packages"})
#: The suffixes of the files that are watched.
SOURCES: Final = (".cs", ".csproj", ".props", ".targets")


@dataclass(frozen=True, slots=True)
class _CompilerCall:
    """A recorded call of the compiler for a project. ``compilers`` is the folder of csc.dll, ``target`` the built assembly."""

    project: Path
    compilers: Path
    arguments: tuple[str, ...]
    target: Path

    @classmethod
    def read(cls, file: Path, target: Path) -> _CompilerCall:
        """Read the files ``NAME.project`` and ``NAME.rsp`` that :func:`build_project` has written; ``file`` is ``NAME.project``."""
        project, compilers = file.read_text(encoding="utf-8-sig").splitlines()[:2]
        arguments = file.with_suffix(".rsp").read_text(encoding="utf-8-sig").splitlines()
        return cls(Path(project), Path(compilers, "bincore"), tuple(filter(None, arguments)), target)

    @property
    def sources(self) -> set[Path]:
        return {
            (self.project.parent / argument).resolve()
            for argument in self.arguments
            if not argument.startswith(("/", "-")) or argument.endswith(".cs")
        }


class Project:
    """A C# project, or one C# file, that is edited. The end of the ``with`` block ends the compiler server.

    Raises DotNetNotFound when there is no SDK.
    """

    def __init__(self, path: Path, assemblies: Path) -> None:
        self.path = path.resolve()
        self._assemblies = assemblies
        self._call: _CompilerCall | None = None
        self._folders: tuple[Path, ...] = (self.path.parent,)
        self._temporary = tempfile.TemporaryDirectory(prefix="bridge-watch-")
        self._server = _Server(Path(self._temporary.name))
        self._warm_up: Child | None = None

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        if self._warm_up is not None:
            self._warm_up.kill()
        self._await_warm_up()
        self._server.close()
        self._temporary.cleanup()

    def files(self) -> Iterator[Path]:
        """Yield the sources and project files that exist now."""
        if self.path.suffix == ".cs":
            yield self.path
            return
        for folder, names in self._walk():
            yield from (folder / name for name in names if name.endswith(SOURCES))

    def folders(self) -> Iterator[Path]:
        """Yield the folders to watch for new files."""
        if self.path.suffix == ".cs":
            yield self.path.parent
        else:
            yield from (folder for folder, _ in self._walk())

    def _walk(self) -> Iterator[tuple[Path, list[str]]]:
        for top in self._folders:
            for folder, folders, names in os.walk(top):
                folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
                yield Path(folder), names

    def build(self, changed: Iterable[Path] | None = None) -> Path:
        """Build the assembly, and return its path.

        ``changed`` are the files that were changed, added or removed since the last build; None if unknown. Raises BuildError, and
        DotNetNotFound when there is no SDK.
        """
        call = self._call
        if call is None or changed is None or not _are_edits(set(changed), call.sources):
            return self._build_by_msbuild()
        with lock(self.path):
            return self._compile(call)

    def _build_by_msbuild(self) -> Path:
        self._call = None
        with tempfile.TemporaryDirectory(dir=build_folder(self.path)) as folder:
            target = build_project(self.path, self._assemblies, Path(folder))
            calls = [_CompilerCall.read(file, target) for file in Path(folder).glob("*.project")]
        if self.path.suffix != ".cs":
            self._folders = tuple(dict.fromkeys((self.path.parent, *(call.project.parent for call in calls))))
        self._call = next((call for call in calls if call.project == self.path or len(calls) == 1), None)
        if self._call is not None:
            self._start_warm_up(self._call)
        return target

    def _start_warm_up(self, call: _CompilerCall) -> None:
        """Start a compilation without waiting for its end, since the first one in a server takes seconds."""
        self._await_warm_up()
        output = Path(self._temporary.name) / "warming" / call.target.name
        output.parent.mkdir(exist_ok=True)
        self._server.start(call.compilers)
        self._warm_up = self._start_compiler(call, output)

    def _await_warm_up(self) -> None:
        if self._warm_up is not None:
            self._warm_up.communicate()
            self._warm_up = None

    def _compile(self, call: _CompilerCall) -> Path:
        self._await_warm_up()
        with tempfile.TemporaryDirectory(dir=call.target.parent) as folder:
            output = Path(folder) / call.target.name
            process = self._start_compiler(call, output)
            messages, _ = process.communicate()
            if process.returncode:
                raise BuildError(explain(self.path.name, messages, swapped=False))
            for file in (output.with_suffix(".pdb"), output):
                if file.exists():
                    file.replace(call.target.with_name(file.name))
        return call.target

    def _start_compiler(self, call: _CompilerCall, output: Path) -> Child:
        response = output.with_suffix(".rsp")
        arguments = [argument for argument in call.arguments if not argument.startswith(_DROPPED_OPTIONS)]
        lines = [*arguments, "/skipanalyzers+", f"/out:{output}"]
        response.write_text("\n".join(_quoted(line) for line in lines), encoding="utf-8")
        return self._server.compile(call.compilers, response, call.project.parent)


def _are_edits(changed: set[Path], sources: set[Path]) -> bool:
    """Return whether all changed files are existing files among ``sources``."""
    return all(path in sources and path.exists() for path in changed)


def _quoted(argument: str) -> str:
    if '"' in argument or " " not in argument:
        return argument
    option, colon, value = argument.partition(":")
    return f'{option}{colon}"{value}"' if argument.startswith("/") and colon else f'"{argument}"'


def has_pipe(name: str) -> bool:
    """Return whether a server listens at a named pipe of .NET, which on POSIX is a socket in :data:`_SOCKETS`; make no connection."""
    if sys.platform == "win32":
        import _winapi

        try:
            _winapi.WaitNamedPipe(rf"\\.\pipe\{name}", 1)
        except OSError as error:
            return error.winerror == _ERROR_SEM_TIMEOUT
        return True
    return (_SOCKETS / name).exists()


class _Server:
    """The SDK's compiler server as a child process. While the server does not listen, each compilation runs in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._name = f"{folder.name}.compiler"  # unique, as the folder's name is
        self._dotnet = find_dotnet(sdk=True)
        self._process: Child | None = None

    def start(self, compilers: Path) -> None:
        """Start the server and wait up to 5 s until it listens; do nothing if it runs already."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._run(compilers / "VBCSCompiler.dll", f"-pipename:{self._name}")
            for _ in range(_TRIES):
                if self._listens():
                    break
                time.sleep(_INTERVAL)

    def compile(self, compilers: Path, response: Path, folder: Path) -> Child:
        """Start a compilation with the arguments in the file ``response``. The compiler's errors are in the process's output."""
        self.start(compilers)
        shared = (f"/shared:{self._name}",) if self._listens() else ()
        return self._run(compilers / "csc.dll", "/noconfig", *shared, f"@{response}", folder=folder)

    def _listens(self) -> bool:
        """Return whether the server listens.

        Without this check, a compiler that finds no server would start a server that outlives this process. The check does not connect to
        the server, since the server ends when a client disconnects without a request.
        """
        return self._process is not None and self._process.poll() is None and has_pipe(self._name)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            if sys.platform != "win32":  # where the pipe ends with the server
                (_SOCKETS / self._name).unlink(missing_ok=True)

    def _run(self, program: Path, *arguments: str, folder: Path | None = None) -> Child:
        return Child(
            [str(self._dotnet.command), "exec", str(program), *arguments],
            cwd=folder,
            env=environment(self._dotnet),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
        )
