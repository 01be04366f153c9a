"""Ctrl-C and SIGTERM (field notes 1 and 8): as a Python without .NET in it takes them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")


def test_interrupt_during_calls(alone: Callable[..., Any]) -> None:
    """Ctrl-C in a long loop of calls raises KeyboardInterrupt, and nothing else is said."""
    done = alone("signals", "during", "calls", "SIGINT", returncode=-signal.SIGINT)
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert done.stderr.count("Traceback") == 1


def test_interrupt_during_a_hook(together: Callable[..., None]) -> None:
    """A-4: raised inside a hook below C# frames, it passes through them; the process may go on."""
    together("signals", "interrupts_below_a_hook")


def test_a_handler_raises_at_an_operator_with_a_number(together: Callable[..., None]) -> None:
    """A-4: libtorch runs these by Python, where a handler runs; what it raises is raised again as the same object, not as text."""
    together("signals", "handlers_raise_at_an_operator_with_a_number")


def test_interrupt_as_plain_python_gives_it(alone: Callable[..., Any], in_process: Callable[..., Any]) -> None:
    """The exit code is the one that Python itself leaves with."""
    plain = in_process("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(600)")
    assert plain.returncode in (-signal.SIGINT, 130)
    alone("signals", "own_interrupt", returncode=plain.returncode)


@pytest.mark.parametrize("what", ["calls", "sleep", "wait"])
def test_sigterm_is_immediate(alone: Callable[..., Any], what: str) -> None:
    """8: the default action ends it; .NET's own handler would leave with an exit code, after seconds, or swallow it."""
    assert alone("signals", "during", what, "SIGTERM", returncode=-signal.SIGTERM).stderr == ""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP"])
def test_a_python_handler_runs(alone: Callable[..., Any], together: Callable[..., None], when: str, name: str) -> None:
    """8: a handler of the program's own, installed before or after .NET starts, is the one that runs."""
    if when == "before":
        alone("signals", "handler_before", name, returncode=7)
    else:
        together("signals", "handler_after", name)


def test_an_ignored_interrupt_stays_ignored(alone: Callable[..., Any]) -> None:
    """8: SIG_IGN, as a shell sets it for background jobs, is kept."""
    alone("signals", "ignored")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_default_signals_with_a_runtime_that_the_user_loaded(alone: Callable[..., Any], name: str) -> None:
    """8: pythonnet was loaded before us, and its handlers stood already."""
    alone("signals", "with_the_users_runtime", name, returncode=-getattr(signal, name))


def test_children_are_waited_for(together: Callable[..., None]) -> None:
    """8: .NET takes no child's end (SIGCHLD) away from Python."""
    together("signals", "children")
