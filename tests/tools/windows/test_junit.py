"""tools/windows/junit.py: what pytest itself writes is counted, test for test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from windows import junit

TESTS = """
import pytest
def test_passes(): pass
def test_fails(): assert False
def test_skips(): pytest.skip("needs Linux: reads /proc/1/maps")
@pytest.mark.skipif(True, reason="needs Linux: reads /proc/2/maps")
def test_is_skipped(): pass
@pytest.fixture
def broken(): raise ValueError
def test_has_an_error(broken): pass
"""


def test_each_test_is_counted_once_and_named(tmp_path: Path) -> None:
    (tmp_path / "test_all.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--junitxml", "result.xml", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    found = junit.read(tmp_path / "result.xml")
    assert found.passed == 1
    assert found.skipped == {"needs Linux: reads …": 2}
    assert found.failed == ("test_all.py::test_fails", "test_all.py::test_has_an_error")
    assert found.share == pytest.approx(2 / 5)


def test_no_tests_at_all_are_not_taken_for_success(tmp_path: Path) -> None:
    (tmp_path / "result.xml").write_text("<testsuites/>")
    assert junit.read(tmp_path / "result.xml").share == 1
