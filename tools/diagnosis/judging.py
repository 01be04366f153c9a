"""Whether the first lines of what compare says name a planted mistake: judged by the mutation's own record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from bridge.compare.findings import Finding
from diagnosis.planted import Mutant

#: Findings that count: what a person reads first.
LINES: Final = 3
#: Sorts of findings that say what happens between the children of a module, where the path may be the next child's.
BETWEEN: Final = ("between children", "input")


@dataclass(frozen=True)
class Judged:
    """Whether the place and the cause are among the first findings."""

    located: bool
    explained: bool


def judged(mutant: Mutant, findings: Sequence[Finding], tree: Mapping[str, str]) -> Judged:
    """Judge the findings; ``tree`` maps each path of the unmutated port to its class."""
    first = findings[:LINES]
    there = [one for one in first if located(mutant, one, tree)]
    return Judged(bool(there), any(explained(mutant, one) for one in there))


def located(mutant: Mutant, one: Finding, tree: Mapping[str, str]) -> bool:
    """Return whether a finding is about the innermost module with the mistake, or about its line."""
    if one.source and at_line(mutant, one.source):
        return True
    owners = [path for path, kind in tree.items() if kind == mutant.owner_class]
    if any(one.path == owner for owner in owners) and mutant.owner:
        return True
    inside = [f"{owner}.{child}".strip(".") for owner in owners for child in mutant.children]
    if any(fnmatchcase(one.path, pattern) for pattern in inside):
        return True
    return mutant.owner and one.kind in BETWEEN and one.path.rpartition(".")[0] in owners and one.path != ""


def explained(mutant: Mutant, one: Finding) -> bool:
    """Return whether a finding in the right place states the cause: a suitable kind, with a word of each row."""
    text = f"{one.message} {one.fix}"
    return one.kind in mutant.findings and all(any(_has(text, word) for word in row) for row in mutant.words)


def at_line(mutant: Mutant, source: str) -> bool:
    """Return whether ``MiniLm.cs:57`` is within the mutated statement."""
    file, _, line = source.rpartition(":")
    return file.rpartition("/")[2] == mutant.file and line.isdigit() and mutant.first <= int(line) <= mutant.last


def _has(text: str, word: str) -> bool:
    """Return whether the text contains the whole word: ``p`` is not in ``padding``."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None
