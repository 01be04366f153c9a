"""Snippets of test_fork.py about a process that forks while another of its threads starts .NET."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable

import torch
from moments import HANG, all_ok, at_steps, child, outcome, seconds_of_a_start
from process import X, pnet, raised

from bridge import clr

_there, _go_on = threading.Event(), threading.Event()
_before: dict[str, str] = {}


def _wait() -> None:
    _there.set()
    _go_on.wait(HANG)


def _use() -> str:
    """What the child of the fork does: .NET is refused in a sentence each time, also to another thread, and PyTorch computes.

    Its environment is what it was before the start.
    """
    if not gc.isenabled():
        return "garbage is no longer collected"
    if changed := _before.items() ^ os.environ.items():
        return f"the environment differs: {sorted(changed)}"
    for _ in range(2):
        errors: list[BaseException] = []
        thread = threading.Thread(target=lambda: errors.append(raised(pnet)))
        thread.start()
        thread.join()
        for error in (raised(pnet), *errors):
            if not isinstance(error, clr.StartError) or "forked" not in str(error) or "'spawn'" not in str(error):
                return f"{type(error).__name__}: {error}"
    return "ok" if torch.ones(3).sum() == 3 else "PyTorch does not compute"


def _attempt(arm: Callable[[], None], until: Callable[[], object]) -> str:
    """Starts .NET on a thread and forks when ``until`` returns: 'ok' is a child that was refused, and a parent whose start works."""
    arm()
    _before.update(os.environ)
    thread = threading.Thread(target=clr.start)
    thread.start()
    until()
    said = outcome(*child(_use))
    _go_on.set()
    thread.join()
    return said if pnet()(X)[0].shape == (1, 2, 7, 7) else f"{said}, but the parent is not well"


def at_every_second_step() -> None:
    at_steps(lambda arm: _attempt(arm, lambda: _there.wait(HANG)), _wait, every=2)


def at_any_time(tries: int) -> None:
    took = seconds_of_a_start()
    all_ok(
        {
            index: outcome(*child(lambda index=index: _attempt(lambda: None, lambda: time.sleep(took * index / tries))))  # type: ignore[misc]
            for index in range(tries)
        }
    )
