"""The symbols that a shared library needs from others, read from its file without loading it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_SHT_DYNSYM: Final = 11
#: The first bytes of a Mach-O file for 64 bits, and of one for several architectures.
_MACH_O: Final = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_GLOBAL: Final = 1  # the binding of a symbol that must be found; a weak symbol may be missing


def needed_symbols(library: Path) -> frozenset[str]:
    """Return the names that an ELF file leaves undefined, or that a PE file imports. Weak symbols are left out.

    Raises ValueError if the file is neither ELF nor PE, such as macOS's Mach-O, or is a PE file for 32 bits. Assumes that an ELF file is
    for 64 bits.
    """
    data = library.read_bytes()
    if data[:4] == b"\x7fELF":
        return frozenset(_elf(data))
    return frozenset(name for _, name in _imports(library, data))


def imported_symbols(library: Path) -> dict[str, set[str]]:
    """Return the names that a PE file imports, by the file name of their library in lower case. Raises ValueError if it is none."""
    found: dict[str, set[str]] = {}
    for file, name in _imports(library, library.read_bytes()):
        found.setdefault(file.lower(), set()).add(name)
    return found


def _imports(library: Path, data: bytes) -> Iterator[tuple[str, str]]:
    if data[:2] == b"MZ":
        return _pe(data)
    if data[:4] in _MACH_O:
        raise ValueError(f"{library} is a Mach-O file, for macOS: only files for Linux and Windows can be read")
    raise ValueError(f"{library} is neither an ELF nor a PE file")


def _elf(data: bytes) -> Iterator[str]:
    """Yield the undefined global symbols of a 64-bit little-endian ELF file (System V ABI, chapter 4)."""
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    # Of each section: type, offset, size, the index of the string table, size of an entry.
    sections = [
        (
            *struct.unpack_from("<I", data, offset + i * size + 4),
            *struct.unpack_from("<QQI", data, offset + i * size + 24),
            *struct.unpack_from("<Q", data, offset + i * size + 56),
        )
        for i in range(count)
    ]
    for kind, start, length, link, entry in sections:
        if kind != _SHT_DYNSYM:
            continue
        names = sections[link][1]
        for at in range(start, start + length, entry):
            name, info, _, section = struct.unpack_from("<IBBH", data, at)
            if section == 0 and info >> 4 == _GLOBAL and name:
                yield _text(data, names + name)


def _pe(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the names in the import table of a 64-bit PE file, each after its library's (Microsoft's PE format, section .idata)."""
    (header,) = struct.unpack_from("<I", data, 0x3C)
    (sections,) = struct.unpack_from("<H", data, header + 6)
    (optional,) = struct.unpack_from("<H", data, header + 20)
    if struct.unpack_from("<H", data, header + 24) != (0x20B,):
        raise ValueError("the PE file is not for 64 bits")
    # Of each section: size in memory, address in memory, size in the file, offset in the file.
    table = [struct.unpack_from("<4I", data, header + 24 + optional + 40 * i + 8) for i in range(sections)]

    def offset(address: int) -> int:
        for size, start, _, place in table:
            if start <= address < start + size:
                return int(address - start + place)
        raise ValueError(f"the PE file has no section at {address:#x}")

    (imports,) = struct.unpack_from("<I", data, header + 24 + 112 + 8)
    at = offset(imports)
    while any(entry := struct.unpack_from("<5I", data, at)):
        thunk, file = offset(entry[0] or entry[4]), _text(data, offset(entry[3]))
        while (value := struct.unpack_from("<Q", data, thunk)[0]) != 0:
            if not value >> 63:  # by name, not by number
                yield file, _text(data, offset(value) + 2)
            thunk += 8
        at += 20


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(0, start)].decode()
