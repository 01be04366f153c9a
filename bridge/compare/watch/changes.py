"""Changes of files: the operating system reports changes in folders, and a :data:`Mark` of each file shows whether it was saved."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import watchfiles

#: The time of modification, size and inode (an editor may replace the file on each save); None if there is no file.
Mark: TypeAlias = tuple[int, int, int] | None
#: Milliseconds without an event after which a save is complete.
QUIET: Final = 50


def marks(files: Iterable[Path]) -> dict[Path, Mark]:
    return {file: _mark(file) for file in files}


def changed_files(before: Mapping[Path, Mark], now: Mapping[Path, Mark]) -> list[Path]:
    """Return the files that were modified, created or deleted."""
    return [file for file in dict.fromkeys((*before, *now)) if before.get(file) != now.get(file)]


def folder_events(folders: Iterable[Path]) -> Generator[bool, None, None]:
    """Yield again and again whether something has changed in one of the folders since the last item; subfolders are not watched.

    An item comes after :data:`QUIET` milliseconds without an event, or after 1.6 seconds with events. Watching begins when the first item
    is requested. A missing folder is replaced by the nearest existing folder above it. Where the file system reports no events, the user
    must set ``WATCHFILES_FORCE_POLLING=1``: watchfiles then polls the folders.
    """
    present = {next(parent for parent in (folder, *folder.parents) if parent.is_dir()) for folder in folders}
    changes = watchfiles.watch(
        *present,
        watch_filter=None,
        step=QUIET,
        rust_timeout=QUIET,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    )
    try:
        yield from map(bool, changes)
    except KeyboardInterrupt:
        # watchfiles raises it if a signal handler raises. ``bridge.commands.watch`` raises in its handler of SIGTERM and ignores SIGINT.
        raise SystemExit(0) from None


def _mark(file: Path) -> Mark:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
