"""The start of a process on Windows."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

if sys.platform != "win32":
    pytest.skip("the start of a process on Windows", allow_module_level=True)

from bridge.torchsharp.process.system import windows
from bridge.torchsharp.process.system.portable import ThreadedPipes
from tests.support.processes import is_running, kill

PYTHON = str(getattr(sys, "_base_executable", sys.executable))
#: A program that starts another one, which sleeps, and prints its number.
STARTING = f"""
import os
from bridge.torchsharp.process.system.portable import ThreadedPipes
pipes = ThreadedPipes()
process = pipes.start([{PYTHON!r}, "-I", "-S", "-c", "import time; time.sleep(1000)"], os.environ)
print(os.getpid(), process.pid, flush=True)
process.wait()
"""


def test_the_job_ends_a_process_that_looks_at_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTING], stdout=subprocess.PIPE, text=True) as starting:
        assert starting.stdout is not None
        python, process = map(int, starting.stdout.readline().split())
        assert is_running(process)
        kill(python)
        for _ in range(600):
            if not is_running(process):
                break
            time.sleep(0.1)
        assert not is_running(process)


def test_a_process_inherits_its_pipes_alone() -> None:
    first, second = ThreadedPipes(), ThreadedPipes()
    sleeping = [PYTHON, "-I", "-S", "-c", "import time; time.sleep(1000)"]
    with first.start(sleeping, {}) as one, second.start(sleeping, {}) as two:
        one.kill()
        assert first.read(time.monotonic() + 60) == b""  # the second process would keep the pipe open
        two.kill()
    for pipes in (first, second):
        pipes.close()
        pipes.join(60)


def test_the_job_is_one() -> None:
    assert windows._job() == windows._job()
