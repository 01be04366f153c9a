"""Snippets of test_snippets.py."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


def well() -> None:
    assert "torch" in sys.modules


def fails() -> None:
    raise KeyboardInterrupt("in a snippet")


def ends() -> None:
    sys.stderr.write("its last words\n")
    sys.stderr.flush()
    os._exit(7)


def hangs_beside_a_child(begun: str) -> None:
    """Forever, and so does a child that has its pipes and left its session."""
    if os.fork() == 0:
        os.setsid()
        part = Path(f"{begun}.part")
        part.write_text(str(os.getpid()))
        part.rename(begun)
    time.sleep(3600)
