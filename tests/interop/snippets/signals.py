"""Snippets of test_signals.py."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

import torch
from attack.pythonnet_user import prepare_pythonnet
from process import X, extra, pnet, raised, reached

#: One entry when what a signal is to come into has begun. Not an Event: a handler that raises between a lock's taking
#: and its `with` leaves an Event locked for good; `SimpleQueue.put` holds no lock of Python's.
_begun: queue.SimpleQueue[None] = queue.SimpleQueue()


def send(name: str) -> None:
    """Sends this process a signal in the middle of what follows; from another thread, so that it comes while .NET runs."""
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
    """Installs a handler that leaves with 7; gives the one before."""

    def handler(number: int, frame: object) -> NoReturn:
        raise SystemExit(7)

    return signal.signal(getattr(signal, name), handler)


def during(what: str, name: str) -> None:
    """A signal while C# is called, or Python sleeps or waits after such a call."""
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


def interrupts_below_a_hook() -> None:
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


def handlers_raise_at_an_operator_with_a_number() -> None:
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


def own_interrupt() -> None:
    pnet()(X)
    reached()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)


def handler_before(name: str) -> None:
    handle(name)
    model = pnet()
    model(X)
    send(name)
    call_forever(model)


def handler_after(name: str) -> None:
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


def ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    model = pnet()
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(20):
        model(X)


def with_the_users_runtime(name: str) -> None:
    import pythonnet

    prepare_pythonnet()
    pythonnet.load("coreclr")
    during("calls", name)


def children() -> None:
    pnet()(X)
    assert [subprocess.run(["sh", "-c", f"exit {n}"], check=False).returncode for n in range(5)] == [0, 1, 2, 3, 4]
