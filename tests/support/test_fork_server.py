"""tests/support/fork_server.py: processes and their ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.processes import is_running


def test_in_process_reports_code_and_output(in_process: Callable[..., Any]) -> None:
    code = "import os, sys; print(os.environ['MARK'], os.environ.get('HOME')); sys.stderr.write('e'); sys.exit(3)"
    done = in_process(code, env={"MARK": "here", "HOME": None})
    assert (done.returncode, done.stdout, done.stderr, done.timed_out) == (3, "here None\n", "e", False)


@pytest.mark.skipif(os.name != "posix", reason="process groups and signals are POSIX's")
def test_in_process_kills_what_outlasts_its_time_and_its_children(in_process: Callable[..., Any]) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(9000)'])\n"
        "print(child.pid, flush=True); time.sleep(9000)"
    )
    # As long as it takes Python to start on this machine at this moment.
    done = next(done for seconds in (3, 9, 27, 81, 243) if (done := in_process(code, timeout=seconds)).stdout)
    assert done.timed_out
    assert done.returncode == -9
    if sys.platform == "linux":
        while is_running(int(done.stdout)):
            time.sleep(0.05)


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_forked_is_as_in_process(forked: Callable[..., Any], in_process: Callable[..., Any]) -> None:
    code = (
        "import atexit, os, sys; atexit.register(print, 'end')\n"
        "print(sorted(vars()), sys.argv, sys.path[0], os.getpid() == os.getsid(0))"
    )
    loaded = "\nprint('torch' in sys.modules)"
    mine, new = forked(code + loaded), in_process(code + loaded)
    assert mine.stdout.splitlines()[-2:] == ["True", "end"]
    assert new.stdout.splitlines()[-2:] == ["False", "end"]
    assert mine.stdout.splitlines()[0] == new.stdout.splitlines()[0]
    assert (forked("import os; os.abort()").returncode, forked("exit(3)").returncode) == (-6, 3)
    raised = forked("raise ValueError('mine')")
    assert raised.returncode == 1
    assert raised.stderr.endswith("ValueError: mine\n")
    assert forked("import time; time.sleep(9000)", timeout=1).timed_out
    assert forked("print('the next')").stdout == "the next\n"
    written = "import sys; print(sys.dont_write_bytecode)"
    for variable, said in ((None, "False\n"), ("1", "True\n")):
        for run in (forked, in_process):
            assert run(written, env={"PYTHONDONTWRITEBYTECODE": variable}).stdout == said
