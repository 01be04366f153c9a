"""The demo: one real model on one real picture in two runtimes, and their traces side by side.

Importing this package imports neither torch nor .NET, so that the commands' help stays quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["run"]


def run(console: Console, html: Path | None, found: dict[str, Any] | None = None) -> int:
    """Runs the demo, prints it to `console` and writes the page `html` unless that is None.

    What is printed is put into the dictionary `found` too, as plain data.

    Gives the exit code: 0 the two runtimes agree, 1 they differ, 2 the demo could not run (the last line says why).
    """
    from bridge.demo.screen import show

    return show(console, html, {} if found is None else found)
