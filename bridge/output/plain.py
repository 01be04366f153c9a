"""Text from untrusted sources, made safe to show."""

from __future__ import annotations


def shown(text: str, limit: int = 120) -> str:
    """``text``, not too long, with what is not printable escaped, so that no name can control a terminal."""
    plain = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
