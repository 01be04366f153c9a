"""Threads: Python's that change what others call, and C#'s that call what Python listens to."""

from __future__ import annotations

import copy
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import torch

from attack.case import Case, Side
from attack.comparing import difference
from attack.kinds.inputs import split, tensor

THREADS = 16
MODELS = ("Chain", "Tied", "Blocks", "Reading", "Disposing", "Squaring", "Branches parallel", "Shared 3")


def storm(case: Case) -> None:
    """Call one model from 16 Python threads that change hooks, states, types and modes without effect on results."""
    name = case.rng.choice(MODELS)
    sides = case.pair(*split(name))
    model = sides[0].model
    inputs = [tensor(case.rng) for _ in range(4)]
    wanted = [_result(sides[1].model, x) for x in inputs]
    state = copy.deepcopy(model.state_dict())
    changes = case.rng.sample(CHANGES, 4)
    problems: list[str] = []
    seeds = [case.rng.randrange(1 << 30) for _ in range(THREADS)]
    interval = sys.getswitchinterval()

    def run(number: int) -> None:
        rng = Random(seeds[number])
        try:
            for _ in range(5):
                if number % 2:
                    rng.choice(changes)(model, state, rng)
                place = rng.randrange(len(inputs))
                if (found := difference(_result(model, inputs[place]), wanted[place])) is not None:
                    problems.append(f"thread {number}: {found}")
        except BaseException as error:
            problems.append(f"thread {number}: {type(error).__name__}: {error}")

    sys.setswitchinterval(case.rng.choice((1e-6, 1e-4, interval)))
    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if problems:
        case.check(f"{[change.__name__ for change in changes]} on {name}: {problems[:2]}")
    case.settled(sides)


def _result(model: Any, x: torch.Tensor) -> Any:
    leaf = x.clone().requires_grad_()
    y = model(leaf)
    return [y.detach(), *torch.autograd.grad(y.sum(), [leaf])]


@contextmanager
def _others_change() -> Iterator[None]:
    """Return whether PyTorch raises this error too when another thread changes a dictionary."""
    try:
        yield
    except RuntimeError as error:
        if "changed size during iteration" not in str(error) and "mutated during iteration" not in str(error):
            raise


def _some(model: Any, rng: Random) -> Any:
    return rng.choice(list(model.modules()))


def _hook(model: Any, state: Any, rng: Random) -> None:
    module = _some(model, rng)
    kind = rng.randrange(5)
    # PyTorch notes that a hook has kwargs after the hook itself: another thread may call it without.
    handle = (
        module.register_forward_hook(lambda module, args, result: None, prepend=rng.random() < 0.5)
        if kind == 0
        else module.register_forward_pre_hook(lambda module, args: None)
        if kind == 1
        else module.register_forward_hook(lambda module, args, *rest: None, with_kwargs=True, always_call=True)
        if kind == 2
        else module.register_full_backward_hook(lambda module, inner, outer: None)
        if kind == 3
        else torch.nn.modules.module.register_module_forward_hook(lambda module, args, result: None)
    )
    model(torch.ones(2, 4))
    handle.remove()


def _states(model: Any, state: Any, rng: Random) -> None:
    # In place, what another thread's graph has saved would be changed.
    model.load_state_dict({name: value.clone() for name, value in state.items()}, assign=True)


def _parameters(model: Any, state: Any, rng: Random) -> None:
    # A recurrent layer rebuilds lists of its own then, PyTorch's too.
    module = rng.choice([module for module in model.modules() if not isinstance(module, torch.nn.RNNBase)])
    for name, parameter in list(module._parameters.items()):
        if parameter is not None:
            setattr(module, name, torch.nn.Parameter(parameter.detach().clone()))


def _to(model: Any, state: Any, rng: Random) -> None:
    rng.choice((lambda: model.to("cpu"), lambda: model.to(torch.float32), model.float))()


def _train(model: Any, state: Any, rng: Random) -> None:
    _some(model, rng).train(rng.random() < 0.5)


def _collect(model: Any, state: Any, rng: Random) -> None:
    gc.collect(0)
    from System import GC

    GC.Collect(rng.randrange(2))


def _walk(model: Any, state: Any, rng: Random) -> None:
    with _others_change():
        for _ in model.named_modules():
            pass
        model.state_dict()
        dir(model)
        repr(model)


def _copy(model: Any, state: Any, rng: Random) -> None:
    with _others_change():
        copy.deepcopy(model)(torch.ones(2, 4))


def _attributes(model: Any, state: Any, rng: Random) -> None:
    for module in model.modules():
        if isinstance(module, torch.nn.Linear):
            module.in_features = 4 + 0 * rng.randrange(3)
        module.note = rng.random()
        if rng.random() < 0.5:
            module.__dict__.pop("note", None)  # another thread may have taken it away


def _record(model: Any, state: Any, rng: Random) -> None:
    import bridge

    with bridge.record(model) as recording:
        model(torch.ones(2, 4))
    assert recording.trace.calls >= 1, recording.trace


def _child(model: Any, state: Any, rng: Random) -> None:
    with _others_change():
        places = [(parent, name, child) for parent in model.modules() for name, child in parent._modules.items()]
        parent, name, child = rng.choice(places)
        # C# has one module where several places have the same: all of them are replaced, or none.
        if sum(other is child for _, _, other in places) == 1:
            setattr(parent, name, copy.deepcopy(child))


CHANGES: list[Callable[[Any, Any, Random], None]] = [
    _hook,
    _hook,
    _states,
    _parameters,
    _to,
    _train,
    _collect,
    _walk,
    _copy,
    _attributes,
    _record,
    _child,
    _child,
]


def branches(case: Case) -> None:
    """Run children on C# threads, with Python hooks and under the caller's modes."""
    how = case.rng.choice(("parallel", "tasks", "async", "linq", "threads", "nested", "plain"))
    sides = case.pair("Branches", how) if case.rng.random() < 0.7 else case.pair("Shared", case.rng.randrange(1, 6))

    def script(side: Side) -> None:
        lock, events = threading.Lock(), list[Any]()
        names = {module: name for name, module in side.model.named_modules()}

        def hook(module: Any, args: Any, *result: Any) -> Any:
            with lock:
                events.append(f"{names[module]} {len(result)}")
            if side.rng.random() < 0.05:
                gc.collect(0)

        for module in side.model.modules():
            if module is not side.model and side.rng.random() < 0.5:
                module.register_forward_hook(hook)
            elif side.rng.random() < 0.3:
                module.register_forward_pre_hook(hook)
        for _ in range(side.rng.randrange(1, 4)):
            x = tensor(side.rng).requires_grad_()
            with torch.set_grad_enabled(side.rng.random() < 0.8):
                y = side.model(x)
            side.note(y)
            if y.requires_grad and side.rng.random() < 0.7:
                y.sum().backward()
                side.note(x.grad, [parameter.grad for parameter in side.model.parameters()])
            side.note(sorted(events))

    case.both(script, sides)
    case.settled(sides)


def stray(case: Case) -> None:
    """Continue C# threads after the call, with its results and a dropped model."""
    for _ in range(case.rng.randrange(1, 4)):
        sides = case.pair(case.rng.choice(("Straying", "Static")))

        def script(side: Side) -> None:
            if side.rng.random() < 0.5:
                side.model.a.register_forward_hook(lambda module, args, result: None)
            for _ in range(side.rng.randrange(1, 5)):
                x = tensor(side.rng).requires_grad_()
                y = side.model(x)
                side.note(y, torch.autograd.grad(y.sum(), x))
                if side.rng.random() < 0.2:
                    side.model.to(torch.float32)

        case.both(script, sides)
        if case.rng.random() < 0.5:
            case.settled(sides)
        del sides
        if case.rng.random() < 0.3:
            gc.collect()
