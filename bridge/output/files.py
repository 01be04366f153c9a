"""Files that are there complete or not at all; whether one can be written is known before the work."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bridge.errors import BridgeError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_SUFFIX = ".part"


class OutputError(BridgeError):
    """A file cannot be written; the message names it, and is meant for the user."""


@contextmanager
def in_place_of(path: Path) -> Iterator[Path]:
    """A new, empty file beside ``path`` that takes its place when the block ends well, and is removed otherwise.

    It is to be written in place: a file put in *its* place is not protected. Keeps the permissions of what was there; a link
    stays a link, and what it points to is replaced. What a process that was killed left of such files is removed first. Raises OSError.
    """
    target = replaceable(path)
    remove_left(target)
    handle, temporary = _begun(target)
    try:
        yield temporary
        temporary.chmod(_mode(target))
        if fcntl is None:  # Windows renames no open file
            os.close(handle)
            handle = -1
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        if handle >= 0:
            os.close(handle)


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
        handle, temporary = _begun(target)
    except OSError as error:
        raise unwritable(path, error) from error
    os.close(handle)
    temporary.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> OutputError:
    """The OutputError that says why ``path`` could not be written."""
    return OutputError(f"{path} cannot be written: {error.strerror or error}.")


def remove_left(target: Path) -> None:
    """Removes what killed processes left of files that were to take ``target``'s place: their locks went with the processes."""
    if fcntl is None:
        return
    for left in target.parent.glob(f"{glob.escape(_prefix(target))}*{_SUFFIX}"):
        with suppress(OSError):  # another process has it, or was faster
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)


def replaceable(path: Path) -> Path:
    """The file that ``path`` names, links followed.

    Raises OSError for a folder, and for a device or a pipe: a file put in its place would destroy ``/dev/null``.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a folder")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return target


def _begun(target: Path) -> tuple[int, Path]:
    """A new file with a lock that says that its process lives; .NET may open it too, so the lock is a shared one."""
    while True:
        handle, name = tempfile.mkstemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent)
        made = Path(name)
        if fcntl is None:
            return handle, made
        with suppress(OSError):  # no locks on this file system, or it was removed as a leftover just now
            fcntl.flock(handle, fcntl.LOCK_SH)
        if made.exists():
            return handle, made
        os.close(handle)


def _prefix(target: Path) -> str:
    return f".{target.name[:40]}."


def _mode(target: Path) -> int:
    """The permissions for the file: those of the file it replaces, otherwise those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
