"""The rounds of ``compare --watch``: compile, compare, wait for the next save."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from bridge.clr import DotNetNotFound
from bridge.clr.compile.recompiler import SOURCES, Project
from bridge.clr.errors import BuildError
from bridge.compare.watch.changes import Mark, changed_files, folder_events, marks
from bridge.compare.watch.worker import Worker
from hook_contract.output.sentences import plural

#: Seconds between two checks for a save while a comparison runs.
PAUSE: Final = 0.05
LISTED_ERRORS: Final = 10


class Rounds:
    """The comparisons of one run of ``compare --watch``.

    - ``run(assembly)`` compares, prints and returns an exit code; each call runs in its own process, to which ``run`` may be pickled.
    - ``say`` prints a line.
    - ``project`` has the C# sources; None if the C# model is an assembly.
    - ``files`` are further files to watch, besides the sources and the Python files that a comparison reads.
    - With ``dotnet``, .NET is started in advance.
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
        self._running: Worker | None = None
        self._assembly: Path | None = None

    def forever(self) -> None:
        """Compare, and repeat after each save."""
        seen, changed, began = self._marks(), None, time.time()
        try:
            while True:
                self._round(seen, changed, began)
                self._add_new_files(seen, began)
                changed, seen = self._wait(seen)
                began = _last_save(changed, seen)
        finally:
            for worker in (self._spare, self._running):
                if worker is not None:
                    worker.end()  # Python would wait for it

    def _round(self, seen: Mapping[Path, Mark], changed: Sequence[Path] | None, began: float) -> None:
        worker = self._next_worker()
        if not self._build(changed):
            self._end_of_round("does not compile", changed, began)
            return
        self._spare, self._running = None, worker
        worker.begin(self._assembly)
        while (report := worker.report(PAUSE)) is None:
            if changed_files(seen, marks(seen)):
                self._running = None
                worker.end()
                return
        self._running = None
        self._read, self._modules = report.files or self._read, report.modules or self._modules
        if not report.complete:
            self._say(f"The comparison was ended by {_ending(report.code)}.")
        self._end_of_round("compared", changed, began)
        self._next_worker()

    def _next_worker(self) -> Worker:
        """Return the process of the next comparison; start it if there is none."""
        if self._spare is None:
            self._spare = Worker(self._run, self._modules, dotnet=self._dotnet)
        return self._spare

    def _build(self, changed: Sequence[Path] | None) -> bool:
        """Build the sources if they have changed or are not built; print an error of the build. Return whether the comparison can run."""
        if self._project is None:
            return True
        sources = None if changed is None else [file for file in changed if file.suffix in SOURCES]
        if sources or self._assembly is None:
            self._assembly = None
            try:
                self._assembly = self._project.build(sources)
            except (BuildError, DotNetNotFound) as error:
                self._say(shorten(str(error)))
        return self._assembly is not None

    def _marks(self) -> dict[Path, Mark]:
        sources = () if self._project is None else self._project.files()
        return marks((*self._files, *self._read, *sources))

    def _folders(self) -> Iterator[Path]:
        """Yield the folders to watch: those of the project, of all other files, and of these files' targets if they are symbolic links."""
        for file in (*self._files, *self._read):
            yield file.parent
            yield file.resolve().parent
        if self._project is not None:
            yield from self._project.folders()

    def _add_new_files(self, seen: dict[Path, Mark], began: float) -> None:
        """Add newly watched files and their marks to ``seen``, unless they were saved after the round began."""
        for file, mark in self._marks().items():
            if file not in seen and mark is not None and mark[0] < began * 1e9:
                seen[file] = mark

    def _wait(self, seen: Mapping[Path, Mark]) -> tuple[list[Path], dict[Path, Mark]]:
        """Wait until files are saved and no more saves follow; return these files, and the :data:`Mark` of each watched file."""
        while True:
            # Watching restarts after each event, to include new folders; marks show what was saved in between.
            with closing(folder_events(self._folders())) as events:
                next(events)
                if changed_files(seen, self._marks()):
                    while next(events):
                        pass
                    now = self._marks()
                    return changed_files(seen, now), now
                while not next(events):
                    pass

    def _end_of_round(self, result: str, changed: Sequence[Path] | None, began: float) -> None:
        names = "" if not changed else f"{', '.join(sorted(file.name for file in changed)[:3])} saved, "
        files = plural(len(self._marks()), "file")
        self._say(f"-- {names}{result} after {time.time() - began:.1f} s; watching {files}, Ctrl-C ends --")


def _ending(code: int) -> str:
    """Return the name of the signal that ended a process, or its exit code: in hexadecimal if it is one of Windows' errors."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code if code <= 0xFFFF else f'0x{code:08X}'}"


def _last_save(changed: Iterable[Path], seen: Mapping[Path, Mark]) -> float:
    """Return the newest modification time of the changed files if it is within the last second, else the current time."""
    now = time.time()
    times = [mark[0] / 1e9 for file in changed if (mark := seen.get(file)) is not None]
    last = max(times, default=now)
    return last if now - 1 < last <= now else now


def shorten(error: str) -> str:
    """Return the first lines of the compiler's errors, with paths relative to the current folder."""
    current = f"{Path.cwd()}{os.sep}"
    lines = [line.replace(current, "") for line in error.splitlines()]
    more = len(lines) - 1 - LISTED_ERRORS
    return "\n".join([*lines[: LISTED_ERRORS + 1], *([f"… and {more} more."] if more > 0 else [])])
