"""Escaping of text from untrusted sources."""

from __future__ import annotations


def to_printable(text: str, limit: int = 120) -> str:
    """Escape unprintable characters, so that no name can control a terminal, and shorten ``text`` to ``limit`` characters."""
    plain = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
