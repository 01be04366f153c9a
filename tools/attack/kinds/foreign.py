"""pythonnet was loaded first, by somebody else, who has .NET objects of their own and calls into .NET from threads of their own."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import torch

from attack.case import Case, Side
from attack.kinds.alone import alone, expect, reached
from attack.kinds.inputs import STATEFUL, simple, tensor
from attack.pythonnet_user import prepare_pythonnet

held: list[Any] = []


@alone
def first(case: Case) -> None:
    """Use pythonnet beside the package: objects, delegates, threads and the exit of the process."""
    prepare_pythonnet()
    import pythonnet

    pythonnet.load("coreclr")
    import clr  # makes .NET's namespaces importable
    from System import GC, Action, Func, Object, String
    from System.Collections.Generic import Dictionary, List
    from System.Threading import Thread, ThreadStart

    rng = case.rng
    numbers = List[int]()
    for number in range(50):
        numbers.Add(number)
    words = Dictionary[String, Object]()
    words["list"] = numbers
    called: list[int] = []
    callback = Action(lambda: called.append(1))
    double = Func[int, int](lambda n: n * 2)
    held.extend((numbers, words, callback, double))
    if rng.random() < 0.5:
        clr.AddReference("System.Text.Json")
    sides = case.pair(*simple(rng, "Static", "Branches parallel", "Branches tasks", "Shared", *STATEFUL))

    def script(side: Side) -> None:
        for module in side.model.modules():
            if side.rng.random() < 0.5:
                module.register_forward_hook(lambda module, args, y: _uses(callback, double))
        for _ in range(3):
            x = tensor(side.rng).requires_grad_()
            y = side.model(x)
            y.sum().backward()
            side.note(y, x.grad)
            if side.rng.random() < 0.3:
                GC.Collect()
                gc.collect()

    case.both(script, sides)
    results: list[Any] = []
    mirror = sides[0].model
    theirs = Thread(ThreadStart(lambda: results.append(mirror(torch.ones(2, 4)).shape)))
    theirs.Start()
    waiting = threading.Thread(target=lambda: mirror(torch.ones(2, 4)))
    waiting.start()
    theirs.Join()
    waiting.join()
    case.check(None if len(results) == 1 else "their thread could not call the model")
    case.check(None if numbers.Count == 50 and double(21) == 42 else "their objects were lost")
    case.settled(sides)
    held.append(mirror)
    if rng.random() < 0.5:
        code = rng.randrange(2, 100)
        expect(code)
        reached()
        sys.exit(code)


def _uses(callback: Any, double: Any) -> None:
    callback()
    assert double(4) == 8
