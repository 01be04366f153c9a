"""Helpers for messages: articles, suggestions, shortened lists, and line breaks between words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

#: The indentation of continued lines on a terminal.
HANG: Final = 2
#: Matches nouns that take ``a`` in spite of their vowel, as in ``a uint8``.
_CONSONANT: Final = re.compile(r"ui|us|unet|uni(?!n)", re.IGNORECASE)


def with_article(noun: str) -> str:
    """Return the noun with its article: ``an int``, ``a Tensor``."""
    vowel = noun[:1].lower() in tuple("aeiou") and _CONSONANT.match(noun) is None
    return f"{'an' if vowel else 'a'} {noun}"


def suggest(name: str, candidates: Iterable[str], prefix: str = "") -> str:
    """Return `` Did you mean …?`` with up to three candidates similar to ``name``, each after ``prefix``; empty if there are none."""
    lower = {candidate.lower(): candidate for candidate in candidates}
    found = [lower[match] for match in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)]
    return f" Did you mean {' or '.join(f'{prefix}{candidate}' for candidate in found)}?" if found else ""


def join_some(items: Sequence[str], limit: int, separator: str = ", ") -> str:
    """Join the first ``limit`` items, and count the rest: ``a, b and 3 more``."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return separator.join(items[:limit]) + more


def wrap_lines(text: str, width: int, *, hang: int = 0, start: int = 0) -> str:
    """Break the lines of ``text`` between words to fit ``width`` columns.

    All lines begin at the column ``start``, the position of the cursor, and keep their indentation. Continued lines are indented by
    ``hang`` more, in list items by 2. A long word is shifted left as far as necessary, and never broken, so that paths can be copied.
    """
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        words = line.lstrip(" ")
        margin = start + len(line) - len(words)
        broken = list(_break_line(words, width, margin, margin + (2 if words.startswith("- ") else hang)))
        # The first piece is empty if the first word does not fit. It is kept only if other text precedes the cursor.
        lines += broken if broken[0].strip() or len(broken) == 1 or (start and not number) else broken[1:]
    return "\n".join([lines[0][start:], *lines[1:]])


def _break_line(words: str, width: int, margin: int, hanging: int) -> Iterator[str]:
    from rich.cells import cell_len  # imported late, since --help does not need rich

    line, used = " " * margin, margin
    for number, word in enumerate(words.split(" ")):
        length, space = cell_len(word), int(number > 0)
        if used + space + length <= width:
            line, used = f"{line}{' ' * space}{word}", used + space + length
            continue
        yield line.rstrip() or line
        shift = max(0, min(hanging if number else margin, width - length))
        line, used = " " * shift + word, shift + length
    yield line.rstrip() or line


def plural(number: int, noun: str) -> str:
    """Return a number with a noun: ``1 call``, ``2 calls``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
