"""Hooks in either language that collect, raise, call again, register, unregister and delete, and the order in which all fire."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import torch

from attack.case import Case, Side
from attack.kinds.inputs import simple, split, tensor

#: Where hooks are told apart by their order, threads have none.
UNORDERED = ("Branches parallel", "Branches tasks", "Shared")
#: A call inside its call changes what it keeps for the thread, or how often it calls itself: then both end where their stacks do.
NOT_REENTRANT = ("Static", "Recursing")
LISTENING = ("replace", "remove", "collect", "reenter", "throw", "throw backward", "register", "tensor")


class HookError(Exception):
    """What a hook raises: no exception of PyTorch's or C#'s."""


class StopHookError(BaseException):
    """What is not an error, as KeyboardInterrupt is not (A-4)."""


def _nothing(side: Side, module: Any, values: Any) -> Any:
    return None


def _collects(side: Side, module: Any, values: Any) -> Any:
    gc.collect(side.rng.randrange(3))
    if side.is_mirror:
        from System import GC

        GC.Collect()
        if len(side.log) % 3 == 0:
            GC.WaitForPendingFinalizers()


def _raises(side: Side, module: Any, values: Any) -> Any:
    raise (HookError, StopHookError, ValueError, KeyError)[side.rng.randrange(4)]("from a hook")


def _replaces(side: Side, module: Any, values: Any) -> Any:
    return values * 2 if isinstance(values, torch.Tensor) else None


def _nonsense(side: Side, module: Any, values: Any) -> Any:
    return side.rng.choice(("text", 7, [], object, float("nan")))


def _reenters(side: Side, module: Any, values: Any) -> Any:
    depth = getattr(side, "depth", 0)
    if depth < 2:
        side.depth = depth + 1  # type: ignore[attr-defined]  # of this file
        try:
            side.note("again", side.model(torch.ones(2, 4)))
        finally:
            side.depth = depth  # type: ignore[attr-defined]  # the same


def _registers(side: Side, module: Any, values: Any) -> Any:
    other = side.rng.choice(list(side.model.modules()))
    if len(other._forward_hooks) < 6:
        other.register_forward_hook(lambda *_: side.note("late"), prepend=side.rng.random() < 0.5)


def _unregisters(side: Side, module: Any, values: Any) -> Any:
    other = side.rng.choice(list(side.model.modules()))
    for hooks in (other._forward_hooks, other._forward_pre_hooks):
        if hooks and side.rng.random() < 0.5:
            hooks.popitem(last=side.rng.random() < 0.5)


def _clears(side: Side, module: Any, values: Any) -> Any:
    side.rng.choice(list(side.model.modules()))._forward_hooks.clear()


def _rebinds(side: Side, module: Any, values: Any) -> Any:
    from collections import OrderedDict

    other = side.rng.choice(list(side.model.modules()))
    other._forward_pre_hooks = OrderedDict(other._forward_pre_hooks)


def _backward(side: Side, module: Any, values: Any) -> Any:
    x = torch.ones(2, 4, requires_grad=True)
    (x * x).sum().backward()
    side.note("backward", x.grad)


def _in_place(side: Side, module: Any, values: Any) -> Any:
    if isinstance(values, torch.Tensor):
        with torch.no_grad():
            values.detach().add_(0)


def _modes(side: Side, module: Any, values: Any) -> Any:
    side.note(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), module.training)
    side.rng.choice(list(side.model.modules())).train(side.rng.random() < 0.5)


def _threads(side: Side, module: Any, values: Any) -> Any:
    import threading

    thread = threading.Thread(target=lambda: side.note("thread", module.training))
    thread.start()
    thread.join()


DEEDS: tuple[Callable[[Side, Any, Any], Any], ...] = (
    _nothing,
    _nothing,
    _collects,
    _raises,
    _replaces,
    _replaces,
    _nonsense,
    _reenters,
    _registers,
    _unregisters,
    _clears,
    _rebinds,
    _backward,
    _in_place,
    _modes,
    _threads,
)


def _register(side: Side, deed: Callable[[Side, Any, Any], Any]) -> Any:
    """Register a hook of a random kind on a random module; it records the module's path and the kind."""
    path, module = side.rng.choice(list(side.model.named_modules()))
    kind = side.rng.choice(("pre", "forward", "forward", "kwargs", "always", "full", "full pre", "tensor", "global"))
    prepend = side.rng.random() < 0.3

    def fired(what: Any) -> Any:
        side.note(f"{kind} {path} {deed.__name__}")
        return deed(side, module, what)

    def pre(module: Any, args: Any) -> Any:
        result = fired(args[0] if args else None)
        return (result,) if isinstance(result, torch.Tensor) else result

    def forward(module: Any, args: Any, result: Any) -> Any:
        return fired(result)

    def grads(module: Any, inner: Any, outer: Any) -> Any:
        side.note([grad is not None for grad in (*inner, *outer)])
        result = fired(None)
        return None if deed is _nonsense else result

    if kind == "pre":
        return module.register_forward_pre_hook(pre, prepend=prepend)
    if kind == "forward":
        return module.register_forward_hook(forward, prepend=prepend)
    if kind == "kwargs":
        return module.register_forward_hook(
            lambda module, args, kwargs, result: forward(module, args, result), with_kwargs=True, prepend=prepend
        )
    if kind == "always":
        return module.register_forward_hook(forward, always_call=True)
    if kind == "full":
        return module.register_full_backward_hook(grads, prepend=prepend)
    if kind == "full pre":
        return module.register_full_backward_pre_hook(lambda module, outer: grads(module, (), outer), prepend=prepend)
    if kind == "tensor":
        return module.register_forward_hook(
            lambda module, args, y: (
                y.register_hook(lambda grad: fired(None) and None) and None
                if isinstance(y, torch.Tensor) and y.requires_grad
                else None
            )
        )
    return torch.nn.modules.module.register_module_forward_hook(
        lambda other, args, result: forward(other, args, result) if other is module else None
    )


def python(case: Case) -> None:
    """Register misbehaving Python hooks of every kind."""
    # What it catches of a hook's nonsense is what C# refuses.
    _run(case, simple(case.rng, *UNORDERED, *NOT_REENTRANT, "Catching"), case.rng.randrange(1, 7))


def csharp(case: Case) -> None:
    """Register misbehaving Python hooks beside C# hooks of the model."""
    _run(case, split(f"Listening {case.rng.choice(LISTENING)}"), case.rng.randrange(4))


def _run(case: Case, model: tuple[str, ...], count: int) -> None:
    if model[0] == "Listening" and len(model) > 2:
        model = (model[0], " ".join(model[1:]))
    sides = case.pair(*model)
    deeds = [case.rng.choice(DEEDS) for _ in range(count)]
    grad = case.rng.random() < 0.8

    def script(side: Side) -> None:
        handles = [_register(side, deed) for deed in deeds]
        try:
            for number in range(3):
                x = tensor(side.rng).requires_grad_(grad)
                y = side.attempt(f"call {number}", lambda: side.model(x))  # noqa: B023  # called at once
                if isinstance(y, torch.Tensor) and y.requires_grad:
                    side.attempt(f"backward {number}", lambda: y.sum().backward())  # noqa: B023  # the same
                    side.note(x.grad)
                if handles and side.rng.random() < 0.4:
                    handles.pop(side.rng.randrange(len(handles))).remove()
        finally:
            for handle in handles:
                handle.remove()

    case.both(script, sides)
    case.settled(sides)


def loaded(case: Case) -> None:
    """Register hooks of ``bridge.load_hook`` on mirrors and PyTorch modules."""
    sides = case.pair(*simple(case.rng, *UNORDERED))
    names = [case.rng.choice(("Collect", "Add", "Scale", "Throw", "Gradients", "Gradient", "Leave")) for _ in range(4)]
    hooks = {name: case.load_hook(name) for name in names}

    def script(side: Side) -> None:
        handles = []
        for name in names:
            module = side.rng.choice([module for module in side.model.modules() if not list(module.children())])
            if isinstance(module, torch.nn.LSTM):
                continue
            if name == "Scale":
                handles.append(module.register_forward_pre_hook(hooks[name]))
            elif name == "Gradients":
                handles.append(module.register_full_backward_hook(hooks[name]))
            elif name == "Gradient":
                for parameter in module.parameters():
                    handles.append(parameter.register_hook(hooks[name]))
            else:
                handles.append(module.register_forward_hook(hooks[name], prepend=side.rng.random() < 0.3))
        for number in range(2):
            x = tensor(side.rng).requires_grad_()
            y = side.attempt(f"call {number}", lambda: side.model(x))  # noqa: B023  # called at once
            if y is not None:
                side.attempt("backward", lambda: y.sum().backward())  # noqa: B023  # the same
                side.note(x.grad, [parameter.grad for parameter in side.model.parameters()])
            if handles and side.rng.random() < 0.5:
                handles.pop(side.rng.randrange(len(handles))).remove()
        for handle in handles:
            handle.remove()

    case.both(script, sides)
    case.settled(sides)
