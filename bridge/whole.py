"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def in_place_of(path: Path) -> Iterator[Path]:
    """A new, empty file beside ``path`` that takes its place when the block ends well, and is removed otherwise.

    Keeps the permissions of what was there; a link stays a link, and what it points to is replaced. Raises OSError.
    """
    target = replaceable(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def replaceable(path: Path) -> Path:
    """What ``path`` stands for, links followed.

    Raises OSError for a folder, and for a device or a pipe: a file put in its place would be the end of ``/dev/null``.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a folder")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    return target


def _mode(target: Path) -> int:
    """The permissions that the file shall have: those of the file it replaces, else what a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
