"""Survivors among the mechanical mutants that no program can catch, each with the reason.

A key is a mutant's title without its line number, so that it outlives edits elsewhere in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_REPLACED = (
    "It matters only if a handler further down replaces the exception by one that is caught further down. In a program only an "
    "Interrupt replaces an exception, and no program catches an Interrupt. AlwaysCallTests prove it."
)

EXPLAINED: Final[dict[str, str]] = {
    "Dispatcher.cs swapped: RunForwardHooks(target, target, in args, ref output, ref state, observer);": _REPLACED,
    "Dispatcher.cs deleted: failed = false;": _REPLACED,
    "Registry.cs negated: ReferenceEquals(Interlocked.CompareExchange(ref _entries, changed, old), old)": (
        "In Remove this part of the condition only tells whether the count of listeners falls. ListenerCountTests prove that."
    ),
    "Warnings.cs negated: !InterruptCheck.IsInterrupt(exception)": (
        "The message of every exception in a program can be read. AlwaysCallTests prove the case where it cannot."
    ),
}


def reason(title: str) -> str | None:
    """Return the reason why no program can catch the mutant of that title, or None."""
    return EXPLAINED.get(_key(title))


def needless(judged: Iterable[str], survivors: Iterable[str]) -> list[str]:
    """Return the keys that explain no survivor, for the files whose mutants were judged."""
    files, needed = {title.partition(" ")[0] for title in judged}, set(map(_key, survivors))
    return [key for key in EXPLAINED if key.partition(" ")[0] in files and key not in needed]


def _key(title: str) -> str:
    return re.sub(r" line \d+,", "", title)
