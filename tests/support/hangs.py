"""Default signal handlers, and an end for tests that hang in native code."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Generator

import pytest

#: A copy of the descriptor of standard error, which pytest does not capture.
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    # A background shell starts us with SIGINT ignored, nohup with SIGHUP; child processes must see them as a user's process does. A
    # preexec_fn cannot do it: beside .NET's threads its Python may wait forever for a lock that one of them held at the fork.
    for name, handler in (
        ("SIGINT", signal.default_int_handler),
        ("SIGHUP", signal.SIG_DFL),
        ("SIGTERM", signal.SIG_DFL),
    ):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, name), handler)
    config.stash[_stderr] = os.dup(2)


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(config.stash[_stderr])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Print the stacks and exit the process of a test that hangs in native code, where the signal of pytest-timeout runs no handler.

    pytest-xdist reports the test as a crash of its worker, and starts another worker.
    """
    marker = item.get_closest_marker("timeout")
    seconds = float(marker.args[0] if marker else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(seconds + 60, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
