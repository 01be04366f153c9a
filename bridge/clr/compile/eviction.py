"""The removal of builds whose projects are gone: each holds megabytes, and projects in temporary folders leave many."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

#: The seconds that a build stays after its project was last built: a process may still load assemblies from it.
AGE: Final = 86_400
_NOTE: Final = "project"


def note_project(folder: Path, project: Path) -> None:
    """Write the path of a project into the folder of its builds, with the time."""
    (folder / _NOTE).write_bytes(os.fsencode(project))


def evict(cache: Path, age: float = AGE) -> list[Path]:
    """Remove the builds of projects that no longer exist and were last built ``age`` seconds ago or earlier; return their folders.

    A folder that another process holds the lock of, or that cannot be removed, is left.
    """
    removed = []
    for note in cache.glob(f"*/{_NOTE}"):
        with suppress(OSError, Timeout):
            if note.stat().st_mtime > time.time() - age or Path(os.fsdecode(note.read_bytes())).exists():
                continue
            _remove(note.parent)
            removed.append(note.parent)
    return removed


def _remove(folder: Path) -> None:
    """Remove the folder of a build. Raises Timeout or OSError if it is in use, and then leaves it unchanged."""
    with FileLock(folder / "building.lock", timeout=0):
        if os.name == "posix":
            shutil.rmtree(folder)
            return
    # Windows removes no open lock. It renames no folder with an open file: a lock that was taken since, an assembly that is loaded.
    shutil.rmtree(folder.rename(folder.with_name(f"{folder.name}.gone")))
