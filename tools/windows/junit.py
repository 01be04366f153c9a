"""The result of a run of pytest, from the XML that it writes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class TestResult:
    """The numbers of tests, and what was skipped and what failed.

    Attributes:
        passed: The number of tests that passed.
        skipped: How many tests were skipped, by reason.
        failed: The ids of the tests that failed or had an error.
    """

    passed: int
    skipped: Counter[str]
    failed: tuple[str, ...]

    @property
    def share(self) -> float:
        """Return the share of tests that were skipped, from 0 to 1."""
        total = self.passed + self.skipped.total() + len(self.failed)
        return self.skipped.total() / total if total else 1.0


def read(file: Path) -> TestResult:
    """Read the file that pytest's ``--junitxml`` wrote. Raises OSError, and ParseError for a file that is not complete."""
    passed, skipped, failed = 0, Counter[str](), []
    for case in ElementTree.parse(file).iter("testcase"):
        reasons = [element.get("message", "") for element in case.iter("skipped")]
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}")
        elif reasons:
            # One row for the same reason in other files, at other paths and lines.
            skipped[re.sub(r"\S*[\\/]\S+", "…", reasons[0])] += 1
        else:
            passed += 1
    return TestResult(passed, skipped, tuple(failed))
