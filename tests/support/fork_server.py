"""Processes of their own, started or forked from a process that has imported PyTorch."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Seconds after which a process hangs, less than pytest's ``timeout``. Tests have no other time limit, so that a busy machine fails none.
HANG = 600.0
_SERVER = "import sys; sys.path.insert(0, {folder!r}); import forked_python; exec('del forked_python;' + forked_python.serve({socket!r}))"


@dataclass(frozen=True, slots=True)
class Run:
    """The end of a process. ``returncode`` is minus the number of the signal that ended it."""

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool = False

    def __str__(self) -> str:
        return f"exit code {self.returncode}\nstdout: {self.stdout[-3000:]}\nstderr: {self.stderr[-6000:]}"


@pytest.fixture(scope="session")
def in_process() -> Callable[..., Run]:
    """Return a function that runs Python code in a new process and returns its ``Run``: ``in_process(code, timeout=HANG, env=None)``.

    The interpreter is ``sys.executable``, the working directory the checkout; ``env`` is merged into the environment (None unsets). After
    ``timeout`` seconds the process and its children are killed, and ``timed_out`` is true.
    """

    def run(
        code: str, timeout: float = HANG, env: Mapping[str, str | None] | None = None, python: str = sys.executable
    ) -> Run:
        merged = {**os.environ, **(env or {})}
        process = subprocess.Popen(
            [python, "-c", code],
            cwd=ROOT,
            env={name: value for name, value in merged.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        timed_out = False
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            _kill(process)
            stdout, stderr = process.communicate()
        except BaseException:
            _kill(process)
            raise
        return Run(process.returncode, stdout, stderr, timed_out)

    return run


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a ``python`` that forks a process which has imported PyTorch: the import is half of the cost of a start.

    It is ``sys.executable`` where the kernel is not Linux.
    """
    if sys.platform != "linux":
        yield Path(sys.executable)
        return
    folder = tmp_path_factory.mktemp("python")
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER.format(folder=str(Path(__file__).parent), socket=str(folder))],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield folder / "python"


@pytest.fixture(scope="session")
def forked(in_process: Callable[..., Run], python: Path) -> Callable[..., Run]:
    """Return ``in_process`` for processes of ``python``: ``forked(code, timeout=HANG, env=None)``."""
    return functools.partial(in_process, python=str(python))


@pytest.fixture
def run_snippet(
    request: pytest.FixtureRequest, in_process: Callable[..., Run], forked: Callable[..., Run]
) -> Callable[..., Run]:
    """Return a function that runs a function of a file of ``snippets``: ``run_snippet("screen", "bare", *args, new=False)``.

    The folder lies beside the test's file or above it. The process is forked, or started with ``new``, for tests of the modules that are
    loaded. The arguments must survive ``repr``; other keyword arguments are those of ``in_process``.
    """

    def run(module: str, function: str, *arguments: object, new: bool = False, **options: Any) -> Run:
        folders = [folder / "snippets" for folder in request.path.parents]
        folder = next(folder for folder in folders if (folder / f"{module}.py").is_file())
        code = f"import sys; sys.path.insert(0, {str(folder)!r}); import {module}; {module}.{function}(*{arguments!r})"
        return (in_process if new else forked)(code, **options)

    return run


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill a process that leads a session, and its children."""
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()
