"""Ways to leave a process in which C# runs, at random moments, with everything still in use; and forks in mid-call."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time
from typing import Any

import torch

from attack.case import Case, WrongResultError
from attack.kinds.alone import alone, expect, reached
from attack.kinds.inputs import simple, tensor

#: What is alive when the process goes.
held: list[Any] = []


@alone
def leave(case: Case) -> None:
    """End the process by sys.exit, os._exit, an exception or Environment.Exit, in a hook, a thread or a call."""
    rng = case.rng
    how = rng.choice(
        (
            "return",
            "exit",
            "exit",
            "exception",
            "_exit",
            "hook",
            "backward",
            "thread",
            "csharp",
            "csharp thread",
            "later",
        )
    )
    code = rng.randrange(2, 100)
    model = case.load(*simple(rng, "Collecting"))
    x = tensor(rng).requires_grad_()
    held.extend((model, x, model(x), [model(x) for _ in range(rng.randrange(20))]))
    if rng.random() < 0.5:
        for module in model.modules():
            module.register_forward_hook(lambda module, args, y: held.append(y) if len(held) < 500 else None)
    if rng.random() < 0.3:
        atexit.register(lambda: held.append(model(x)))
    if rng.random() < 0.3:
        held.append(case.load("Finalizing", rng.choice(("use", "dispose", "collect")), False)(x))
    for _ in range(rng.choice((0, 0, 1, 3))):
        threading.Thread(target=_forever, args=(model,), daemon=True).start()
    if rng.random() < 0.2:
        held.append(case.load("Ending", "foreground", 0)(x))
    gc.collect(rng.randrange(3))
    expect(0 if how == "return" else 1 if how == "exception" else code)
    time.sleep(rng.choice((0.0, 0.0, 0.002, 0.01)))
    if how == "return":
        return
    reached()
    if how == "exit":
        sys.exit(code)
    if how == "exception":
        raise ValueError("uncaught on purpose")
    if how == "_exit":
        os._exit(code)
    if how in ("hook", "backward"):
        _by_hook(model, x, how, code)
    if how == "thread":
        threading.Thread(target=lambda: os._exit(code)).start()
        time.sleep(60)
    if how in ("csharp", "csharp thread", "later"):
        case.load("Ending", {"csharp": "exit", "csharp thread": "thread", "later": "later"}[how], code)(x)
        time.sleep(60)


def _by_hook(model: Any, x: Any, how: str, code: int) -> None:
    if how == "hook":
        model.register_forward_hook(lambda module, args, y: sys.exit(code))
        model(x)
    y = model(x)
    y.register_hook(lambda grad: sys.exit(code))
    y.sum().backward()


def _forever(model: Any) -> None:
    try:
        while True:
            model(torch.ones(2, 4))
    except BaseException:  # the interpreter goes, and what the thread uses with it
        return


@alone
def fork(case: Case) -> None:
    """Fork between calls or in a hook: the child uses PyTorch, gets an error for C#, and ends; the parent continues."""
    rng = case.rng
    sides = case.pair(*simple(rng, "Static", "Branches parallel", "Branches tasks", "Shared"))
    model, x = sides[0].model, tensor(rng)
    wanted = model(x).detach() if case.rng.random() < 0.5 else None
    inside, leaves = rng.random() < 0.5, rng.choice(("exit", "_exit"))
    children: list[int] = []

    def forked(*_: Any) -> None:
        child = os.fork()
        if child:
            children.append(child)
            return
        try:
            torch.ones(2).add_(1)
            model(x)
        except RuntimeError as error:
            code = 0 if "fork" in str(error) else 5
        except BaseException:
            code = 6
        else:
            code = 7
        # In a hook the child has C#'s frames below it.
        if leaves == "_exit" or inside:
            os._exit(code)
        sys.exit(code)

    if inside:
        handle = rng.choice(list(model.modules())).register_forward_hook(forked)
        model(x)
        handle.remove()
    else:
        forked()
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    plain = isinstance(model, torch.nn.Sequential)
    if any(codes) and not plain:
        raise WrongResultError(f"the forked child ended with {codes} (5: another error, 6: no RuntimeError, 7: none)")
    if wanted is not None:
        model(x)
