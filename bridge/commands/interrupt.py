"""Ctrl-C ends a command within a second, also while C# or libtorch runs for long.

Python raises KeyboardInterrupt on the main thread between two instructions, and a long native call has none. So a
thread of its own waits for SIGINT, gives the main thread a moment to clean up, and then ends the process.
No half-written file remains: files are written under another name first.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from bridge.commands import stdio

#: Seconds that the main thread has to clean up.
PATIENCE: Final = 0.6
_STDERR: Final = 2
#: The two ends of the socket that tells the thread of signals, while a command runs.
_ends: list[socket.socket] = []


class Watch:
    """Whether a SIGINT came while a command runs."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.heard = threading.Event()
        self.over = threading.Event()

    def leave(self) -> None:
        """Ends the process if a SIGINT was the reason; everything is cleaned up and reported by then.

        It skips the exit handlers of the interpreter and of both runtimes, which take long.
        """
        if self.heard.wait(0.1):
            self.over.set()
            with suppress(stdio.ScreenError):
                stdio.flush()
            os._exit(self.code)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """A SIGINT in this block ends the process with the watch's code soon, whatever the main thread does. POSIX, main thread only."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    hears, tells = socket.socketpair()
    tells.setblocking(False)
    before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
    _ends[:] = hears, tells

    def wait() -> None:
        with hears:
            while number := hears.recv(1):
                if number[0] == signal.SIGINT:
                    watch.heard.set()
                    if not watch.over.wait(PATIENCE):
                        os.write(_STDERR, b"interrupted\n")
                    os._exit(watch.code)

    watcher = threading.Thread(target=wait, daemon=True, name="bridge-interrupt")
    watcher.start()
    try:
        yield
    finally:
        if _ends:  # else this is a forked child
            _ends.clear()
            signal.set_wakeup_fd(before)
            # Closing alone is not enough: a process that was forked without Python's knowledge may hold the other end open.
            tells.shutdown(socket.SHUT_RDWR)
            tells.close()
            watcher.join()


def _forget() -> None:
    """For a forked child, which has the descriptors but not the thread: its signals must not reach the parent's thread."""
    if _ends:
        signal.set_wakeup_fd(-1)
        for end in _ends:
            end.close()
        _ends.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
