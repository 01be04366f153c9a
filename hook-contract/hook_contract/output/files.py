"""Files that are written atomically, and an early check whether a file can be written."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hook_contract.output.errors import OutputError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_SUFFIX = ".part"
#: The maximum number of characters of a file's name on Windows.
_LONGEST = 255


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield the path of a new, empty file. At the end of the block, it replaces ``path``; after an error, it is removed.

    Write to the new file itself; do not replace it. An existing file's permissions are kept. If ``path`` is a symbolic link, the link's
    target is replaced. The new file is in the folder of the file that it replaces. Leftovers of killed processes are removed first.
    Raises OSError.
    """
    target = resolve_target(path)
    remove_leftovers(target)
    handle, temporary = _create_locked(target)
    try:
        if fcntl is None:  # Windows lets nobody else open the file while it is open here, nor rename it
            os.close(handle)
            handle = -1
        yield temporary
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        if handle >= 0:
            os.close(handle)


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path`` atomically. Raises OSError, and then leaves ``path`` unchanged."""
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        file.write(text.encode("utf-8", errors="backslashreplace"))
        file.flush()
        os.fsync(file.fileno())


def check_writable(path: Path) -> None:
    """Raise OutputError if ``path`` cannot be written."""
    with output_errors(path):
        target = resolve_target(path)
        if not target.parent.is_dir():
            raise OutputError(f"{path} cannot be written: there is no folder {target.parent}.")
        handle, temporary = _create_locked(target)
    os.close(handle)
    temporary.unlink(missing_ok=True)


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Raise OutputError for an OSError in the block, which writes to ``path``."""
    try:
        yield
    except OSError as error:
        raise output_error(path, error) from error


def output_error(path: Path, error: OSError) -> OutputError:
    """Return the OutputError for an OSError at ``path``."""
    return OutputError(f"{path} cannot be written: {error.strerror or error}.")


def remove_leftovers(target: Path) -> None:
    """Remove the temporary files for ``target`` that no process locks: killed processes have left them. Do nothing on Windows."""
    if fcntl is None:
        return
    for leftover in target.parent.glob(f"{glob.escape(_prefix(target))}*{_SUFFIX}"):
        with suppress(OSError):  # another process has locked or removed it
            handle = os.open(leftover, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                leftover.unlink()
            finally:
                os.close(handle)


def resolve_target(path: Path) -> Path:
    """Return the file at ``path``, following symbolic links.

    Raises OSError for a name that is too long, a folder, a device and a pipe: replacing ``/dev/null`` by a file would destroy it.
    """
    target = Path(os.path.realpath(path))
    check_name(target)
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a folder")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return target


def check_name(path: Path) -> None:
    """Raise OSError on Windows if the name of a file or folder is too long: the system itself would tell only when it is made."""
    if os.name == "nt" and len(path.name) > _LONGEST:
        raise OSError(errno.ENAMETOOLONG, "File name too long")


def _create_locked(target: Path) -> tuple[int, Path]:
    """Create a temporary file and, where the system has locks, lock it until the returned descriptor is closed.

    The lock is shared, since .NET cannot open a file that has an exclusive lock.
    """
    while True:
        handle, name = tempfile.mkstemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent)
        temporary = Path(name)
        if fcntl is None:
            return handle, temporary
        with suppress(OSError):  # the file system has no locks
            fcntl.flock(handle, fcntl.LOCK_SH)
        if temporary.exists():  # not removed as a leftover before it was locked
            return handle, temporary
        os.close(handle)


def _prefix(target: Path) -> str:
    return f".{target.name[:40]}."


def _mode(target: Path) -> int:
    """Return the permissions of the file to replace, else those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
