"""Signals at random moments: handlers that raise, collect or call again on the main thread, and signals that end the process."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from typing import Any

import torch

from attack.case import Case, WrongResultError
from attack.comparing import difference
from attack.kinds.alone import alone, expect, reached
from attack.kinds.inputs import simple, tensor


class AlarmError(BaseException):
    """What a handler raises."""


def interrupts(case: Case) -> None:
    """Interrupt calls by a timer: each ends with the handler's exception or the right result."""
    sides = case.pair(*simple(case.rng, "Keeping", "Counting", "Swapping", "Normed", "Static", "Recursing"))
    what = case.rng.choice(("raise", "raise", "interrupt", "collect", "again", "train"))
    model, x = sides[0].model, tensor(case.rng)
    wanted = sides[1].model(x)
    if case.rng.random() < 0.7:
        for module in model.modules():
            if case.rng.random() < 0.5:
                module.register_forward_hook(lambda module, args, y: None)
    armed = False

    def handler(number: int, frame: object) -> None:
        if not armed:
            return
        if what == "raise":
            raise AlarmError
        if what == "interrupt":
            raise KeyboardInterrupt
        if what == "collect":
            gc.collect()
        if what == "again":
            model(torch.ones(2, 4))
        if what == "train":
            model.train(not model.training)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(6):
            signal.setitimer(signal.ITIMER_REAL, case.rng.uniform(1e-5, 2e-3))
            try:
                armed = True
                for _ in range(20):
                    y = model(x)
                    if (found := difference(y.detach(), wanted.detach())) is not None:
                        raise WrongResultError(found)
            except (AlarmError, KeyboardInterrupt):
                if what not in ("raise", "interrupt"):
                    raise
            finally:
                armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    case.settled(sides)


@alone
def fatal(case: Case) -> None:
    """End the process by a signal during C#, with the signal's number, or by a handler with an exit code."""
    name = case.rng.choice(("SIGTERM", "SIGTERM", "SIGKILL", "SIGHUP", "SIGINT", "SIGUSR2", "handler"))
    sides = case.pair(*simple(case.rng, "Static"))
    model, x = sides[0].model, tensor(case.rng)
    model(x)
    if case.rng.random() < 0.5:
        model.register_forward_hook(lambda module, args, y: None)
    number = signal.SIGTERM if name == "handler" else getattr(signal, name)
    if name == "handler":
        code = case.rng.randrange(2, 100)
        signal.signal(signal.SIGTERM, lambda *_: _leave(code))
        expect(code)
    else:
        expect(-number)
    where = case.rng.choice(("thread", "hook", "before"))
    delay = case.rng.uniform(0, 0.01)

    def send() -> None:
        time.sleep(delay)
        reached()
        os.kill(os.getpid(), number)

    if where == "hook":
        model.register_forward_hook(lambda module, args, y: send())
    elif where == "thread":
        threading.Thread(target=send, daemon=True).start()
    else:
        send()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        model(x)


def _leave(code: int) -> Any:
    raise SystemExit(code)
