"""Python threads that change a model while others call it, and C# threads that call modules with Python hooks."""

from __future__ import annotations

import copy
import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook

import bridge
from attack.case import Case, Side, WrongResultError, tensor
from attack.comparing import difference, is_refusal
from attack.kind import attack
from attack.kinds.changes import children_of

THREADS = 16
MODELS = ("Chain", "Tied", "Blocks", "Reading", "Disposing", "Squaring", "Branches parallel", "Shared 3")


def _hook(side: Side) -> None:
    module = side.any_module()
    # With kwargs only if it takes any number of arguments: PyTorch notes that a hook has kwargs after it has registered the hook.
    handle = side.rng.choice(
        (
            lambda: module.register_forward_hook(lambda module, args, y: None, prepend=side.chance(0.5)),
            lambda: module.register_forward_pre_hook(lambda module, args: None),
            lambda: module.register_forward_hook(lambda *args: None, with_kwargs=True, always_call=True),
            lambda: module.register_full_backward_hook(lambda module, inputs, outputs: None),
            lambda: register_module_forward_hook(lambda module, args, y: None),
        )
    )()
    side.model(torch.ones(2, 4))
    handle.remove()


def _assign_state(side: Side) -> None:
    # Copying into parameters would change tensors that another thread's graph has saved.
    state = {name: value.clone() for name, value in side.model.state_dict().items()}
    side.model.load_state_dict(state, assign=True)


def _replace_parameters(side: Side) -> None:
    module = side.any_module()
    for name, parameter in list(module._parameters.items()):
        setattr(module, name, torch.nn.Parameter(parameter.detach().clone()))


def _collect(side: Side) -> None:
    from System import GC

    gc.collect(0)
    GC.Collect(side.rng.randrange(2))


def _set_attributes(side: Side) -> None:
    for module in side.model.modules():
        module.note = side.rng.random()
        if side.chance(0.5):
            module.__dict__.pop("note", None)


def _record(side: Side) -> None:
    with bridge.record(side.model) as recording:
        side.model(torch.ones(2, 4))
    assert recording.trace.calls >= 1, recording.trace


def _replace_child(side: Side) -> None:
    places = children_of(side.model)
    parent, name, child = side.rng.choice(places)
    # A module under several names is one object in C#, which cannot be replaced under one name alone.
    if sum(other is child for _, _, other in places) == 1:
        setattr(parent, name, copy.deepcopy(child))


#: Changes without effect on results.
CHANGES: dict[str, Callable[[Side], Any]] = {
    "hook": _hook,
    "state": _assign_state,
    "parameters": _replace_parameters,
    "to": lambda side: side.model.to(side.rng.choice(("cpu", torch.float32))),
    "train": lambda side: side.any_module().train(side.chance(0.5)),
    "collect": _collect,
    "walk": lambda side: (list(side.model.named_modules()), side.model.state_dict(), dir(side.model), repr(side.model)),
    "copy": lambda side: copy.deepcopy(side.model)(torch.ones(2, 4)),
    "attributes": _set_attributes,
    "record": _record,
    "child": _replace_child,
}
#: Messages of PyTorch too, when another thread changes a dictionary.
DICTIONARY_CHANGED = ("changed size during iteration", "mutated during iteration")


def _change(side: Side, name: str) -> None:
    try:
        CHANGES[name](side)
    except RuntimeError as error:
        if name not in ("walk", "copy", "child") or not any(text in str(error) for text in DICTIONARY_CHANGED):
            raise


def _differentiate(model: Any, x: torch.Tensor) -> list[torch.Tensor]:
    """Return the result for a copy of the input, and the input's gradient."""
    leaf = x.clone().requires_grad_()
    y = model(leaf)
    return [y.detach(), *torch.autograd.grad(y.sum(), [leaf])]


@attack("Python threads", 60)
def python_threads(case: Case) -> None:
    """Call one model from many Python threads that change hooks, states, types and modes without effect on results."""
    name = case.choice(*MODELS)
    sides = case.pair(name)
    inputs = [tensor(case.rng) for _ in range(4)]
    expected = [_differentiate(sides[1].model, x) for x in inputs]
    changes = case.rng.sample(list(CHANGES), 4)
    problems: list[str] = []

    def run(number: int, side: Side) -> None:
        try:
            for _ in range(5):
                if number % 2:
                    _change(side, side.rng.choice(changes))
                place = side.rng.randrange(len(inputs))
                if found := difference(_differentiate(side.model, inputs[place]), expected[place]):
                    raise WrongResultError(found)
        except BaseException as error:
            if not is_refusal(error):
                problems.append(f"thread {number}: {type(error).__name__}: {error}")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(case.choice(1e-6, 1e-4, interval))
    try:
        own = [Side(sides[0].model, True, case.rng.randrange(1 << 30)) for _ in range(THREADS)]
        threads = [threading.Thread(target=run, args=(number, side)) for number, side in enumerate(own)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    case.check(not problems, f"{changes} on {name}: {problems[:2]}")
    case.settled(sides)


@attack("C# threads", 60)
def csharp_threads(case: Case) -> None:
    """Run children on C# threads, with Python hooks and with gradients on or off in the caller."""
    how = case.choice("parallel", "tasks", "async", "linq", "threads", "nested", "plain")
    model = f"Branches {how}" if case.chance(0.7) else f"Shared {case.rng.randrange(1, 6)}"

    def script(side: Side) -> None:
        events: list[str] = []
        names = {module: name for name, module in side.model.named_modules()}

        def hook(module: Any, args: Any, *result: Any) -> None:
            events.append(f"{names[module]} {len(result)}")
            if len(events) % 20 == 0:
                gc.collect(0)

        for module in side.model.children():
            for inner in module.modules():
                if side.chance(0.5):
                    inner.register_forward_hook(hook)
                elif side.chance(0.3):
                    inner.register_forward_pre_hook(hook)
        for _ in range(side.rng.randrange(1, 4)):
            with torch.set_grad_enabled(side.chance(0.8)):
                y = side.attempt("call", side.model, x := tensor(side.rng).requires_grad_())
            if y.requires_grad:
                y.sum().backward()
            side.note(x.grad, [parameter.grad for parameter in side.model.parameters()], sorted(events))

    case.run(model, script)
