"""Which files were saved, by a look at times, sizes and inodes: that works on every file system and where editors replace files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

#: What tells one content of a file from another; None where there is no file.
Mark: TypeAlias = tuple[int, int, int] | None


def looked_at(files: Iterable[Path]) -> dict[Path, Mark]:
    """The files as they are now."""
    return {file: _mark(file) for file in files}


def saved_since(before: Mapping[Path, Mark], now: Mapping[Path, Mark]) -> list[Path]:
    """The files that are other than before, new, or gone."""
    return [file for file in dict.fromkeys((*before, *now)) if before.get(file) != now.get(file)]


def _mark(file: Path) -> Mark:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
