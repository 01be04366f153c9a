"""What ``import bridge`` does. Nothing of the package is imported with this file."""

from __future__ import annotations

import sys
import threading
from pathlib import Path


def names() -> None:
    """Prints what is loaded beyond torch."""
    import torch  # noqa: F401  # what it loads is not counted

    before = set(sys.modules)
    import bridge  # noqa: F401  # what it loads is counted

    sys.stdout.write(" ".join(sorted(set(sys.modules) - before)) + "\n")
    assert not {"clr", "pythonnet", "clr_loader", "bridge.mirror"} & set(sys.modules)
    if sys.platform == "linux":
        assert "coreclr" not in Path("/proc/self/maps").read_text()
    assert threading.active_count() == 1
