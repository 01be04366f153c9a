"""bridge/clr/compile/children: what ends with the process that started it, on each system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from bridge.clr.compile.children import END, Child
from tests.support.processes import is_running

#: Starts a process that sleeps, writes the ids of both, and sleeps too.
SLEEPS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(1000)
"""
#: Starts such a process, and copies its line.
STARTS = f"""
import subprocess, sys, time
from bridge.clr.compile.children import Child
child = Child([sys.executable, "-c", {SLEEPS!r}], stdout=subprocess.PIPE)
print(child.stdout.readline(), end="", flush=True)
time.sleep(1000)
"""
#: Asked to end, it says so and ends with code 5.
OBEYS = """
import signal, sys, time
from bridge.clr.compile.children import END
signal.signal(END, lambda *_: sys.exit(5))
print("ready", flush=True)
for _ in range(2000):
    time.sleep(0.05)
"""


def all_gone(processes: list[int]) -> None:
    while any(map(is_running, processes)):
        pass  # the test's own limit is the limit


def _ids(process: subprocess.Popen[str]) -> list[int]:
    assert process.stdout is not None
    return [int(word) for word in process.stdout.readline().split()]


def _has_console() -> bool:
    if sys.platform != "win32":
        return True
    import ctypes

    return bool(ctypes.WinDLL("kernel32").GetConsoleCP())


def test_a_child_ends_with_its_own_children() -> None:
    with Child([sys.executable, "-c", SLEEPS], stdout=subprocess.PIPE) as child:
        started = _ids(child)
        assert all(map(is_running, started))
        child.kill_all()
        all_gone([child.pid, *started])


def test_a_child_ends_when_its_parent_is_killed() -> None:
    """On Windows with its own children; on Linux they end if they were started by a Child."""
    with subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True) as parent:
        started = _ids(parent)
        parent.kill()
    all_gone(started if sys.platform == "win32" else started[:1])
    for process in started[1:]:
        if sys.platform != "win32":
            os.kill(process, signal.SIGKILL)


def test_a_child_that_is_asked_ends_as_it_likes() -> None:
    """On Windows the request is a Ctrl-Break, which only a console can send."""
    if not _has_console():
        pytest.skip("needs a console")
    with Child([sys.executable, "-c", OBEYS], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.ask_to_end()
        assert child.wait() == 5


def test_the_output_and_the_code_are_those_of_the_child() -> None:
    code = "import sys, time; time.sleep(0.5); print(sys.stdin.read()); sys.exit(3)"
    with Child([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.communicate("words") == ("words\n", None)
        assert child.returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="a job needs nothing of the child")
@pytest.mark.parametrize("kernel", ["linux", "other"])
def test_one_whose_parent_has_gone_ends_at_once(kernel: str) -> None:
    if kernel == "linux" and sys.platform != "linux":
        pytest.skip("needs Linux")
    code = (
        "import time; from bridge.clr.compile.children import posix; "
        f"posix._prctl = posix._prctl if {kernel == 'linux'} else None; "
        "posix.exit_with_parent(1234567); time.sleep(20); print('still here')"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_beside_other_threads_nothing_runs_between_fork_and_exec() -> None:
    """They may hold a lock then."""
    from bridge.clr.compile.children.posix import _exit_hook

    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert _exit_hook(os.getpid()) is None
    finally:
        over.set()
        thread.join()


def test_a_process_is_asked_by_a_signal_that_python_handles() -> None:
    assert signal.getsignal(END) is not None
