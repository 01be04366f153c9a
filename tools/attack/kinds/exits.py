"""Ends of a process in which C# runs: exits, fatal signals and forks, also where somebody else has loaded pythonnet first."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from attack.case import STATEFUL, THREADED, Case, Side, tensor
from attack.kind import attack
from attack.pythonnet_user import prepare_pythonnet

#: Objects that are alive when the process ends.
held: list[Any] = []


def _run_in_hook(model: Any, x: Any, end: Callable[[], Any]) -> None:
    model.register_forward_hook(lambda module, args, y: end())
    model(x)


def _run_in_backward(model: Any, x: Any, end: Callable[[], Any]) -> None:
    y = model(x)
    y.register_hook(lambda grad: end())
    y.sum().backward()


def _run_in_thread(model: Any, x: Any, end: Callable[[], Any]) -> None:
    threading.Thread(target=end, daemon=True).start()


#: Where a process is ended.
PLACES: dict[str, Callable[[Any, Any, Callable[[], Any]], Any]] = {
    "here": lambda model, x, end: end(),
    "hook": _run_in_hook,
    "backward": _run_in_backward,
    "thread": _run_in_thread,
}


def _call_forever(model: Any) -> None:
    try:
        while True:
            model(torch.ones(2, 4))
    except BaseException:  # the interpreter ends
        return


def _raise_uncaught() -> None:
    raise ValueError("uncaught on purpose")


@attack("exits", 10, alone=True)
def leave(case: Case) -> None:
    """End the process by an exit, an exception or C#, with everything in use and while threads call the model."""
    model, x = _hold_model(case)
    code = case.rng.randrange(2, 100)
    how = case.choice("return", "exit", "_exit", "exception", "C# exit", "C# thread", "C# later")
    places = {"exit": ("here", "hook", "backward"), "_exit": PLACES}.get(how, ("here",))
    ends: dict[str, Callable[[], Any]] = {
        "exit": lambda: sys.exit(code),
        "_exit": lambda: os._exit(code),
        "exception": _raise_uncaught,
    }
    if how != "return":
        end = ends.get(how) or partial(case.load(f"Ending {how.removeprefix('C# ')}", code), x)
        _end(case, model, x, 1 if how == "exception" else code, case.choice(*places), end)


@attack("fatal signals", 5, alone=True)
def fatal_signals(case: Case) -> None:
    """End the process by a signal during C#, or by a handler that exits with a code."""
    model, x = _hold_model(case)
    number = case.choice(signal.SIGTERM, signal.SIGKILL, signal.SIGHUP, signal.SIGINT, signal.SIGUSR2)
    code = -number
    if number == signal.SIGTERM and case.chance(0.5):
        code = case.rng.randrange(2, 100)
        signal.signal(number, lambda *_: sys.exit(code))
    _end(case, model, x, code, case.choice("here", "hook", "thread"), lambda: os.kill(os.getpid(), number))


def _hold_model(case: Case) -> tuple[Any, torch.Tensor]:
    """Return a used model and an input, while graphs, hooks, finalizers, exit functions and threads use the model."""
    model, x = case.load(case.draw("Collecting", "Static")), tensor(case.rng).requires_grad_()
    held.extend((model, x, [model(x) for _ in range(case.rng.randrange(1, 20))]))
    for module in model.modules():
        if case.chance(0.3):
            module.register_forward_hook(lambda module, args, y: held.append(y) if len(held) < 500 else None)
    if case.chance(0.3):
        atexit.register(lambda: held.append(model(x)))
    if case.chance(0.3):
        held.append(case.load("Finalizing", case.choice("use", "dispose", "collect"), False)(x))
    for _ in range(case.choice(0, 0, 1, 3)):
        threading.Thread(target=_call_forever, args=(model,), daemon=True).start()
    if case.chance(0.2):
        held.append(case.load("Ending foreground", 0)(x))
    return model, x


def _end(case: Case, model: Any, x: Any, code: int, place: str, end: Callable[[], Any]) -> None:
    """End the process at a random moment, and call the model until then."""
    gc.collect(case.rng.randrange(3))
    time.sleep(case.rng.uniform(0, 0.01))
    case.ends_with(code)
    PLACES[place](model, x, end)
    while True:
        model(x)


@attack("forks", 5, alone=True)
def fork(case: Case) -> None:
    """Fork between calls or in a hook: the child may use PyTorch but not C#, and ends; the parent continues."""
    model, x = case.load(case.draw("Static", *THREADED)), tensor(case.rng)
    if case.chance(0.5):
        model(x)
    in_hook = case.chance(0.5)
    # In a hook the child has C#'s frames below it and cannot raise SystemExit.
    leave: Any = os._exit if in_hook or case.chance(0.5) else sys.exit
    children: list[int] = []

    def fork_once(*_: Any) -> None:
        if child := os.fork():
            children.append(child)
        else:
            leave(_use_after_fork(model, x))

    if in_hook:
        handle = case.rng.choice(list(model.modules())).register_forward_hook(fork_once)
        model(x)
        handle.remove()
    else:
        fork_once()
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    case.check(not any(codes), f"the child ended with {codes} (5: another message, 6: another error, 7: no error)")
    model(x)


def _use_after_fork(model: Any, x: Any) -> int:
    """Return an exit code: 0 if PyTorch works and C# refuses to run."""
    try:
        torch.ones(2).add_(1)
        model(x)
    except RuntimeError as error:
        return 0 if "fork" in str(error) else 5
    except BaseException:
        return 6
    return 7


@attack("foreign pythonnet", 4, alone=True)
def load_first(case: Case) -> None:
    """Use pythonnet beside the package: objects, delegates, threads and the exit of the process."""
    prepare_pythonnet()
    import pythonnet

    pythonnet.load("coreclr")
    import clr  # makes .NET's namespaces importable
    from System import GC, Action, Func, Object, String
    from System.Collections.Generic import Dictionary, List
    from System.Threading import Thread, ThreadStart

    numbers, words = List[int](), Dictionary[String, Object]()
    for number in range(50):
        numbers.Add(number)
    words["list"] = numbers
    calls: list[int] = []
    callback, double = Action(lambda: calls.append(1)), Func[int, int](lambda n: n * 2)
    held.extend((numbers, words, callback, double))
    if case.chance(0.5):
        clr.AddReference("System.Text.Json")

    def use_delegates(module: Any, args: Any, y: Any) -> None:
        callback()
        assert double(4) == 8

    def script(side: Side) -> None:
        for module in side.model.modules():
            if side.chance(0.5):
                module.register_forward_hook(use_delegates)
        for _ in range(3):
            side.step()
            if side.chance(0.3):
                GC.Collect()
                gc.collect()

    sides = case.pair(case.draw("Static", *THREADED, *STATEFUL))
    case.both(script, sides)
    model, results = sides[0].model, list[Any]()
    dotnet_thread = Thread(ThreadStart(lambda: results.append(model(torch.ones(2, 4)))))
    python_thread = threading.Thread(target=lambda: results.append(model(torch.ones(2, 4))))
    dotnet_thread.Start()
    python_thread.start()
    dotnet_thread.Join()
    python_thread.join()
    case.check(len(results) == 2, "a thread could not call the model")
    case.check(numbers.Count == 50 and double(21) == 42, "the user's objects were lost")
    case.settled(sides)
    held.append(model)
    if case.chance(0.5):
        code = case.rng.randrange(2, 100)
        case.ends_with(code)
        sys.exit(code)
