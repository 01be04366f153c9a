"""tests/support/schedule.py: the list of slow files."""

from __future__ import annotations

from tests.support.schedule import LONGEST, TESTS


def test_the_slowest_files_exist() -> None:
    """A file that is moved must not drop out of the list."""
    assert LONGEST
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []
