"""bridge/clr/compile/orphans.py: what ends with the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from bridge.clr.compile.orphans import exit_hook
from tests.support.processes import is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

#: Starts a process that sleeps, says its number and sleeps too.
STARTS = """
import os, subprocess, sys, time
from bridge.clr.compile.orphans import exit_hook
sleeps = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(1000)"]
child = subprocess.Popen(sleeps, preexec_fn=exit_hook(os.getpid()), stdout=subprocess.PIPE)
child.stdout.read(1)
print(child.pid, flush=True)
time.sleep(1000)
"""


def test_a_child_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    while is_running(child):  # the test's own limit is the limit
        pass


def test_one_whose_parent_has_gone_ends_at_once() -> None:
    code = "from bridge.clr.compile.orphans import exit_with_parent; exit_with_parent(1234567); print('still here')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")


def test_beside_other_threads_nothing_runs_between_fork_and_exec() -> None:
    """They may hold a lock then."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert exit_hook(os.getpid()) is None
    finally:
        over.set()
        thread.join()
