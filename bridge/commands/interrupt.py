"""Ctrl-C ends a command within a second, also while C# or libtorch runs for long.

Python raises KeyboardInterrupt on the main thread between two instructions, and a long native call has none. So a
thread of its own waits for SIGINT, gives the main thread a moment to leave in order, and then ends the process.
Nothing half-written can stay: files are written under another name first.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Seconds that the main thread has to leave by itself.
PATIENCE: Final = 0.6
STDERR: Final = 2


@contextmanager
def watched(code: int) -> Iterator[threading.Event]:
    """A SIGINT in this block ends the process with ``code`` soon, whatever the main thread does. POSIX, main thread only.

    Yields an event for the main thread to set when it has told the user itself.
    """
    heeded = threading.Event()
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield heeded
        return
    heard, told = socket.socketpair()
    told.setblocking(False)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        with heard:
            while number := heard.recv(1):
                if number[0] == signal.SIGINT:
                    time.sleep(PATIENCE)
                    if not heeded.is_set():
                        os.write(STDERR, b"interrupted\n")
                    os._exit(code)

    watcher = threading.Thread(target=wait, daemon=True, name="bridge-interrupt")
    watcher.start()
    try:
        yield heeded
    finally:
        signal.set_wakeup_fd(before)
        told.close()
        if not heeded.is_set():
            watcher.join()
