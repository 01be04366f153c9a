"""The definitions that Python and .NET share, read from ``boundary.json``; the C# definitions are generated from the same file.

The file lists the C# functions that Python calls (exports), the Python objects and CPython functions that .NET uses (imports),
enumerations, record layouts, and libtorch's numbers for dtypes and kinds of devices. When .NET starts, the result of :func:`digest` is
compared with the digest that the assemblies were built with.
"""

from __future__ import annotations

import hashlib
import json
import struct
from functools import cache
from pathlib import Path
from typing import Any, Final

PATH: Final = Path(__file__).with_suffix(".json")
#: Maps NumPy's name of an integer type to the format character of ``struct``.
_CODES: Final = {"i1": "b", "u1": "B", "u2": "H", "i4": "i", "i8": "q"}


@cache
def manifest() -> dict[str, Any]:
    return json.loads(PATH.read_text(encoding="utf-8"))  # type: ignore[no-any-return]  # JSON is Any


@cache
def digest() -> str:
    """Return the SHA-256 of ``boundary.json`` in 64 hexadecimal digits. As in the C# generator, each line ending counts as ``\\n``."""
    text = PATH.read_text(encoding="utf-8")  # universal newlines
    return hashlib.sha256(text.encode()).hexdigest()


def members(enum: str) -> tuple[str, ...]:
    """Return the names of an enumeration's members, in the order of the members' values. Raises KeyError for an unknown enumeration."""
    return tuple(member["name"] for member in _entry("enums", enum)["members"])


def fields(record: str) -> list[tuple[str, str]]:
    """Return the name and the NumPy type (``i4``, ``u1`` …) of each field of a record, in memory order; records have no padding.

    Raises KeyError for an unknown record.
    """
    return [(field["name"], field["type"]) for field in _entry("records", record)["fields"]]


def read(record: str, data: bytes) -> dict[str, int]:
    """Return the values of a record's fields by name. ``data`` are the record's bytes.

    Raises KeyError for an unknown record, and ``struct.error`` for a wrong number of bytes.
    """
    names, layout = _layout(record)
    return dict(zip(names, layout.unpack(data), strict=True))


@cache
def _layout(record: str) -> tuple[tuple[str, ...], struct.Struct]:
    names, kinds = zip(*fields(record), strict=True)
    return names, struct.Struct("=" + "".join(_CODES[kind] for kind in kinds))


def flag(enum: str, *names: str) -> int:
    """Return the combined bits of members of a flags enumeration.

    Raises KeyError for an unknown enumeration, and ValueError for an unknown member.
    """
    known = members(enum)
    return sum(1 << known.index(name) for name in names)


@cache
def dtypes() -> dict[int, str]:
    """Return PyTorch's name of each dtype, by libtorch's number: ``{6: "float32", …}``."""
    return {entry["code"]: entry["name"] for entry in manifest()["dtypes"]}


@cache
def devices() -> dict[int, str]:
    """Return PyTorch's name of each kind of device, by libtorch's number: ``{1: "cuda", …}``."""
    return {entry["code"]: entry["name"] for entry in manifest()["devices"]}


def _entry(kind: str, name: str) -> dict[str, Any]:
    for entry in manifest()[kind]:
        if entry["name"] == name:
            return entry  # type: ignore[no-any-return]  # JSON is Any
    raise KeyError(f"{PATH.name} does not list {name} under {kind!r}")
