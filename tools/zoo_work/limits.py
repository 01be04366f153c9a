"""Processes that run one function each, with a limit of time and of memory."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from multiprocessing.connection import Connection
from typing import Any, Final

import torch

#: What the server has to import, for its environment.
_VARIABLE: Final = "BRIDGE_ZOO_PRELOAD"
#: How many times its seconds of computing, and seconds besides, a process may wait on a machine that has other work.
_PATIENCE: Final = (10, 300)


class Stopped(Exception):
    """A process that ended without a result; its text says how: ``timeout``, or by which signal or exit code."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most seconds of computing and bytes that a process may take; bytes of data, which address space reserved for later is not."""

    seconds: int
    memory: int

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function that is run in a process of its own. Raises Stopped.

        The process comes from a server that has imported what :func:`preload` says, not from this process: that may have threads, or .NET.
        """
        context = multiprocessing.get_context("forkserver")
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(send, self, function, arguments), daemon=True)
        process.start()
        send.close()
        try:
            if not receive.poll(self.seconds * _PATIENCE[0] + _PATIENCE[1]):
                raise Stopped("timeout")
            return receive.recv()
        except EOFError:
            process.join()
            late = process.exitcode == -signal.SIGXCPU
            raise Stopped("timeout" if late else f"the process ended with {process.exitcode}") from None
        finally:
            process.kill()
            process.join()
            receive.close()


def preload(modules: Sequence[str]) -> None:
    """Have the server call ``importable`` of these modules, once for all processes; only a program's first call has an effect."""
    os.environ[_VARIABLE] = " ".join(modules)
    multiprocessing.get_context("forkserver").set_forkserver_preload(
        ["__main__", "zoo_work.stages", "zoo_work.preloaded"]
    )


def import_named() -> None:
    """Call ``importable`` of the modules that :func:`preload` has named."""
    for name in os.environ.get(_VARIABLE, "").split():
        import_module(name).importable()


def _run(send: Connection, limits: Limits, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
    """Run the function and send its result. What the models print goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))
    seconds = limits.seconds + ceil(time.process_time())  # imports are not the function's
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    torch.set_num_threads(1)  # the pictures are small, and what spins beside other work slows all of it
    send.send(function(*arguments))
    send.close()
    os._exit(0)  # nothing of a model's, such as .NET's threads, has to end well
