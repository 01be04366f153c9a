"""Names and types of C#."""

from __future__ import annotations

import ast
from typing import Any, Final

import torch

from bridge.port.members import escaped

_RENAMED: Final = {"out": "output", "in": "input", "params": "parameters", "object": "item", "base": "root"}


class Untranslatable(Exception):
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
    if isinstance(value, tuple):
        value = [torch.zeros(0) if one is None else one for one in value]
        return f"({', '.join(csharp_type(one, node) for one in value)})"
    if isinstance(value, list):
        return f"List<{csharp_type(value[0], node)}>" if value else "List<Tensor>"
    raise Untranslatable(node, f"a {type(value).__name__}")


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
