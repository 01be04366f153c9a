"""Builds a project again and again while its sources are edited: MSBuild once, then the compiler alone, which stays in memory.

``dotnet build`` takes seconds even where one line has changed. It is run at the beginning, when a project file changes and
when sources come or go; what it calls the compiler with is kept, and later edits go to the compiler by these arguments. The
compiler is the SDK's own server process, which this process starts and which ends with it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.clr.build.projects import BuildError, build_project, environment, explained, locked, place_of
from bridge.clr.find.installation import find_dotnet
from bridge.clr.build.orphans import ending_with

#: Not needed to run a model: the assembly for other projects to refer to, documentation, and warnings beyond the compiler's own.
_LEFT_OUT: Final = ("/refout:", "/doc:", "/out:", "/pdb:", "/noconfig")
#: How often, and after how many seconds, the server is looked for once it was started: it needs a tenth of a second.
_TRIES, _PAUSE = 100, 0.05
_SKIPPED: Final = frozenset({"bin", "obj", "artifacts", "node_modules", "packages"})
#: What is watched in a project's folder.
SOURCES: Final = (".cs", ".csproj", ".props", ".targets")


@dataclass(frozen=True, slots=True)
class _Recorded:
    """How the compiler in ``compilers`` was called: for a project, with ``arguments``, for ``target``."""

    project: Path
    compilers: Path
    arguments: tuple[str, ...]
    target: Path

    @classmethod
    def read(cls, file: Path, target: Path) -> _Recorded:
        """What :func:`build_project` has left of a project: ``NAME.project`` and ``NAME.rsp``."""
        project, compilers = file.read_text(encoding="utf-8-sig").splitlines()[:2]
        arguments = file.with_suffix(".rsp").read_text(encoding="utf-8-sig").splitlines()
        return cls(Path(project), Path(compilers, "bincore"), tuple(filter(None, arguments)), target)

    @property
    def sources(self) -> set[Path]:
        """The files that it compiles."""
        return {
            (self.project.parent / one).resolve()
            for one in self.arguments
            if not one.startswith(("/", "-")) or one.endswith(".cs")
        }


class Project:
    """A C# project, or one C# file, that is edited. Use as a context manager: the compiler ends with it."""

    def __init__(self, path: Path, assemblies: Path) -> None:
        self.path = path.resolve()
        self._assemblies = assemblies
        self._recorded: _Recorded | None = None
        self._folders: tuple[Path, ...] = (self.path.parent,)
        self._folder = tempfile.TemporaryDirectory(prefix="bridge-watch-")
        self._server = _Server(Path(self._folder.name))
        self._warming: subprocess.Popen[str] | None = None

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        if self._warming is not None:
            self._warming.kill()
        self._await_warming()
        self._server.close()
        self._folder.cleanup()

    def files(self) -> Iterator[Path]:
        """The sources and project files that there are now: what to look at for changes."""
        if self.path.suffix == ".cs":
            yield self.path
            return
        for folder, names in self._walk():
            yield from (folder / name for name in names if name.endswith(SOURCES))

    def folders(self) -> Iterator[Path]:
        """Yield the folders of the sources, in which files may be created."""
        if self.path.suffix == ".cs":
            yield self.path.parent
        else:
            yield from (folder for folder, _ in self._walk())

    def _walk(self) -> Iterator[tuple[Path, list[str]]]:
        for top in self._folders:
            for folder, inner, names in os.walk(top):
                inner[:] = [name for name in inner if name not in _SKIPPED and not name.startswith(".")]
                yield Path(folder), names

    def build(self, changed: Iterable[Path] | None = None) -> Path:
        """The assembly, of the sources as they are; ``changed`` are the files that are other, new or gone since, None if that is not known.

        Raises BuildError, and DotNetNotFound when there is no SDK.
        """
        recorded = self._recorded
        if recorded is None or changed is None or not _only_edits(set(changed), recorded.sources):
            return self._whole()
        with locked(self.path):
            return self._quick(recorded)

    def _whole(self) -> Path:
        self._recorded = None
        with tempfile.TemporaryDirectory(dir=place_of(self.path)) as folder:
            target = build_project(self.path, self._assemblies, Path(folder))
            projects = [_Recorded.read(file, target) for file in Path(folder).glob("*.project")]
        if self.path.suffix != ".cs":
            self._folders = tuple(dict.fromkeys((self.path.parent, *(one.project.parent for one in projects))))
        self._recorded = next((one for one in projects if one.project == self.path or len(projects) == 1), None)
        if self._recorded is not None:
            self._warm(self._recorded)
        return target

    def _warm(self, recorded: _Recorded) -> None:
        """Has the server compile once, and waits for nothing: its first time takes seconds."""
        self._await_warming()
        made = Path(self._folder.name) / "warming" / recorded.target.name
        made.parent.mkdir(exist_ok=True)
        self._server.start(recorded.compilers)
        self._warming = self._compiler(recorded, made)

    def _await_warming(self) -> None:
        if self._warming is not None:
            self._warming.communicate()
            self._warming = None

    def _quick(self, recorded: _Recorded) -> Path:
        self._await_warming()
        with tempfile.TemporaryDirectory(dir=recorded.target.parent) as folder:
            made = Path(folder) / recorded.target.name
            process = self._compiler(recorded, made)
            output, _ = process.communicate()
            if process.returncode:
                raise BuildError(explained(self.path.name, output, swapped=False))
            for file in (made.with_suffix(".pdb"), made):
                if file.exists():
                    file.replace(recorded.target.with_name(file.name))
        return recorded.target

    def _compiler(self, recorded: _Recorded, made: Path) -> subprocess.Popen[str]:
        response = made.with_suffix(".rsp")
        kept = [one for one in recorded.arguments if not one.startswith(_LEFT_OUT)]
        lines = [*kept, "/skipanalyzers+", f"/out:{made}"]
        response.write_text("\n".join(_quoted(line) for line in lines), encoding="utf-8")
        return self._server.compiler(recorded.compilers, response, recorded.project.parent)


def _only_edits(changed: set[Path], sources: set[Path]) -> bool:
    """Whether nothing but sources that the compiler knows was edited."""
    return all(one in sources and one.exists() for one in changed)


def _quoted(argument: str) -> str:
    """An argument as a line of a response file."""
    if '"' in argument or " " not in argument:
        return argument
    option, colon, value = argument.partition(":")
    return f'{option}{colon}"{value}"' if argument.startswith("/") and colon else f'"{argument}"'


class _Server:
    """The compiler of the SDK as a process that stays, a child of this one. Where it is not there, a compiler of its own is started."""

    def __init__(self, folder: Path) -> None:
        self._name = f"{folder.name}.compiler"  # beside the folder
        self._dotnet = find_dotnet(sdk=True)
        self._process: subprocess.Popen[str] | None = None

    @property
    def _socket(self) -> Path:
        """Where it listens: the SDK puts the pipes of its compilers there, whatever TMPDIR says."""
        return Path("/tmp") / self._name

    def start(self, compilers: Path) -> None:
        """Starts the process, unless it runs, and waits until it listens, but not for long."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._run(compilers / "VBCSCompiler.dll", f"-pipename:{self._name}")
            for _ in range(_TRIES):
                if self._listens():
                    break
                time.sleep(_PAUSE)

    def compiler(self, compilers: Path, response: Path, folder: Path) -> subprocess.Popen[str]:
        """A compiler by the arguments in ``response``; its output says what is wrong."""
        self.start(compilers)
        shared = (f"/shared:{self._name}",) if self._listens() else ()
        return self._run(compilers / "csc.dll", "/noconfig", *shared, f"@{response}", folder=folder)

    def _listens(self) -> bool:
        """Whether it is there. A compiler that does not find its server starts one that would stay behind.

        The socket is not connected to: the server takes a client that leaves for a reason to end.
        """
        return self._process is not None and self._process.poll() is None and self._socket.exists()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._socket.unlink(missing_ok=True)

    def _run(self, program: Path, *arguments: str, folder: Path | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self._dotnet.command), "exec", str(program), *arguments],
            cwd=folder,
            env=environment(self._dotnet),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=ending_with(os.getpid()),
        )
