"""Signals at random moments, whose handlers raise, collect or call again."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable
from typing import Any

import torch

from attack.case import STATEFUL, Case, WrongResultError, tensor
from attack.comparing import difference
from attack.kind import attack


class AlarmError(BaseException):
    """Raised by a handler."""


def _raise(error: BaseException | type[BaseException]) -> None:
    raise error


HANDLERS: dict[str, Callable[[Any], object]] = {
    "raise": lambda model: _raise(AlarmError),
    "interrupt": lambda model: _raise(KeyboardInterrupt),
    "collect": lambda model: gc.collect(),
    "call": lambda model: model(torch.ones(2, 4)),
    "train": lambda model: model.train(not model.training),
}


@attack("interrupts", 30)
def interrupts(case: Case) -> None:
    """Interrupt calls by a timer: each ends with the handler's exception or the right result."""
    sides = case.pair(case.draw(*STATEFUL, "Static"))
    what = case.choice(*HANDLERS, "raise")
    model, x = sides[0].model, tensor(case.rng)
    expected = sides[1].model(x).detach()
    hooked = case.chance(0.7)
    for module in model.modules():
        if hooked and case.chance(0.5):
            module.register_forward_hook(lambda module, args, y: None)
    armed = False

    def handle(number: int, frame: object) -> None:
        if armed:
            HANDLERS[what](model)

    before = signal.signal(signal.SIGALRM, handle)
    try:
        for _ in range(6):
            signal.setitimer(signal.ITIMER_REAL, case.rng.uniform(1e-5, 2e-3))
            try:
                armed = True
                for _ in range(20):
                    if found := difference(model(x).detach(), expected):
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
