"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bridge.porting.errors import OutputError


def write_at_once(path: Path, text: str) -> None:
    """Writes ``text`` as UTF-8 to ``path``: a reader never sees half of it. Raises OSError and leaves nothing."""
    target = Path(path).resolve()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def check_writable(path: Path) -> None:
    """Raises OutputError if ``path`` cannot be written to, before anything long is begun."""
    target = Path(path).resolve()
    try:
        if target.is_dir():
            raise OutputError(f"{path} cannot be written: it is a folder.")
        if not target.parent.is_dir():
            raise OutputError(f"{path} cannot be written: there is no folder {target.parent}.")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    os.close(handle)
    Path(temporary).unlink()


def unwritable(path: Path, error: OSError) -> OutputError:
    """The OutputError that says why ``path`` could not be written."""
    return OutputError(f"{path} cannot be written: {error.strerror or error}.")


def _mode(target: Path) -> int:
    """The permissions that the file shall have: those of the file it replaces, else what a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
