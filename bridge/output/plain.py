"""Escaping of text from untrusted sources."""

from __future__ import annotations


def to_printable(text: str, limit: int = 120) -> str:
    """Shorten ``text`` to ``limit`` and escape unprintable characters, so that no name can control a terminal."""
    plain = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
