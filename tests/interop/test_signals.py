"""Ctrl-C and SIGTERM: as in a Python without .NET."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
import torch

from attack.pythonnet_user import prepare_pythonnet
from tests.interop.helpers import X, extra, pnet, raised
from tests.support.child import reached
from tests.support.fork_server import Run

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.subprocess(shared=True),
    pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's"),
]


#: Gets an entry when the code has begun that a signal is to interrupt. Not an Event, whose lock stays locked if a handler raises between
#: its acquisition and the `with` block; `SimpleQueue.put` holds no lock of Python.
_begun: queue.SimpleQueue[None] = queue.SimpleQueue()


def send(name: str) -> None:
    """Send this process a signal from another thread, so that it comes while .NET runs."""
    global _begun
    begun = _begun = queue.SimpleQueue()

    def work() -> None:
        begun.get()
        time.sleep(0.1)
        reached()
        os.kill(os.getpid(), getattr(signal, name))

    threading.Thread(target=work, daemon=True).start()


def call_forever(model: Any, x: torch.Tensor = X) -> NoReturn:
    model(x)
    _begun.put(None)
    while True:
        model(x)


def handle(name: str) -> Any:
    """Install a handler that exits with 7; return the previous one."""

    def handler(number: int, frame: object) -> NoReturn:
        raise SystemExit(7)

    return signal.signal(getattr(signal, name), handler)


def during(what: str, name: str) -> None:
    """Send a signal while C# is called, or while Python sleeps or waits after a call."""
    model = pnet()
    model(X)
    send(name)
    if what != "calls":
        _begun.put(None)
    waits: dict[str, Callable[[], object]] = {
        "calls": lambda: call_forever(model),
        "sleep": lambda: time.sleep(600),
        "wait": lambda: threading.Event().wait(),
    }
    waits[what]()


def test_interrupt_during_a_hook() -> None:
    """A-4: raised inside a hook below C# frames, it passes through them; the process may go on."""
    model = pnet()
    model.conv2.register_forward_hook(lambda *_: time.sleep(0.001))
    model(X)
    for _ in range(3):
        send("SIGINT")
        error = raised(lambda: call_forever(model))
        assert type(error) is KeyboardInterrupt, error
        assert str(error) == ""
    assert model(X)[0].shape == (1, 2, 7, 7)


class AlarmError(BaseException):
    """What a handler raises."""


def test_a_handler_raises_at_an_operator_with_a_number() -> None:
    """A-4: libtorch runs these by Python, where a handler runs; what it raises is raised again as the same object, not as text."""
    model, x = extra("Adding"), torch.ones(2)

    def handler(number: int, frame: object) -> NoReturn:
        raise alarm

    def interrupted(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        call_forever(model, x)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for count in range(40):
            alarm = AlarmError()
            assert raised(lambda: interrupted(0.001 + 0.0001 * count)) is alarm
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert torch.equal(model(x), torch.full((2,), 201.0))


def check_plain(run: Run) -> None:
    """Check that the exit code is that of a Python without .NET."""
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(600)"
    plain = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, check=False)
    assert plain.returncode in (-signal.SIGINT, 130)
    assert run.returncode == plain.returncode, str(run)


@pytest.mark.subprocess(check=check_plain)
def test_interrupt_as_plain_python_gives_it() -> None:
    """The exit code is the one that Python itself leaves with."""
    pnet()(X)
    reached()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)


SIGNALS = pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP"])


@SIGNALS
@pytest.mark.subprocess(returncode=7)
def test_a_python_handler_from_before_the_start_runs(name: str) -> None:
    """A handler of the program that was installed before .NET starts is the one that runs."""
    handle(name)
    model = pnet()
    model(X)
    send(name)
    call_forever(model)


@SIGNALS
def test_a_python_handler_from_after_the_start_runs(name: str) -> None:
    """A handler that is installed after .NET has started is the one that runs."""
    model = pnet()
    model(X)
    before = handle(name)
    try:
        send(name)
        error = raised(lambda: call_forever(model))
    finally:
        signal.signal(getattr(signal, name), before)
    assert type(error) is SystemExit, error
    assert error.code == 7


@pytest.mark.subprocess
def test_an_ignored_interrupt_stays_ignored() -> None:
    """SIG_IGN, as a shell sets it for background jobs, is kept."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    model = pnet()
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(20):
        model(X)


def check_signal(run: Run, name: str) -> None:
    """Check that the signal ended the process."""
    assert run.returncode == -getattr(signal, name), str(run)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.subprocess(check=check_signal)
def test_default_signals_with_a_runtime_that_the_user_loaded(name: str) -> None:
    """Pythonnet was loaded before us, and its handlers stood already."""
    import pythonnet

    prepare_pythonnet()
    pythonnet.load("coreclr")
    during("calls", name)


def test_children_are_waited_for() -> None:
    """.NET takes no child's end (SIGCHLD) away from Python."""
    pnet()(X)
    assert [subprocess.run(["sh", "-c", f"exit {n}"], check=False).returncode for n in range(5)] == [0, 1, 2, 3, 4]


def check_interrupt(run: Run) -> None:
    """Check that the signal ended the process, with one traceback."""
    assert run.returncode == -signal.SIGINT, str(run)
    assert run.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert run.stderr.count("Traceback") == 1


@pytest.mark.subprocess(check=check_interrupt)
def test_interrupt_during_calls() -> None:
    """Ctrl-C in a long loop of calls raises KeyboardInterrupt, and nothing else is printed."""
    during("calls", "SIGINT")


@pytest.mark.parametrize("what", ["calls", "sleep", "wait"])
@pytest.mark.subprocess(returncode=-signal.SIGTERM, stderr="")
def test_sigterm_is_immediate(what: str) -> None:
    """The default action ends the process; .NET's own handler would exit with a code, after seconds, or swallow the signal."""
    during(what, "SIGTERM")
