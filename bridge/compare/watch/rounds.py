"""One round after another: look which files were saved, compile, compare, wait for the next save."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bridge.clr import DotNetNotFound
from bridge.clr.build.projects import BuildError
from bridge.clr.build.recompiler import SOURCES, Project
from bridge.compare.watch.saved import Mark, looked_at, saved_since
from bridge.compare.watch.worker import Worker

#: Seconds between two looks at the files.
PAUSE: Final = 0.05
#: Errors of the compiler that are shown; the rest is counted.
ERRORS: Final = 10


class Rounds:
    """The comparisons of one ``--watch``.

    ``run(assembly)`` compares and prints, in a process of its own; ``say`` prints a line; ``project`` is what is built, None where an
    assembly is compared as it is; ``files`` are watched besides what a comparison reads; .NET is made ready where ``dotnet``.
    """

    def __init__(
        self,
        run: Callable[[Path | None], int],
        say: Callable[[str], None],
        project: Project | None,
        files: Iterable[Path],
        *,
        dotnet: bool = True,
    ) -> None:
        self._run, self._say, self._project, self._dotnet = run, say, project, dotnet
        self._files = tuple(file.absolute() for file in files)
        self._read: tuple[Path, ...] = ()
        self._modules: tuple[str, ...] = ()
        self._spare: Worker | None = None
        self._assembly: Path | None = None

    def forever(self) -> None:
        """Compares, and again after each save."""
        seen, changed, began = self._look(), None, time.time()
        while True:
            self._round(seen, changed, began)
            self._know(seen, began)
            changed, seen = self._wait(seen)
            began = _saved_at(changed, seen)

    def _round(self, seen: Mapping[Path, Mark], changed: Sequence[Path] | None, began: float) -> None:
        spare = self._ready()
        if not self._built(changed):
            self._end_of_round("does not compile", changed, began)
            return
        self._spare = None
        spare.begin(self._assembly)
        while (report := spare.report(PAUSE)) is None:
            if saved_since(seen, looked_at(seen)):
                spare.end()
                return
        self._read, self._modules = report.files or self._read, report.modules or self._modules
        if report.code < 0:
            self._say(f"The comparison was ended by {signal.Signals(-report.code).name}.")
        self._end_of_round("compared", changed, began)
        self._ready()

    def _ready(self) -> Worker:
        """The process of the next comparison."""
        if self._spare is None:
            self._spare = Worker(self._run, self._modules, dotnet=self._dotnet)
        return self._spare

    def _built(self, changed: Sequence[Path] | None) -> bool:
        """Whether there is an assembly of the sources as they are; else the compiler's words are on the screen."""
        if self._project is None:
            return True
        sources = None if changed is None else [file for file in changed if file.suffix in SOURCES]
        if sources or self._assembly is None:
            self._assembly = None
            try:
                self._assembly = self._project.build(sources)
            except (BuildError, DotNetNotFound) as error:
                self._say(short(str(error)))
        return self._assembly is not None

    def _look(self) -> dict[Path, Mark]:
        built = () if self._project is None else self._project.files()
        return looked_at((*self._files, *self._read, *built))

    def _know(self, seen: dict[Path, Mark], began: float) -> None:
        """Adds files that were not known to be of interest, unless they were saved since the round began."""
        for file, mark in self._look().items():
            if file not in seen and mark is not None and mark[0] < began * 1e9:
                seen[file] = mark

    def _wait(self, seen: Mapping[Path, Mark]) -> tuple[list[Path], dict[Path, Mark]]:
        """What was saved, once nothing more is, and how all files are then."""
        while not saved_since(seen, now := self._look()):
            time.sleep(PAUSE)
        while True:
            time.sleep(PAUSE)
            if not saved_since(now, later := self._look()):
                return saved_since(seen, later), later
            now = later

    def _end_of_round(self, what: str, changed: Sequence[Path] | None, began: float) -> None:
        names = "" if not changed else f"{', '.join(sorted(file.name for file in changed)[:3])} saved, "
        watched = len(self._look())
        files = f"{watched} file" + ("" if watched == 1 else "s")
        self._say(f"-- {names}{what} after {time.time() - began:.1f} s; watching {files}, Ctrl-C ends --")


def _saved_at(changed: Iterable[Path], seen: Mapping[Path, Mark]) -> float:
    """When the last of some files was saved: by the file's time, unless that is another clock's."""
    now = time.time()
    times = [mark[0] / 1e9 for file in changed if (mark := seen.get(file)) is not None]
    last = max(times, default=now)
    return last if now - 1 < last <= now else now


def short(error: str) -> str:
    """What the compiler says: each error once, in a line with its file from here on, the first few."""
    here = f"{Path.cwd()}{os.sep}"
    lines = [line.replace(here, "") for line in error.splitlines()]
    more = len(lines) - 1 - ERRORS
    return "\n".join([*lines[: ERRORS + 1], *([f"… and {more} more."] if more > 0 else [])])
