"""Snippets of test_snippets.py."""

from __future__ import annotations

import os
import sys


def well() -> None:
    assert "torch" in sys.modules


def fails() -> None:
    raise KeyboardInterrupt("in a snippet")


def ends() -> None:
    sys.stderr.write("its last words\n")
    sys.stderr.flush()
    os._exit(7)
