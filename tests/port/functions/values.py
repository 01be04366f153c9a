"""Values of Python as JSON, and as texts that the driver of C# prints, too."""

from __future__ import annotations

import json
import math
import struct
from typing import Any, Final

import torch

#: The widest integers of C#.
LEAST: Final = -(2**63)
GREATEST: Final = 2**63 - 1


def plain(value: Any) -> Any:
    """Return an argument as JSON has it."""
    return value.tolist() if isinstance(value, torch.Tensor) else value


def shown(value: Any, kind: str = "") -> str:
    """Return the text of a value, in which no two values look alike but for NaN; a float by its bits.

    ``kind`` is the type that the function declares for its result or a parameter: C# has no ``0`` for the sum of no floats.
    """
    if kind in ("float", "list[float]") and isinstance(value, (int, list)) and not isinstance(value, bool):
        value = [_as_float(one) for one in value] if isinstance(value, list) else _as_float(value)
    if kind == "tuple[int, float]":
        value = (value[0], _as_float(value[1]))
    if isinstance(value, torch.Tensor):
        items = " ".join(_bits(float(one)) for one in value.detach().flatten().tolist())
        return f"Tensor {str(value.dtype).removeprefix('torch.')} [{' '.join(map(str, value.shape))}] {items}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(key)}: {shown(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(map(shown, value)) + right
    if isinstance(value, str):
        return json.dumps(value)
    return _bits(value) if isinstance(value, float) else str(value)


def _as_float(value: Any) -> Any:
    return float(value) if type(value) is int and LEAST <= value <= GREATEST else value


def _bits(value: float) -> str:
    return "nan" if math.isnan(value) else "0x" + struct.pack(">d", value).hex()


def readable(text: str) -> str:
    """Return the text with its floats as numbers."""
    words = text.split("0x")
    parts = [f"{struct.unpack('>d', bytes.fromhex(one[:16]))[0]!r}{one[16:]}" for one in words[1:]]
    return "".join([words[0], *parts])


def is_wide(value: Any) -> bool:
    """Return whether a value is or holds an integer of more than 64 bits."""
    if isinstance(value, (list, tuple, dict)):
        return any(map(is_wide, value.values() if isinstance(value, dict) else value))
    return type(value) is int and not LEAST <= value <= GREATEST
