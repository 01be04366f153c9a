"""Wine: the system's own if it is new enough, else that of a Debian root, which debootstrap makes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: Older versions lack functions of Windows that CPython 3.13 or torch call.
MINIMUM: Final = 10
#: The first Debian with such a Wine.
_DEBIAN: Final = "trixie"
#: Wine's own C and C++ runtimes lack functions that torch calls, and lose the messages of exceptions; Windows' lie beside python.exe.
_OVERRIDES: Final = "ucrtbase,vcruntime140,vcruntime140_1,msvcp140,msvcp140_1,msvcp140_2,concrt140,vcomp140=n,b"
#: Runs in namespaces of its own: $0 is the root, $1 a folder that is the same inside, $2 the current folder; then the command.
_INSIDE: Final = """
root=$0 shared=$1 current=$2
shift 2
mkdir -p "$root$shared"
mount -t proc proc "$root/proc" || exit 126
for folder in /dev /sys "$shared"; do mount --rbind "$folder" "$root$folder" || exit 126; done
exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$current" "$@"
"""


class WineError(Exception):
    """Wine cannot be set up. The message says what to install."""


class Wine:
    """Wine with a prefix of its own. Programs see ``folder`` under its own path, on drive ``Z:``."""

    def __init__(self, folder: Path) -> None:
        """Find Wine, or install it below ``folder``. Raises WineError."""
        self.folder = folder
        self._root = None if _version("wine") >= MINIMUM else _debian(folder)
        self._prefix = folder / "prefix"

    def run(
        self, *command: str, at: Path, variables: Mapping[str, str] | None = None, log: Path, seconds: float
    ) -> int | None:
        """Run a Windows program in the folder ``at``, and return its exit code, or None if it ran longer than ``seconds``.

        Its output is appended to the file ``log``. It has no standard input. The program and all its children have ended afterwards. Only
        ``variables`` reach it.
        """
        environment = {
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "WINEPREFIX": str(self._prefix),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": _OVERRIDES,
            **(variables or {}),
        }
        line = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), "wine", *command]
        if self._root is not None:
            line = ["sh", "-c", _INSIDE, str(self._root), str(self.folder), str(at), *line]
        # --kill-child: with the first process of the namespace, all its processes end, Wine's server among them.
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        line = ["unshare", *user, "--mount-proc", "--pid", "--fork", "--kill-child", *line]
        with log.open("ab") as output, subprocess.Popen(
            # Wine's console is no terminal: programs write to a pipe or a file.
            line, cwd=at, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                return None
            finally:
                process.kill()


def _version(program: str) -> int:
    """Return the major version of a Wine; 0 if there is none."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    found = re.search(r"wine-(\d+)", said)
    return int(found[1]) if found else 0


def _debian(folder: Path) -> Path:
    """Return a Debian root with Wine below ``folder``, made at the first call. Raises WineError."""
    root = folder / "debian"
    if (root / "usr/bin/wine").is_symlink():  # into the root's own /etc, so that from outside it leads nowhere
        return root
    if os.geteuid() != 0:
        raise WineError(
            f"Wine {MINIMUM} or newer is needed: install it, or run this as root, which makes a Debian root with it."
        )
    if shutil.which("debootstrap") is None:
        raise WineError(f"Wine {MINIMUM} or newer is needed: install it, or debootstrap: apt-get install debootstrap")
    shutil.rmtree(root, ignore_errors=True)
    part = root.with_name("debian.part")
    shutil.rmtree(part, ignore_errors=True)
    _install(
        "debootstrap", "--variant=minbase", "--include=ca-certificates,wine,wine64", _DEBIAN, str(part), *_mirror()
    )
    part.rename(root)
    return root


def _mirror() -> list[str]:
    """Return the address from which this system's own packages come, if it is a Debian."""
    for file in (*Path("/etc/apt/sources.list.d").glob("*.sources"), Path("/etc/apt/sources.list")):
        if file.is_file() and (
            found := re.search(
                r"^(?:URIs:|deb)\s+(\S+/debian/?)(?:\s|$)", file.read_text(encoding="utf-8"), re.MULTILINE
            )
        ):
            return [found[1]]
    return []


def _install(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-20:])
        raise WineError(f"{command[0]} failed with exit code {done.returncode}:\n{last}")
