"""The demo: a pretrained face detector on a picture, in PyTorch and in C#, with both traces.

:mod:`.resources` loads the picture and the networks, :mod:`.forward_trap` shows that ``forward()`` skips hooks, :mod:`.comparison` runs the
detector in both runtimes and compares the traces, :mod:`.picture` draws the faces, and :mod:`.screen` prints everything. Importing this
package imports neither torch nor .NET, so that ``--help`` is fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["run"]


def run(console: Console, html: Path | None, found: dict[str, Any] | None = None, device: str = "cpu") -> int:
    """Run the demo on a device, print the results to ``console``, and write the HTML page ``html`` unless it is None.

    The function adds the results, or the error, to the dictionary ``found``. Returns the exit code: 0 if the runtimes agree and
    hooks fire as expected, 1 if not, 2 if the demo cannot run or the page cannot be written.
    """
    from bridge.demo.screen import show

    return show(console, html, {} if found is None else found, device)
