"""Who lives longer: models dropped in mid-use, results and graphs that outlive them, copies, finalizers in C#."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from typing import Any

import torch

from attack.case import Case, Side
from attack.kinds.inputs import simple, tensor


def dropped(case: Case) -> None:
    """Drop the model before its results, children, handles or gradients."""
    what = case.rng.choice(("graph", "child", "handle", "hook", "thread", "parameters", "method", "cycle"))
    name = simple(case.rng, "Static", "Shared", "Branches parallel", "Branches tasks")
    collects = case.rng.random() < 0.5

    def script(side: Side) -> None:
        side.note(what)
        x = tensor(side.rng).requires_grad_()
        model, side.model = side.model, None
        y = model(x)
        handles = [module.register_forward_hook(lambda module, args, y: None) for module in model.modules()]
        weak = weakref.ref(model)
        children = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
        parameters = list(model.parameters())
        method = model.forward
        if what == "hook":
            kept = model
            model.register_forward_hook(lambda module, args, y: side.note(kept.training))
            side.note(model(x))
            del kept
        if what == "cycle":
            model.itself = [model]
        if what == "thread":
            thread = threading.Thread(target=lambda model=model: side.note(model(x)))
            del model
            thread.start()
            thread.join()
            del thread
        else:
            del model
        if what != "method":
            del method
        if collects:
            gc.collect()
            if side.is_mirror:
                from System import GC

                GC.Collect()
                GC.WaitForPendingFinalizers()
        if what in ("graph", "handle"):
            y.sum().backward()
            side.note(x.grad, [parameter.grad for parameter in parameters])
        if what == "child":
            side.attempt("child", lambda: children[0](torch.ones(2, children[0].in_features)))
        if what == "method":
            side.attempt("method", lambda: method(x))
        if what == "parameters":
            side.note([parameter.detach() * 2 for parameter in parameters])
        for handle in handles:
            handle.remove()
        handles.clear()
        del weak

    case.both(script, case.pair(*name))


def finalizers(case: Case) -> None:
    """Use, dispose and collect tensors in C# finalizers, on the finalizer thread."""
    what = case.rng.choice(("use", "dispose", "collect", "throw"))
    sides = case.pair("Finalizing", what, case.rng.random() < 0.5)

    def script(side: Side) -> None:
        hooked = side.rng.random() < 0.4
        if hooked:
            side.model.a.register_forward_hook(lambda module, args, y: gc.collect(0) * 0 or None)
        for _ in range(3):
            x = tensor(side.rng).requires_grad_()
            y = side.model(x)
            y.sum().backward()
            side.note(y, x.grad)
            if side.rng.random() < 0.2:
                gc.collect()

    case.both(script, sides)
    case.settled(sides)


def copies(case: Case) -> None:
    """Copy and pickle used models with hooks, and use the copies after the original is dropped."""
    # What a model keeps in C# fields is not pickled.
    sides = case.pair(*simple(case.rng, "Static", "Swapping", "Keeping"))
    how = case.rng.choice(("deep", "deep of a copy", "shallow", "shared", "pickle", "state", "child"))

    def script(side: Side) -> None:
        model = side.model
        side.note(how)
        x = tensor(side.rng)
        with torch.no_grad():
            side.note(model(x))
            if side.rng.random() < 0.5:
                for parameter in model.parameters():
                    parameter.add_(0.25)
        if side.rng.random() < 0.5:
            model.register_forward_hook(_doubled)
        other: Any
        if how == "deep":
            other = copy.deepcopy(model)
        elif how == "deep of a copy":
            other = copy.deepcopy(copy.deepcopy(model))
        elif how == "shallow":
            other = copy.copy(model)
        elif how == "shared":
            # The dictionaries of a shallow copy are the original's.
            other = copy.copy(model)
            other.late = torch.nn.Identity()
            side.note([name for name, _ in model.named_children()], other._modules is model._modules)
            return
        elif how == "pickle":
            if not side.is_mirror:
                model.__class__.__module__ = "attack.twins"
            other = pickle.loads(pickle.dumps(model))
        elif how == "state":
            other = model
            other.load_state_dict(pickle.loads(pickle.dumps(model.state_dict())))
        else:
            other = [copy.deepcopy(child) for child in model.children()]
            side.note(len(other))
            return
        y = x.clone().requires_grad_()
        result = side.attempt("copy", lambda: other(y))
        if side.rng.random() < 0.5 and how != "shallow":
            with torch.no_grad():
                for parameter in other.parameters():
                    parameter.mul_(2)
            side.attempt("original", lambda: model(x))
        elif isinstance(result, torch.Tensor):
            result.sum().backward()
            side.note(y.grad)

    case.both(script, sides)
    case.settled(sides)


def _doubled(module: Any, args: Any, y: Any) -> Any:
    return y * 2
