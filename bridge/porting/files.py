"""The files that a command writes: whether they can be written is known before the work, and they are whole or not there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bridge.porting.errors import OutputError
from bridge.whole import in_place_of, replaceable


def write_at_once(path: Path, text: str) -> None:
    """Writes ``text`` as UTF-8 to ``path``: a reader never sees half of it. Raises OSError and leaves nothing."""
    with in_place_of(path) as temporary, temporary.open("wb") as file:
        file.write(text.encode("utf-8", errors="backslashreplace"))
        file.flush()
        os.fsync(file.fileno())


def check_writable(path: Path) -> None:
    """Raises OutputError if ``path`` cannot be written to, before anything long is begun."""
    try:
        target = replaceable(path)
        if not target.parent.is_dir():
            raise OutputError(f"{path} cannot be written: there is no folder {target.parent}.")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    os.close(handle)
    Path(temporary).unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> OutputError:
    """The OutputError that says why ``path`` could not be written."""
    return OutputError(f"{path} cannot be written: {error.strerror or error}.")
