"""Match keys: how an exception or a warning is recognized, whichever runtime worded it. Data: ``contract/messages.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


def key(text: str) -> str:
    """The first of the contract's match keys that ``text`` contains, or ``""``."""
    return next((known for known in keys() if known in text), "")


@cache
def keys() -> tuple[str, ...]:
    """The match keys in their order."""
    data = tomllib.loads((Path(__file__).parent / "messages.toml").read_text(encoding="utf-8"))
    return tuple(item["key"] for item in data["message"])
