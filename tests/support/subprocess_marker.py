"""The marker ``subprocess``: the test function runs in a process of its own, or in one that such tests share.

Its fixtures and parameters are built in pytest's process, and pickled. The child imports the test's module by name. The arguments of the
marker:

- ``shared=True``: run in a process that all shared tests of a worker use, one after the other, and that has started .NET. A test that ends
  it fails, and the next test gets another process.
- ``env={"NAME": "value"}``: variables to set, or to unset (None).
- ``returncode=0``: the expected exit code; minus the number of a signal.
- ``stderr=""``: the expected standard error; not compared by default.
- ``check=function``: called in pytest's process with the ``Run`` and the test's arguments as keyword arguments, instead of comparing
  ``returncode`` and ``stderr``.

A test passes only if it returns, or calls :func:`tests.support.child.reached` before it ends its process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support import child
from tests.support.fork_server import Run

ROOT = Path(__file__).resolve().parents[2]
_PATH = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tools')!r}]; from tests.support import child; "


def run_alone(
    run: Callable[..., Run],
    module: str,
    function: str,
    arguments: dict[str, Any],
    *,
    env: Mapping[str, str | None] | None = None,
    returncode: int = 0,
    stderr: str | None = None,
    check: Callable[..., None] | None = None,
) -> None:
    """Call a function in a process of its own, which ``run`` starts; fail as described for the marker."""
    done = run(f"{_PATH}child.run({child.encode(module, function, arguments)!r})", env=env)
    assert not done.timed_out, f"the process hangs: {done}"
    if check is None:
        assert done.returncode == returncode, f"exit code {done.returncode}, not {returncode}: {done}"
        assert stderr is None or done.stderr == stderr, str(done)
    assert "reached" in done.stdout.splitlines(), f"the process ended before the test did: {done}"
    if check is not None:
        check(done, **arguments)


class SharedProcess:
    """A process that runs test functions one after the other, and that is started again after a function has ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._started = folder, 0
        self._process: subprocess.Popen[str] | None = None

    def run(self, module: str, function: str, arguments: dict[str, Any]) -> None:
        """Call a function; fail with its traceback, or with the exit code of the process."""
        process = self._process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(child.encode(module, function, arguments) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith(child.MARK):
                    failure = json.loads(line[1:])
                    break
            else:
                code = process.wait()
                failure = f"the process ended with {code}: {self._read_stderr()}"
                self.end()
        except BaseException:  # among others the exception of pytest-timeout; nobody will read the answer
            self._print_stacks(process)
            self.end()
            raise
        if failure is not None:
            pytest.fail(failure, pytrace=False)

    def end(self) -> None:
        """Kill the process and its children.

        Its pipes are not read to the end: a child that left the session may keep them open.
        """
        if (process := self._process) is not None:
            self._process = None
            if os.name == "posix":
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stdin):
                assert pipe is not None
                with suppress(OSError):
                    pipe.close()

    def _read_stderr(self) -> str:
        return self._log.read_text(errors="replace")[-6000:]

    def _print_stacks(self, process: subprocess.Popen[str]) -> None:
        """Print the stacks of the process's threads, for pytest to show with the failure."""
        if os.name == "posix":
            process.send_signal(signal.SIGUSR1)
        with suppress(subprocess.TimeoutExpired):
            process.wait(2)
        sys.stderr.write(self._read_stderr())

    def _start(self) -> subprocess.Popen[str]:
        self._started += 1
        self._log = self._folder / f"stderr-{self._started}.txt"
        with self._log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, "-c", f"{_PATH}child.serve()"],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                errors="replace",
                start_new_session=True,
            )


@pytest.fixture(scope="session")
def shared_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedProcess]:
    """Return the process of the tests that are marked ``subprocess(shared=True)``."""
    process = SharedProcess(tmp_path_factory.mktemp("shared"))
    yield process
    process.end()


@pytest.fixture(autouse=True)
def _subprocess(request: pytest.FixtureRequest) -> None:
    """Replace the function of a marked test by one that calls it in a child process."""
    marker = request.node.get_closest_marker("subprocess")
    if marker is None:
        return
    module, function, options = request.module.__name__, request.node.originalname, dict(marker.kwargs)
    if options.pop("shared", False):
        assert not options, f"a shared process has no {', '.join(options)}"
        process: SharedProcess = request.getfixturevalue("shared_process")
        request.node.obj = lambda **arguments: process.run(module, function, arguments)
    else:
        forked: Callable[..., Run] = request.getfixturevalue("forked")
        request.node.obj = lambda **arguments: run_alone(forked, module, function, arguments, **options)
