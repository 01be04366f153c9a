"""Names in C#: keywords, and names that are unique in a method."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

_WORDS: Final = (
    "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum "
    "event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace "
    "new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc "
    "static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while"
)
#: The words that C# reserves; the printer writes them with ``@``. Contextual keywords (``value``, ``var``) are ordinary names.
KEYWORDS: Final = frozenset(_WORDS.split())
#: Keywords that are types, ``this`` or ``base``: expressions contain them without ``@``, and no variable is named like them.
PREDEFINED: Final = frozenset(
    "base bool byte char decimal double float int long object sbyte short string this uint ulong ushort void".split()  # noqa: SIM905  # as words they stand on one line
)


def escaped(name: str) -> str:
    """Return the name, with ``@`` before a keyword of C#'s."""
    return f"@{name}" if name in KEYWORDS else name


def unique(name: str, taken: Container[str]) -> str:
    """Return the name, or the first of ``name2``, ``name3``, … that is not taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found
