"""The marker ``subprocess``: tests that fail, or end their process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.support.fork_server import Run
from tests.support.subprocess_marker import SharedProcess, run_alone


def succeed() -> None:
    assert "torch" in sys.modules


def fail() -> None:
    raise KeyboardInterrupt("in a child")


def end() -> None:
    sys.stderr.write("its last words\n")
    sys.stderr.flush()
    os._exit(7)


def hang_beside_a_child(begun: Path) -> None:
    """Fork a child that leaves the session and keeps the pipes; hang in both processes."""
    if os.fork() == 0:
        os.setsid()
        part = Path(f"{begun}.part")
        part.write_text(str(os.getpid()), encoding="utf-8")
        part.rename(begun)
    time.sleep(3600)


@pytest.fixture
def process(tmp_path: Path) -> Iterator[SharedProcess]:
    """Make a shared process of one test."""
    made = SharedProcess(tmp_path)
    yield made
    made.end()


@pytest.mark.subprocess(env={"MARK": "here"}, returncode=3, stderr="written\n")
def test_options_of_the_marker(tmp_path: Path) -> None:
    """The child has the variables, the exit code and the standard error of the marker."""
    from tests.support.child import reached

    assert os.environ["MARK"] == "here"
    assert tmp_path.is_dir()
    sys.stderr.write("written\n")
    reached()
    sys.exit(3)


def test_a_failure_is_the_tests_and_the_process_goes_on(process: SharedProcess) -> None:
    process.run(__name__, "succeed", {})
    with pytest.raises(pytest.fail.Exception, match="KeyboardInterrupt: in a child"):
        process.run(__name__, "fail", {})
    process.run(__name__, "succeed", {})


def test_an_end_is_the_tests_and_the_next_has_a_process(process: SharedProcess) -> None:
    with pytest.raises(pytest.fail.Exception, match="the process ended with 7: (?s:.*)its last words"):
        process.run(__name__, "end", {})
    process.run(__name__, "succeed", {})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_hang_is_ended_whoever_holds_its_pipes(process: SharedProcess, tmp_path: Path, capfd: Any) -> None:
    """The exception of pytest-timeout prints the stacks; a child that has left the session is not waited for."""

    class OverError(Exception): ...

    begun = tmp_path / "begun"

    def raise_over(number: int, frame: object) -> NoReturn:
        raise OverError

    def signal_when_it_hangs() -> None:
        while not begun.exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR2)

    before = signal.signal(signal.SIGUSR2, raise_over)
    try:
        threading.Thread(target=signal_when_it_hangs, daemon=True).start()
        with pytest.raises(OverError):
            process.run(__name__, "hang_beside_a_child", {"begun": begun})
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert "in hang_beside_a_child" in capfd.readouterr().err
    os.kill(int(begun.read_text(encoding="utf-8")), signal.SIGKILL)


def test_the_exit_code_and_the_last_check_of_a_process_of_its_own(forked: Callable[..., Run]) -> None:
    run_alone(forked, __name__, "succeed", {})
    with pytest.raises(AssertionError, match="exit code 7, not 0"):
        run_alone(forked, __name__, "end", {})
    with pytest.raises(AssertionError, match="ended before the test did"):
        run_alone(forked, __name__, "end", {}, returncode=7)
