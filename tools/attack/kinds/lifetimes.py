"""Models dropped while parts of them are in use, results and graphs that outlive them, and copies."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from attack import state
from attack.case import THREADED, Case, Side, is_linear, tensor
from attack.kind import attack


def _differentiate(y: torch.Tensor, x: torch.Tensor, parameters: list[Any]) -> Any:
    y.sum().backward()
    return x.grad, [parameter.grad for parameter in parameters]


def _call_child(model: Any, x: torch.Tensor) -> Callable[[], Any]:
    child = next(module for module in model.modules() if is_linear(module))
    return partial(child, torch.ones(2, child.in_features))


def _keep_handles(model: Any, x: torch.Tensor) -> Callable[[], Any]:
    handles = [module.register_forward_hook(lambda module, args, y: None) for module in model.modules()]
    y = model(x)
    return lambda: (y.detach(), [handle.remove() for handle in handles])


def _keep_in_hook(model: Any, x: torch.Tensor) -> Callable[[], Any]:
    model.register_forward_hook(lambda module, args, y: y * (1 + model.training))
    return partial(torch.mul, model(x), 2)


def _keep_in_cycle(model: Any, x: torch.Tensor) -> Callable[[], Any]:
    model.itself = [model]
    return partial(torch.mul, model(x), 2)


def _run_in_thread(call: Callable[[], Any]) -> list[Any]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    thread.join()
    return results


#: What keeps a part of a model: each row returns a function that uses the part after the model was dropped.
PARTS: dict[str, Callable[[Any, torch.Tensor], Callable[[], Any]]] = {
    "graph": lambda model, x: partial(_differentiate, model(x), x, list(model.parameters())),
    "child": _call_child,
    "parameters": lambda model, x: partial(torch._foreach_add, [p.detach() for p in model.parameters()], 1),
    "method": lambda model, x: partial(model.forward, x),
    "handles": _keep_handles,
    "hook": _keep_in_hook,
    "cycle": _keep_in_cycle,
    "thread": lambda model, x: partial(_run_in_thread, partial(model, x)),
}


@attack("lifetimes", 50)
def drop(case: Case) -> None:
    """Drop the model and use a part of it."""
    part, collects = case.choice(*PARTS), case.chance(0.5)

    def script(side: Side) -> None:
        x = tensor(side.rng).requires_grad_()
        side.note(part, side.model(x))
        use = PARTS[part](side.model, x)
        side.model = None
        if collects:
            state.collect()
        side.attempt(part, use)

    case.both(script, case.pair(case.draw("Static", *THREADED)))


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _load_pickled_state(model: Any) -> Any:
    model.load_state_dict(_pickled(model.state_dict()))
    return model


COPIES: dict[str, Callable[[Any], Any]] = {
    "deep": copy.deepcopy,
    "deep of a copy": lambda model: copy.deepcopy(copy.deepcopy(model)),
    "shallow": copy.copy,
    "pickle": _pickled,
    "state": _load_pickled_state,
}


def _double(module: Any, args: Any, y: Any) -> Any:
    return y * 2


@attack("copies", 30)
def copies(case: Case) -> None:
    """Copy and pickle used models with hooks, and use the copy and the original."""
    how = case.choice(*COPIES)

    def script(side: Side) -> None:
        model, x = side.model, tensor(side.rng)
        side.note(how, model(x).detach())
        if side.chance(0.5):
            model.register_forward_hook(_double)
        copied = COPIES[how](model)
        side.note([name for name, _ in copied.named_children()], copied._modules is model._modules)
        y = x.clone().requires_grad_()
        result = side.attempt("copy", copied, y)
        if how == "shallow":
            copied.late = torch.nn.Identity()  # also a child of the original, whose dictionaries the copy shares
            side.note([name for name, _ in model.named_children()])
        elif side.chance(0.5):
            with torch.no_grad():
                for parameter in copied.parameters():
                    parameter.mul_(2)
            side.attempt("original", model, x)
        elif isinstance(result, torch.Tensor):
            result.sum().backward()
            side.note(y.grad)

    # A pickle has nothing of what a model keeps in C# fields.
    case.run(case.draw("Static", "Swapping", "Keeping"), script)
