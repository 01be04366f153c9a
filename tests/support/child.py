"""Run test functions in a child process; :mod:`tests.support.subprocess_marker` starts it."""

from __future__ import annotations

import base64
import faulthandler
import gc
import importlib
import json
import os
import pickle
import signal
import sys
import traceback
from typing import Any

#: The first character of an answer of the shared process.
MARK = "\x1e"
_PID = os.getpid()


def reached() -> None:
    """Print that the test has made its last check: needed before a test ends its own process, which else would pass early."""
    sys.stdout.write("reached\n")
    sys.stdout.flush()


def encode(module: str, function: str, arguments: dict[str, Any]) -> str:
    """Return a request to call a function, as one line of text."""
    return base64.b64encode(pickle.dumps((module, function, arguments))).decode()


def call(request: str) -> None:
    """Call the function of a request."""
    module, function, arguments = pickle.loads(base64.b64decode(request))
    getattr(importlib.import_module(module), function)(**arguments)


def run(request: str) -> None:
    """Call one function in this process, and print ``reached`` when it has returned."""
    import torch

    torch.set_num_threads(1)
    call(request)
    reached()


def serve() -> None:
    """Call the function of each line of standard input; answer with MARK and the traceback as JSON, or null.

    A child that a test forks never answers: an exception ends it, as in any program.
    """
    import torch

    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell starts us with SIGINT ignored
    if os.name == "posix":
        faulthandler.register(signal.SIGUSR1)  # prints the stacks before a process that hangs is killed
    for line in sys.stdin:
        if not gc.get_freeze_count():  # at first, and after a test that has unfrozen them
            gc.collect()
            gc.freeze()  # collections skip PyTorch's own objects
        failure = None
        try:
            call(line)
        except BaseException:
            if os.getpid() != _PID:
                raise
            failure = traceback.format_exc()
        sys.stdout.write(f"\n{MARK}{json.dumps(failure)}\n")
        sys.stdout.flush()
