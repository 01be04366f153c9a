"""Ctrl-C ends a command within a second, also while C# or libtorch runs for long.

Python raises KeyboardInterrupt on the main thread between two instructions, and a long native call has none. So a
thread of its own waits for SIGINT, gives the main thread a moment to clean up, and then ends the process.
Nothing half-written can stay: files are written under another name first.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Seconds that the main thread has to clean up.
PATIENCE: Final = 0.6
_STDERR: Final = 2


class Watch:
    """What is known of SIGINT while a command runs."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.heard = threading.Event()
        self.over = threading.Event()

    def leave(self) -> None:
        """Everything is cleaned up and the user was told: ends the process, if a SIGINT was the reason.

        Not by way of the interpreter's and both runtimes' farewells, which take their time.
        """
        if self.heard.wait(0.1):
            self.over.set()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)


@contextmanager
def watched(code: int) -> Iterator[Watch]:
    """A SIGINT in this block ends the process with ``code`` soon, whatever the main thread does. POSIX, main thread only."""
    watch = Watch(code)
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield watch
        return
    hears, tells = socket.socketpair()
    tells.setblocking(False)
    before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        with hears:
            while number := hears.recv(1):
                if number[0] == signal.SIGINT:
                    watch.heard.set()
                    if not watch.over.wait(PATIENCE):
                        os.write(_STDERR, b"interrupted\n")
                    os._exit(code)

    watcher = threading.Thread(target=wait, daemon=True, name="bridge-interrupt")
    watcher.start()
    try:
        yield watch
    finally:
        signal.set_wakeup_fd(before)
        tells.close()
        watcher.join()
