"""tools/windows/table.py: each test is counted, each reason is there once, and a run without tests is no success."""

from __future__ import annotations

from matrix import Outcome
from windows import table

FOUND = [
    Outcome("tests/test_a.py", "tests/test_a.py::test_x", "passed", ""),
    Outcome("tests/test_a.py", "tests/test_a.py::test_y", "skipped", "reads /proc/1/maps"),
    Outcome("tests/test_b.py", "tests/test_b.py::test_y", "skipped", "reads /proc/2/maps"),
    Outcome("tests/test_b.py", "tests/test_b.py::test_z", "failed", ""),
]


def test_each_test_is_counted() -> None:
    assert table.count(FOUND) == "1 passed, 2 skipped (50.0%), 1 failed"
    assert table.rows(FOUND) == ["    2 skipped: reads …", "      failed: tests/test_b.py::test_z"]


def test_no_tests_count_as_skipped() -> None:
    assert table.skipped_share([]) == 1
