"""A program's hooks as Python callables: each records its event, does its actions, and gives what the last of them says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as global_hooks

from bridge.program import Json
from bridge.runtimes.programs.errors import RAISED

if TYPE_CHECKING:
    from bridge.runtimes.programs.interpreter import Session

#: The dictionary of a module that a kind stands in, and the function that registers one for all modules.
DICTIONARIES = {
    "pre": "_forward_pre_hooks",
    "forward": "_forward_hooks",
    "backward_pre": "_backward_pre_hooks",
    "backward": "_backward_hooks",
    "legacy": "_backward_hooks",
}
EVERYWHERE: dict[str, Callable[..., Any]] = {
    "pre": global_hooks.register_module_forward_pre_hook,
    "forward": global_hooks.register_module_forward_hook,
    "backward_pre": global_hooks.register_module_full_backward_pre_hook,
    "backward": global_hooks.register_module_full_backward_hook,
    "legacy": global_hooks.register_module_backward_hook,
}
_METHODS = {
    "pre": "register_forward_pre_hook",
    "forward": "register_forward_hook",
    "backward_pre": "register_full_backward_pre_hook",
    "backward": "register_full_backward_hook",
    "legacy": "register_backward_hook",
    "tensor": "register_hook",
    "accumulated": "register_post_accumulate_grad_hook",
}


def register(session: Session, registration: Mapping[str, Json]) -> Any:
    """Registers a hook and gives its handle; None for one that is written into a dictionary."""
    kind = registration["kind"]
    hook = session.callables.setdefault(registration["hook"], _callable(session, registration))
    options = {name: registration[name] for name in ("prepend", "with_kwargs", "always_call") if name in registration}
    if registration.get("global"):
        return EVERYWHERE[kind](hook, **options)
    if kind in ("tensor", "accumulated"):
        return getattr(session.find(registration["on"]), _METHODS[kind])(hook)
    module = session.module(registration.get("on", ""))
    if registration.get("by") == "dictionary":
        getattr(module, DICTIONARIES[kind])[registration["hook"]] = hook
        return None
    return getattr(module, _METHODS[kind])(hook, **options)


def _callable(session: Session, registration: Mapping[str, Json]) -> Callable[..., Any]:
    """The callable with the signature that the kind demands (P-1, F-1, B-1): a wrong call is then Python's own TypeError."""
    name, kind = registration["hook"], registration["kind"]
    act = Actions(session, registration)
    write = session.write

    def note(module: torch.nn.Module, **values: Any) -> None:
        session.record({"event": kind, "hook": name, "module": session.path(module), **values})

    def pre(module: torch.nn.Module, args: Any) -> Any:
        note(module, args=[write(item) for item in args])
        return act(module, args=args)

    def pre_with_kwargs(module: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
        note(module, args=[write(item) for item in args], kwargs={key: write(item) for key, item in kwargs.items()})
        return act(module, args=args, kwargs=kwargs)

    def forward(module: torch.nn.Module, args: Any, output: Any) -> Any:
        note(module, args=[write(item) for item in args], output=write(output))
        return act(module, args=args, output=output)

    def forward_with_kwargs(module: torch.nn.Module, args: Any, kwargs: dict[str, Any], output: Any) -> Any:
        shown = [write(item) for item in args]
        note(module, args=shown, kwargs={key: write(item) for key, item in kwargs.items()}, output=write(output))
        return act(module, args=args, kwargs=kwargs, output=output)

    def backward_pre(module: torch.nn.Module, grad_output: Any) -> Any:
        note(module, grad_output=[write(item) for item in grad_output])
        return act(module, grads=grad_output)

    def backward(module: torch.nn.Module, grad_input: Any, grad_output: Any) -> Any:
        note(module, grad_input=[write(item) for item in grad_input], grad_output=[write(item) for item in grad_output])
        return act(module, grads=grad_input)

    def tensor(grad: Any) -> Any:
        session.record({"event": kind, "hook": name, "grad": write(grad)})
        return act(None, grads=grad)

    def accumulated(leaf: torch.Tensor) -> Any:
        session.record({"event": kind, "hook": name, "value": write(leaf), "grad": write(leaf.grad)})
        return act(None, grads=leaf.grad)

    if registration.get("with_kwargs"):
        return pre_with_kwargs if kind == "pre" else forward_with_kwargs
    plain: dict[str, Callable[..., Any]] = {
        "pre": pre,
        "forward": forward,
        "backward_pre": backward_pre,
        "backward": backward,
        "legacy": backward,
        "tensor": tensor,
        "accumulated": accumulated,
    }
    return plain[kind]


class Actions:
    """What a hook does after its event."""

    def __init__(self, session: Session, registration: Mapping[str, Json]) -> None:
        self.session = session
        self.kind = registration["kind"]
        self.name = registration["hook"]
        self.actions = registration.get("actions", ())
        self.calls = [0] * len(self.actions)

    def __call__(self, module: torch.nn.Module | None, **given: Any) -> Any:
        result = None
        for number, action in enumerate(self.actions):
            result = self._do(number, action, module, given, result)
        return result

    def _do(
        self,
        number: int,
        action: Mapping[str, Json],
        module: torch.nn.Module | None,
        given: dict[str, Any],
        result: Any,
    ) -> Any:
        session = self.session
        if "return" in action:
            return session.make(action["return"])
        if "add" in action:
            return self._added(action["add"], given)
        if "raise" in action:
            raise RAISED[action["raise"]](action.get("message", self.name))
        if "register" in action:
            session.register(action["register"])
        elif "remove" in action:
            session.handles[action["remove"]].remove()
        elif "call" in action:
            if self.calls[number] < action["call"].get("limit", 1):
                self.calls[number] += 1
                target = session.module(action["call"].get("module", ""))
                target(*(session.make(item) for item in action["call"].get("args", ())))
        elif "kwargs" in action:
            given["kwargs"].update({key: session.make(item) for key, item in action["kwargs"].items()})
        elif "add_" in action:
            what = (
                given["args"][0]
                if self.kind == "pre"
                else given["output"]
                if self.kind == "forward"
                else given["grads"]
            )
            torch.Tensor.add_(what, action["add_"])
        elif "read" in action:
            session.read(action["read"])
        elif "assign_forward" in action:
            target = action["assign_forward"]
            session.assign("forward", session.module(target["module"]) if "module" in target else module, target)
        return result

    def _added(self, n: float, given: dict[str, Any]) -> Any:
        if self.kind == "pre":
            args = given["args"]
            changed = (args[0] + n, *args[1:])
            if "kwargs" in given:
                return changed, given["kwargs"]
            return changed[0] if len(changed) == 1 else changed
        if self.kind == "forward":
            return plus(given["output"], n)
        if self.kind == "tensor":
            return given["grads"] + n
        return tuple(None if grad is None else grad + n for grad in given["grads"])


def plus(output: Any, n: float) -> Any:
    """An output with n added: of a tuple or list to its first item, of a dict to its first value."""
    if isinstance(output, dict):
        first = next(iter(output))
        return {**output, first: plus(output[first], n)}
    if isinstance(output, (tuple, list)):
        return type(output)((plus(output[0], n), *output[1:]))
    return output + n
