"""bridge/clr/compile/recompiler.py: the compiler server's pipe, which needs no SDK to be looked for."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Client, Listener

from bridge.clr.compile import recompiler


def test_a_pipe_is_seen_without_a_connection() -> None:
    """The compiler server would end."""
    name = f"bridge-test-{os.getpid()}"
    family, address = ("AF_PIPE", rf"\\.\pipe\{name}") if sys.platform == "win32" else ("AF_UNIX", f"/tmp/{name}")
    assert not recompiler.has_pipe(name)
    with Listener(address, family) as listener:
        assert recompiler.has_pipe(name)
        with Client(address, family), listener.accept():  # would be the one of ``has_pipe``
            pass
    assert not recompiler.has_pipe(name)
