"""mutation.explained: a reason belongs to a survivor, and each survivor to one."""

from __future__ import annotations

from mutation.explained import EXPLAINED, needless, reason

KEY = "Dispatcher.cs deleted: failed = false;"
TITLE = "Dispatcher.cs line 88, deleted: failed = false;"
OTHERS = [key for key in EXPLAINED if key.startswith("Dispatcher.cs") and key != KEY]


def test_a_mutant_is_known_whatever_its_line() -> None:
    assert reason(TITLE) == EXPLAINED[KEY]
    assert reason(TITLE.replace("false", "true")) is None


def test_a_reason_that_no_survivor_needs_is_named_once_its_file_was_judged() -> None:
    assert OTHERS
    assert needless([TITLE], [TITLE]) == OTHERS
    assert needless([TITLE], [TITLE, *OTHERS]) == []
    assert needless(["model.py line 3, deleted: x = 1"], []) == []
