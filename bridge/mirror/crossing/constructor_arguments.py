"""The encoding of constructor arguments as JSON for .NET."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.mirror.crossing.conversion import to_number
from bridge.output.sentences import with_article


def encode(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the arguments as a JSON list of two items: a list of the positional arguments, and an object of the keyword arguments.

    Raises TypeError for an argument that JSON cannot express, such as a tensor or ``nan``.
    """
    return f"[[{', '.join(_encode(value, f'argument {number}') for number, value in enumerate(args, 1))}], {{{_encode_keywords(kwargs)}}}]"


def _encode_keywords(kwargs: Mapping[str, Any]) -> str:
    return ", ".join(f"{json.dumps(name)}: {_encode(value, repr(name))}" for name, value in kwargs.items())


def _encode(value: Any, where: str) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=_to_number)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"constructor arguments must be finite numbers, strings, booleans, None or lists of these; {where} is not: {error}"
        ) from None


def _to_number(value: Any) -> bool | int | float:
    number = to_number(value)
    if number is None:
        raise TypeError(with_article(type(value).__name__))
    return number
