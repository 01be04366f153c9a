"""Runs snippets, functions of the modules beside this file, in this process.

``run.py`` reads requests from standard input, one JSON array a line: ``[module, function, arguments, assemblies]``. It answers each with a
line that begins with MARK: null when the function returned, else its traceback as JSON text. A child that a snippet forks never answers:
what is raised in it ends it as it would end any program.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

# What attacks and snippets share is in tools/attack.
sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))

MARK = "\x1e"
_PID = os.getpid()


def answer(module: str, function: str, arguments: list[object], assemblies: dict[str, str]) -> str | None:
    """Runs one snippet; gives None, or how it failed."""
    try:
        process = importlib.import_module("process")
        process.COMPILED.update(assemblies)
        getattr(importlib.import_module(module), function)(*arguments)
    except BaseException:
        if os.getpid() != _PID:
            raise
        return traceback.format_exc()
    return None


def alone(module: str, function: str, arguments: list[object], assemblies: dict[str, str]) -> None:
    """Runs one snippet in a process that is its own: what it raises ends the process, and ``reached`` is its last line if nothing did."""
    import torch

    torch.set_num_threads(1)
    if assemblies:  # else the package is not imported, unless the snippet does
        importlib.import_module("process").COMPILED.update(assemblies)
    getattr(importlib.import_module(module), function)(*arguments)
    importlib.import_module("process").reached()


def main() -> None:
    import torch

    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    if os.name == "posix":
        faulthandler.register(signal.SIGUSR1)  # where it stands, before it is killed for a hang
    for line in sys.stdin:
        if not gc.get_freeze_count():  # at first, and after a snippet that has thawed them
            gc.collect()
            gc.freeze()  # no collection need look through PyTorch's own objects
        failure = answer(*json.loads(line))
        sys.stdout.write(f"\n{MARK}{json.dumps(failure)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
