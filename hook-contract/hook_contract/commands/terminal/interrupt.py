"""Ctrl-C ends a command within a second, also during a long call of C# or libtorch (not on Windows).

Python raises KeyboardInterrupt on the main thread between two bytecode instructions, and thus never during a native call. So another
thread waits for SIGINT, gives the main thread time to clean up, and then ends the process. Output files are written under temporary
names, so that no incomplete file gets the final name.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from hook_contract.commands.terminal import stdio

#: Seconds for the main thread to clean up.
GRACE_PERIOD: Final = 0.6
_STDERR: Final = 2
#: While a command runs, the two connected sockets through which Python reports signals to the waiting thread.
_sockets: list[socket.socket] = []


class Interrupt:
    """The state of an interrupt: whether a command has received SIGINT, and whether the main thread has cleaned up after that."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.received = threading.Event()
        self.handled = threading.Event()

    def exit(self) -> None:
        """End the process if SIGINT was received. The main thread calls this method when it has cleaned up.

        The exit handlers of Python and of .NET are skipped, since they are slow.
        """
        if self.received.wait(0.1):
            with suppress(stdio.ScreenError):
                stdio.flush()
            self.handled.set()  # set after the flush: once it is set, the waiting thread ends the process
            os._exit(self.code)


@contextmanager
def guard(interrupt: Interrupt) -> Iterator[None]:
    """End the process with the interrupt's exit code soon after a SIGINT in the block.

    On Windows and on threads other than the main thread, SIGINT is left to Python.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    _sockets[:] = receiver, sender

    def wait() -> None:
        with receiver:
            while number := receiver.recv(1):
                if number[0] == signal.SIGINT:
                    interrupt.received.set()
                    if not interrupt.handled.wait(GRACE_PERIOD):
                        os.write(_STDERR, b"interrupted\n")
                    os._exit(interrupt.code)

    thread = threading.Thread(target=wait, daemon=True, name="hook-contract-interrupt")
    thread.start()
    try:
        yield
    finally:
        if _sockets:  # no sockets are left in a forked child
            _sockets.clear()
            signal.set_wakeup_fd(before)
            # shutdown() ends the thread's recv() even if a process that C code has forked holds a copy of ``sender``.
            sender.shutdown(socket.SHUT_RDWR)
            sender.close()
            thread.join()


def _close_in_child() -> None:
    """Close the sockets in a forked child, so that the child's signals do not reach the parent's thread."""
    if _sockets:
        signal.set_wakeup_fd(-1)
        for end in _sockets:
            end.close()
        _sockets.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)
