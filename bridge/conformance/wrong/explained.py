"""Survivors among the mechanical mutants that no program can catch, each with the reason.

A key is a mutant's title without its line number, so that it outlives edits elsewhere in the file.
"""

from __future__ import annotations

import re
from typing import Final

EXPLAINED: Final[dict[str, str]] = {}


def reason(title: str) -> str | None:
    """Why no program can catch the mutant of that title, if somebody said so."""
    return EXPLAINED.get(re.sub(r" line \d+,", "", title))
