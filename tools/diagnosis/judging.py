"""Whether the findings of compare locate and explain a planted mistake, judged by the record of the mutant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from bridge.compare.findings import Finding
from diagnosis.mutants import Mutant

#: The findings that count: those that a user reads first.
FIRST: Final = 3
#: Kinds of findings about what a module does between its children, whose path may be that of the next child.
_BETWEEN: Final = ("between children", "input")


def judge(mutant: Mutant, findings: Sequence[Finding], classes: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether the first findings locate the mistake, and whether one of these explains it.

    ``classes`` maps each module path of the unmutated port to the name of its class.
    """
    there = [finding for finding in findings[:FIRST] if is_located(mutant, finding, classes)]
    return bool(there), any(is_explained(mutant, finding) for finding in there)


def is_located(mutant: Mutant, finding: Finding, classes: Mapping[str, str]) -> bool:
    """Return whether a finding is about the innermost module with the mistake, or about its line."""
    owners = [path for path, name in classes.items() if name == mutant.owner_class]
    patterns = [f"{owner}.{child}".strip(".") for owner in owners for child in mutant.children]
    if is_at_statement(mutant, finding.source) or any(fnmatchcase(finding.path, pattern) for pattern in patterns):
        return True
    parent = finding.path.rpartition(".")[0]
    between = finding.kind in _BETWEEN and finding.path != "" and parent in owners
    return mutant.owner and (finding.path in owners or between)


def is_explained(mutant: Mutant, finding: Finding) -> bool:
    """Return whether a finding states the cause: it has a suitable kind, and a word of each row."""
    text = f"{finding.message} {finding.fix}"
    return finding.kind in mutant.findings and all(any(_has(text, word) for word in row) for row in mutant.words)


def is_at_statement(mutant: Mutant, source: str) -> bool:
    """Return whether ``MiniLm.cs:57`` is a line of the mutated statement."""
    file, _, line = source.rpartition(":")
    return file.rpartition("/")[2] == mutant.file and line.isdigit() and mutant.first <= int(line) <= mutant.last


def _has(text: str, word: str) -> bool:
    """Return whether the text has the whole word: ``p`` is not in ``padding``."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None
