"""Ctrl-C and SIGTERM (field notes 1 and 8): as a Python without .NET in it takes them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

#: Sends itself a signal in the middle of what follows; a thread of its own, so that it comes while .NET runs.
SEND = """
def send():
    time.sleep(0.3)
    reached()
    os.kill(os.getpid(), signal.{name})
threading.Thread(target=send, daemon=True).start()
"""
LOOP = """
while True:
    model(X)
"""


def test_interrupt_during_calls(snippet: Callable[..., Any]) -> None:
    """Ctrl-C in a long loop of calls raises KeyboardInterrupt, and nothing else is said."""
    done = snippet("model = pnet()\nmodel(X)" + SEND.format(name="SIGINT") + LOOP, -signal.SIGINT)
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert done.stderr.count("Traceback") == 1


def test_interrupt_during_a_hook(snippet: Callable[..., Any]) -> None:
    """A-4: raised inside a hook below C# frames, it passes through them; the process may go on."""
    snippet(
        """
        model = pnet()
        model.conv2.register_forward_hook(lambda *_: time.sleep(0.001))
        model(X)
        def send():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        for _ in range(3):
            threading.Thread(target=send, daemon=True).start()
            try:
                while True:
                    model(X)
            except KeyboardInterrupt as error:
                assert str(error) == ""
        assert model(X)[0].shape == (1, 2, 7, 7)
        reached()
        """
    )


def test_interrupt_as_plain_python_gives_it(snippet: Callable[..., Any], in_process: Callable[..., Any]) -> None:
    """The exit code is the one that Python itself leaves with."""
    plain = in_process("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(600)")
    assert plain.returncode in (-signal.SIGINT, 130)
    snippet("pnet()(X)\nreached()\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)", plain.returncode)


@pytest.mark.parametrize(
    "where", [LOOP, "\ntime.sleep(600)", "\nthreading.Event().wait()"], ids=["calls", "sleep", "wait"]
)
def test_sigterm_is_immediate(snippet: Callable[..., Any], where: str) -> None:
    """8: the default action ends it; .NET's own handler would leave with an exit code, after seconds, or swallow it."""
    done = snippet("model = pnet()\nmodel(X)" + SEND.format(name="SIGTERM") + where, -signal.SIGTERM)
    assert done.stderr == ""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP"])
def test_a_python_handler_runs(snippet: Callable[..., Any], when: str, name: str) -> None:
    """8: a handler of the program's own, installed before or after .NET starts, is the one that runs."""
    install = f"""
def handler(number, frame):
    raise SystemExit(7)
signal.signal(signal.{name}, handler)
"""
    start = "\nmodel = pnet()\nmodel(X)\n"
    code = install + start if when == "before" else start + install
    snippet(code + SEND.format(name=name) + LOOP, 7)


def test_an_ignored_interrupt_stays_ignored(snippet: Callable[..., Any]) -> None:
    """8: SIG_IGN, as a shell sets it for background jobs, is kept."""
    snippet(
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        model = pnet()
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(20):
            model(X)
        reached()
        """
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_default_signals_with_a_runtime_that_the_user_loaded(snippet: Callable[..., Any], name: str) -> None:
    """8: pythonnet was loaded before us, and its handlers stood already."""
    code = """
import pythonnet
prepare_pythonnet()
pythonnet.load("coreclr")
model = pnet()
model(X)
"""
    snippet(code + SEND.format(name=name) + LOOP, -getattr(signal, name))


def test_children_are_waited_for(snippet: Callable[..., Any]) -> None:
    """8: .NET takes no child's end (SIGCHLD) away from Python."""
    snippet(
        """
        import subprocess
        pnet()(X)
        assert [subprocess.run(["sh", "-c", f"exit {n}"]).returncode for n in range(5)] == [0, 1, 2, 3, 4]
        reached()
        """
    )
