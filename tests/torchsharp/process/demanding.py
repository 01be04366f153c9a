"""TorchSharp's native library, made to ask for a libstdc++ that no system has."""

from __future__ import annotations

import struct
from pathlib import Path

NATIVE = Path("runtimes", "linux-x64", "native")
_ASKED, _NEVER = b"GLIBCXX_3.4.32\0", b"GLIBCXX_3.4.99\0"


def demanding(torchsharp: Path, folder: Path) -> Path:
    """Copy a TorchSharp to ``folder`` whose own library requires GLIBCXX_3.4.99, and return its assembly.

    The installed library may have a weak requirement, for systems that lack the version; the loader must not ignore this one.
    """
    native = folder / NATIVE
    native.mkdir(parents=True)
    for file in (torchsharp.parent / NATIVE).iterdir():
        if file.name != "libLibTorchSharp.so":
            (native / file.name).symlink_to(file)
    library = (torchsharp.parent / NATIVE / "libLibTorchSharp.so").read_bytes()
    request = struct.pack("<I", _hash(_ASKED[:-1]))
    at = library.index(request) + len(request)
    strict = library[:at] + bytes(2) + library[at + 2 :]
    (native / "libLibTorchSharp.so").write_bytes(strict.replace(_ASKED, _NEVER))
    (folder / torchsharp.name).symlink_to(torchsharp)
    return folder / torchsharp.name


def _hash(name: bytes) -> int:
    """Return the hash of a version's name in an ELF file."""
    value = 0
    for character in name:
        value = (value << 4) + character
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high
    return value
