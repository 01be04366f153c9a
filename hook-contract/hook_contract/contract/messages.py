"""Match keys: parts of messages that identify an exception or a warning in every runtime, listed in ``contract/messages.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


def key(text: str) -> str:
    """Return the first match key that a message contains, or ``""``."""
    return next((known for known in keys() if known in text), "")


@cache
def keys() -> tuple[str, ...]:
    """Return the match keys in the order of the file."""
    data = tomllib.loads((Path(__file__).parent / "messages.toml").read_text(encoding="utf-8"))
    return tuple(item["key"] for item in data["message"])
