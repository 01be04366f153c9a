"""tests/interop/conftest.py: how the process of the snippets fares when one of them fails, or ends it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest


def test_a_failure_is_the_tests_and_the_process_goes_on(together: Callable[..., None]) -> None:
    together("ending", "well")
    with pytest.raises(pytest.fail.Exception, match="KeyboardInterrupt: in a snippet"):
        together("ending", "fails")
    together("ending", "well")


def test_an_end_is_the_tests_and_the_next_snippet_has_a_process(together: Callable[..., None]) -> None:
    with pytest.raises(pytest.fail.Exception, match="the process ended with 7: (?s:.*)its last words"):
        together("ending", "ends")
    together("ending", "well")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_one_that_hangs_is_ended_whoever_holds_its_pipes(snippets: Any, tmp_path: Path, capfd: Any) -> None:
    """As pytest's timeout ends it: it says where it stood, and a child that was forked in it and left it is not waited for."""

    class OverError(Exception): ...

    begun = tmp_path / "begun"

    def end(number: int, frame: object) -> NoReturn:
        raise OverError

    def when_it_hangs() -> None:
        while not begun.exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR2)

    before = signal.signal(signal.SIGUSR2, end)
    try:
        threading.Thread(target=when_it_hangs, daemon=True).start()
        with pytest.raises(OverError):
            snippets.ask(["ending", "hangs_beside_a_child", [str(begun)], {}])
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert "in hangs_beside_a_child" in capfd.readouterr().err
    os.kill(int(begun.read_text()), signal.SIGKILL)


def test_alone_the_code_is_the_processs(alone: Callable[..., Any]) -> None:
    alone("ending", "well")
    with pytest.raises(AssertionError, match="it ended with 7, not 0"):
        alone("ending", "ends")


def test_a_snippet_that_is_nowhere_is_named(together: Callable[..., None]) -> None:
    with pytest.raises(AssertionError, match=r"snippets/ending\.py has no function missing"):
        together("ending", "missing")
