"""Ctrl-C while .NET starts (field notes 1 and 2): KeyboardInterrupt whenever it comes, and the next start works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("interrupted_start.py")

pytestmark = [pytest.mark.dotnet, pytest.mark.skipif(not hasattr(os, "fork"), reason="each start is a forked child's")]


def outcomes(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *args],
        cwd=SCRIPT.parents[2],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_at_steps_of_the_start() -> None:
    """A-4: SIGINT at 16 of Python's own steps inside the start, one process each."""
    assert outcomes("events") == "16 ok\n"


@pytest.mark.slow
def test_at_any_time() -> None:
    """A-4: SIGINT from outside, at 200 times from the beginning of the start to its end."""
    assert outcomes("times", "200") == "200 ok\n"
