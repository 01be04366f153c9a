"""Factories of models that fork a process of their own, for test_interrupt.py."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from torch import nn


def helped() -> nn.Module:
    """Start a helper that outlives the command, and write its process id to the file ``helper``."""
    if (pid := os.fork()) == 0:
        for stream in range(3):
            os.close(stream)
        time.sleep(600)
        os._exit(0)
    Path("helper").write_text(str(pid), encoding="utf-8")
    return nn.ReLU()


def interrupted() -> nn.Module:
    """Start a helper and interrupt it; the parent reacts within a second."""
    if os.fork() == 0:
        try:
            if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background shell hands it down ignored
                signal.signal(signal.SIGINT, signal.default_int_handler)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(600)
        except KeyboardInterrupt:
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
    time.sleep(1)
    return nn.ReLU()
