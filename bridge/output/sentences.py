"""Details of messages: an article, a suggestion, and lines that are broken between words alone."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Final

#: By how much the rest of a sentence is indented on a terminal, so that the next sentence is seen to begin.
HANG: Final = 2
#: Beginnings that are spoken with a consonant, as in ``a uint8``.
_CONSONANT: Final = ("ui", "un", "us")


def indefinite(noun: str) -> str:
    """Return ``an int`` or ``a Tensor``: the noun with its article."""
    vowel = noun[:1].lower() in tuple("aeiou") and not noun.lower().startswith(_CONSONANT)
    return f"{'an' if vowel else 'a'} {noun}"


def near(name: str, candidates: Iterable[str], prefix: str = "") -> str:
    """Return `` Did you mean …?`` with the candidates that look like ``name``, behind ``prefix``; empty when none does."""
    lower = {candidate.lower(): candidate for candidate in candidates}
    found = [lower[match] for match in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)]
    return f" Did you mean {' or '.join(f'{prefix}{one}' for one in found)}?" if found else ""


def wrapped(text: str, width: int, *, hang: int = 0, start: int = 0) -> str:
    """Break the lines of ``text`` between words, so that they fit into ``width`` columns.

    Each line begins at the column ``start``, to which the first one has come already, and keeps its own indentation; what a break moves
    to the next line is indented by ``hang`` more, in an item of a list by two. A word that is too long there is shifted to the left as
    far as it must be; one that is longer than the whole line is left as it is, so that a path can be copied.
    """
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        words = line.lstrip(" ")
        margin = start + len(line) - len(words)
        broken = list(_broken(words, width, margin, margin + (2 if words.startswith("- ") else hang)))
        # An indentation alone is a line only behind what stands there already.
        lines += broken if broken[0].strip() or len(broken) == 1 or (start and not number) else broken[1:]
    return "\n".join([lines[0][start:], *lines[1:]])


def _broken(words: str, width: int, margin: int, hanging: int) -> Iterator[str]:
    from rich.cells import cell_len  # late: a command's --help needs no rich

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
