"""Names and types of C#."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from bridge.errors import BridgeError
from bridge.port.members import escaped

_RENAMED: Final = {"out": "output", "in": "input", "params": "parameters", "object": "item", "base": "root"}


class Untranslatable(BridgeError):
    """A piece of Python that has no translation here: where it stands, and why."""

    def __init__(self, node: ast.AST, why: str) -> None:
        super().__init__(why)
        self.node, self.why = node, why


def renamed(name: str) -> str:
    """A name of Python's as one of C#."""
    return _RENAMED.get(name) or escaped(name)


def csharp_type(value: Any, node: ast.AST) -> str:
    """The C# type of a value that was seen."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "long"
    if isinstance(value, float):
        return "double"
    if isinstance(value, str):
        return "string"
    if isinstance(value, torch.Size):
        return "long[]"
    if isinstance(value, torch.dtype):
        return "ScalarType"
    if isinstance(value, torch.device):
        return "Device"
    if isinstance(value, PackedSequence):
        return "torch.nn.utils.rnn.PackedSequence"
    if isinstance(value, nn.Module) and not isinstance(value, (nn.ModuleList, nn.ModuleDict)):
        return type(value).__name__.lstrip("_")
    if (items := items_of(value)) is not None:
        value = items
    if isinstance(value, tuple):
        if len(value) == 1:
            return csharp_type(value[0], node)
        return f"({', '.join('Tensor?' if one is None else csharp_type(one, node) for one in value)})"
    if isinstance(value, list):
        return f"List<{csharp_type(value[0], node)}>" if value else "List<Tensor>"
    if isinstance(value, dict) and all(isinstance(one, str) for one in value):
        types = {csharp_type(one, node) for one in value.values()}
        if len(types) < 2:
            return f"Dictionary<string, {types.pop() if types else 'Tensor'}>"
    raise Untranslatable(node, f"a {type(value).__name__}")


def whole_numbers(value: Any) -> bool:
    """Whether it is a list or tuple of whole numbers alone."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(one, int) and not isinstance(one, bool) for one in value)
    )


def joined(types: Sequence[str]) -> str | None:
    """The type that values of all these types have, also element by element of tuples; None where there is none but object."""
    kinds = list(dict.fromkeys(one.removesuffix("?") for one in types if one != "null"))
    ending = "?" if any(one == "null" or one.endswith("?") for one in types) else ""
    if len(kinds) == 1:
        return kinds[0] + ending
    if set(kinds) == {"long", "double"}:
        return f"double{ending}"
    columns = [parts(one[1:-1]) for one in kinds if one.startswith("(") and one.endswith(")")]
    if not kinds or len(columns) != len(kinds) or len({len(one) for one in columns}) != 1:
        return None
    found = [joined(column) for column in zip(*columns, strict=True)]
    return None if None in found else f"({', '.join(map(str, found))}){ending}"


def is_record(value: Any) -> bool:
    """Whether a value is a result whose parts have names: a dictionary of a class of its own, as those of transformers are, or a dataclass
    with tensors."""
    return items_of(value) is not None


def items_of(value: Any) -> tuple[Any, ...] | None:
    """What C# keeps of a result whose parts have names, in order: those of a dictionary that are there, all of a dataclass."""
    if is_dataclass(value) and not isinstance(value, (type, Mapping, nn.Module)):
        parts = tuple(getattr(value, one.name, None) for one in fields(value))
        return parts if any(isinstance(one, torch.Tensor) for one in parts) else None
    if not isinstance(value, Mapping) or type(value) in (dict, OrderedDict) or not value:
        return None
    there = tuple(one for one in value.values() if one is not None)
    return there if all(isinstance(one, torch.Tensor) for one in there) else None


def names_of(record: Any) -> list[str]:
    """The names of what C# keeps of such a result."""
    if isinstance(record, Mapping):
        return [key for key, one in record.items() if one is not None]
    return [one.name for one in fields(record)]


def parts(text: str) -> list[str]:
    """What stands between the commas of a list, of types or parameters, that are in no brackets."""
    found, depth, word = [], 0, ""
    for letter in text:
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(word.strip())
            word = ""
        else:
            word += letter
    return [*found, word.strip()]
