"""What a case in a process of its own says to the nursery: how it means to end, and that it came so far."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

#: Where it is said; -1 outside of a nursery.
channel = -1


def say(**words: Any) -> None:
    """A line for the nursery."""
    if channel >= 0:
        os.write(channel, (json.dumps(words) + "\n").encode())


def expect(code: int) -> None:
    """From now on the process is to end with this code (minus a signal's number)."""
    say(expect=code)


def reached() -> None:
    """The case did what it was to do: its process may end now."""
    say(reached=True)


def alone(function: Callable[[Any], None]) -> Callable[[Any], None]:
    """A case that is to return ends with code 0, and counts as having come to its end by that."""

    def run(case: Any) -> None:
        expect(0)
        function(case)
        reached()

    return run
