"""What a case in a process of its own says to the nursery: how it means to end, and that it came so far."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

#: Where it is said; -1 outside of a nursery.
channel = -1


def say(**words: Any) -> None:
    """Write a line for the nursery."""
    if channel >= 0:
        os.write(channel, (json.dumps(words) + "\n").encode())


def expect(code: int) -> None:
    """Announce the exit code that the process must have (minus the number of a signal)."""
    say(expect=code)


def reached() -> None:
    """Announce that the case is complete: its process may end."""
    say(reached=True)


def alone(function: Callable[[Any], None]) -> Callable[[Any], None]:
    """Announce exit code 0 and that the case is complete."""

    def run(case: Any) -> None:
        expect(0)
        function(case)
        reached()

    return run
