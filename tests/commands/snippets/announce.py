"""A module that, once imported, prints a line when the file ``building`` is there, for test_interrupt.py."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from torch.nn import ReLU as ReLU


def _watch() -> None:
    while not Path("building").exists():
        time.sleep(0.05)
    print("building", flush=True)


threading.Thread(target=_watch, daemon=True).start()
