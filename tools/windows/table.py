"""The table of a run of all tests: how many passed, why tests were skipped, and which failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from matrix import Outcome


def skipped_share(found: Sequence[Outcome]) -> float:
    """Return the share of tests that were skipped, from 0 to 1; 1 if there are no tests."""
    return sum(outcome.state == "skipped" for outcome in found) / len(found) if found else 1.0


def count(found: Sequence[Outcome]) -> str:
    """Return one line with the numbers of tests."""
    states = Counter(outcome.state for outcome in found)
    return f"{states['passed']} passed, {states['skipped']} skipped ({skipped_share(found):.1%}), {states['failed']} failed"


def rows(found: Sequence[Outcome]) -> list[str]:
    """Return a line for each reason for which tests were skipped, the most frequent first, and one for each test that failed."""
    # The same reason at other paths and lines is one row.
    reasons = Counter(re.sub(r"\S*[\\/]\S+", "…", one.reason) for one in found if one.state == "skipped")
    skipped = [f"{number:5} skipped: {reason}" for reason, number in reasons.most_common()]
    return [*skipped, *(f"      failed: {one.name}" for one in found if one.state == "failed")]
