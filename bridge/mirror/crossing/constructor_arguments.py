"""The arguments of a C# constructor, as .NET gets them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.mirror.crossing.conversion import plain
from bridge.output.sentences import indefinite


def written(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """JSON of those by position and those by name.

    Raises TypeError for what is neither a number, a string, a boolean, None nor a list of them.
    """
    return f"[[{', '.join(_text(value, f'argument {place}') for place, value in enumerate(args, 1))}], {{{_named(kwargs)}}}]"


def _named(kwargs: Mapping[str, Any]) -> str:
    return ", ".join(f"{json.dumps(name)}: {_text(value, repr(name))}" for name, value in kwargs.items())


def _text(value: Any, where: str) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"constructor arguments are numbers, strings, booleans, None and lists of them; {where} is not: {error}"
        ) from None


def _plain(value: Any) -> bool | int | float:
    number = plain(value)
    if number is None:
        raise TypeError(indefinite(type(value).__name__))
    return number
