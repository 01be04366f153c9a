"""Hooks of both languages that collect, raise, call again, register and remove hooks, and models that throw."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook

import bridge
from attack.case import THREADED, Case, Side, hook_gradient
from attack.comparing import NONSENSE
from attack.kind import attack
from attack.twins import ERRORS

#: Models for which a call within a call changes the state of the outer one.
NOT_REENTRANT = ("Static", "Recursing")
LISTENING = ("replace", "order", "remove", "collect", "reenter", "throw", "throw-backward", "register", "tensor")


class HookError(Exception):
    """An exception that neither PyTorch nor C# knows."""


class StopHookError(BaseException):
    """An exception that is no ``Exception``, as KeyboardInterrupt (A-4)."""


def _collect(side: Side, module: Any, value: Any) -> None:
    gc.collect(side.rng.randrange(3))
    if side.is_mirror:
        from System import GC

        GC.Collect()
        if len(side.log) % 3 == 0:
            GC.WaitForPendingFinalizers()


def _raise(side: Side, module: Any, value: Any) -> None:
    raise side.choice(HookError, ValueError, KeyError, StopIteration)("from a hook")


def _interrupt(side: Side, module: Any, value: Any) -> None:
    raise side.choice(StopHookError, KeyboardInterrupt, GeneratorExit, SystemExit)("from a hook")


def _reenter(side: Side, module: Any, value: Any) -> None:
    if side.depth < 2:
        side.depth += 1
        try:
            side.note("again", side.model(torch.ones(2, 4)))
        finally:
            side.depth -= 1


def _register(side: Side, module: Any, value: Any) -> None:
    other = side.any_module()
    if len(other._forward_hooks) < 6:
        other.register_forward_hook(lambda *_: side.note("late"), prepend=side.chance(0.5))


def _unregister(side: Side, module: Any, value: Any) -> None:
    other = side.any_module()
    for hooks in (other._forward_hooks, other._forward_pre_hooks):
        if hooks and side.chance(0.5):
            hooks.popitem(last=side.chance(0.5))


def _rebind(side: Side, module: Any, value: Any) -> None:
    other = side.any_module()
    other._forward_pre_hooks = OrderedDict(other._forward_pre_hooks)


def _backward(side: Side, module: Any, value: Any) -> None:
    x = torch.ones(2, 4, requires_grad=True)
    (x * x).sum().backward()
    side.note("backward", x.grad)


def _write(side: Side, module: Any, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        value.detach().add_(0)


def _modes(side: Side, module: Any, value: Any) -> None:
    side.note(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), module.training)
    side.any_module().train(side.chance(0.5))


def _thread(side: Side, module: Any, value: Any) -> None:
    thread = threading.Thread(target=side.note, args=("thread", module.training))
    thread.start()
    thread.join()


#: What a hook does, given the module and the tensor; its result is the hook's.
DEEDS: dict[str, Callable[[Side, Any, Any], Any]] = {
    "nothing": lambda side, module, value: None,
    "collect": _collect,
    "raise": _raise,
    "interrupt": _interrupt,
    "replace": lambda side, module, value: value * 2 if isinstance(value, torch.Tensor) else None,
    NONSENSE: lambda side, module, value: side.choice("text", 7, [], object, float("nan")),
    "reenter": _reenter,
    "register": _register,
    "unregister": _unregister,
    "clear": lambda side, module, value: side.any_module()._forward_hooks.clear(),
    "rebind": _rebind,
    "backward": _backward,
    "in place": _write,
    "modes": _modes,
    "thread": _thread,
}


def _register_deed(side: Side, deed: str) -> Any:
    """Register a hook of a random kind on a random module and return its handle; the hook records each of its calls."""
    path, module = side.rng.choice(list(side.model.named_modules()))
    front = {"prepend": side.chance(0.3)}

    def fire(value: Any) -> Any:
        side.note(f"{kind} {path} {deed}")
        return DEEDS[deed](side, module, value)

    def fire_before(module: Any, args: Any) -> Any:
        result = fire(args[0] if args else None)
        return (result,) if isinstance(result, torch.Tensor) else result

    def fire_backward(module: Any, *gradients: Any) -> Any:
        side.note([gradient is not None for given in gradients for gradient in given])
        result = fire(None)
        return None if deed == NONSENSE else result

    def fire_gradient(gradient: Any) -> None:
        fire(None)

    kinds: dict[str, Callable[[], Any]] = {
        "pre": lambda: module.register_forward_pre_hook(fire_before, **front),
        "forward": lambda: module.register_forward_hook(lambda _, args, y: fire(y), **front),
        "kwargs": lambda: module.register_forward_hook(lambda _, args, kwargs, y: fire(y), with_kwargs=True, **front),
        "always": lambda: module.register_forward_hook(lambda _, args, y: fire(y), always_call=True),
        "full": lambda: module.register_full_backward_hook(fire_backward, **front),
        "full pre": lambda: module.register_full_backward_pre_hook(fire_backward, **front),
        "tensor": lambda: module.register_forward_hook(lambda _, args, y: hook_gradient(y, fire_gradient)),
        "global": lambda: register_module_forward_hook(lambda other, args, y: fire(y) if other is module else None),
    }
    kind = side.choice(*kinds)
    return kinds[kind]()


@attack("Python hooks", 100)
def python_hooks(case: Case) -> None:
    """Register misbehaving Python hooks of every kind."""
    # Catching would catch the error for nonsense, which only C# raises at once.
    _hook(case, case.draw(*THREADED, *NOT_REENTRANT, "Catching"), case.rng.randrange(1, 7))


@attack("C# hooks", 70)
def csharp_hooks(case: Case) -> None:
    """Register misbehaving Python hooks beside C# hooks of the model."""
    _hook(case, f"Listening {case.choice(*LISTENING)}", case.rng.randrange(4))


@attack("errors", 60)
def errors(case: Case) -> None:
    """Raise errors in C# at any place, with hooks that see the error or raise another one."""
    place = case.choice("before", "between", "inside", "finally", "after", "nowhere")
    # An exception from C#'s finally replaces no interrupt. C# refuses nonsense before the finally, which would throw in Python.
    without = ("interrupt", NONSENSE) if place == "finally" else ()
    _hook(case, f"Throwing {place} {case.choice(*ERRORS, 'plain', 'message')}", case.rng.randrange(5), without)


def _hook(case: Case, model: str, count: int, without: tuple[str, ...] = ()) -> None:
    deeds = [case.choice(*(deed for deed in DEEDS if deed not in without)) for _ in range(count)]

    case.run(model, lambda side: _step(side, [_register_deed(side, deed) for deed in deeds]))


def _step(side: Side, handles: list[Any]) -> None:
    """Run three steps, and remove hooks between and afterwards."""
    for _ in range(3):
        side.step()
        if handles and side.chance(0.4):
            handles.pop(side.rng.randrange(len(handles))).remove()
    for handle in handles:
        handle.remove()


#: How each hook of the C# class Loaded is registered.
LOADED: dict[str, Callable[[Any, Any, bool], Any]] = {
    "Scale": lambda module, hook, front: module.register_forward_pre_hook(hook, prepend=front),
    "Gradients": lambda module, hook, front: module.register_full_backward_hook(hook, prepend=front),
    "Gradient": lambda module, hook, front: module.weight.register_hook(hook),
    **dict.fromkeys(
        ("Collect", "Add", "Throw", "Leave"),
        lambda module, hook, front: module.register_forward_hook(hook, prepend=front),
    ),
}


@attack("loaded hooks", 60)
def loaded_hooks(case: Case) -> None:
    """Register hooks of ``bridge.load_hook`` on mirrors and PyTorch modules."""
    names = [case.choice(*LOADED) for _ in range(4)]
    hooks = {name: bridge.load_hook(case.assembly, f"Attack.Loaded.{name}") for name in names}

    def script(side: Side) -> None:
        linears = [module for module in side.model.modules() if isinstance(module, torch.nn.Linear)]
        _step(side, [LOADED[name](side.choice(*linears), hooks[name], side.chance(0.3)) for name in names])

    case.run(case.draw(*THREADED), script)
