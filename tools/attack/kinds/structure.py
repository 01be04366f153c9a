"""Changes of children and parameters, between calls and in the middle of one: from hooks, which see what comes next changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from attack.case import Case, Side
from attack.kinds.inputs import simple, tensor


class _Scaled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class _Twice(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any) -> Any:
        result = self.inner(*args)
        return result * 2 if isinstance(result, torch.Tensor) else result


def _places(model: nn.Module) -> list[tuple[nn.Module, str]]:
    return [(parent, name) for parent in model.modules() for name, _ in parent.named_children()]


def _place(side: Side) -> tuple[nn.Module, str]:
    parent, name = side.rng.choice(_places(side.model))
    side.note(f"at '{name}'")
    return parent, name


def _replace(side: Side) -> None:
    """Replace a child by another of the same shapes."""
    parent, name = _place(side)
    old = getattr(parent, name)
    if name == "lstm":
        setattr(parent, name, copy.deepcopy(old))
    elif isinstance(old, nn.Linear):
        new = nn.Linear(old.in_features, old.out_features)
        with torch.no_grad():
            new.weight.fill_(side.rng.uniform(-1, 1))
            new.bias.fill_(side.rng.uniform(-1, 1))
        setattr(parent, name, new)
    else:
        setattr(parent, name, _Twice(old))


def _wrap(side: Side) -> None:
    parent, name = _place(side)
    if name != "lstm":
        setattr(parent, name, _Twice(getattr(parent, name)))


def _identity(side: Side) -> None:
    parent, name = _place(side)
    if name != "lstm":
        setattr(parent, name, nn.Identity())


#: Whose entries stay: PyTorch cannot go on iterating over a dictionary that lost one.
WALKED = (nn.ModuleList, nn.Sequential)


def _delete(side: Side) -> None:
    parent, name = _place(side)
    if not isinstance(parent, WALKED):
        delattr(parent, name)


def _again(side: Side) -> None:
    """Set the same object again, sometimes after deleting it."""
    parent, name = _place(side)
    child = getattr(parent, name)
    if side.rng.random() < 0.5 and not isinstance(parent, WALKED):
        delattr(parent, name)
    setattr(parent, name, child)


def _clone(side: Side) -> None:
    parent, name = _place(side)
    setattr(parent, name, copy.deepcopy(getattr(parent, name)))


def _forward(side: Side) -> None:
    """Assign a ``forward`` to an instance, or delete it."""
    parent, name = _place(side)
    child = getattr(parent, name)
    if name != "lstm":
        if "forward" in vars(child):
            del child.forward
        else:
            before = child.forward
            child.forward = lambda *args: before(*args) * 3


def _add(side: Side) -> None:
    """Add a child that is never called."""
    side.model.add_module(f"extra{side.rng.randrange(3)}", nn.Linear(4, 4))


def _exchange(side: Side) -> None:
    """Exchange two children of the same type."""
    places = [(parent, name) for parent, name in _places(side.model) if isinstance(getattr(parent, name), nn.Linear)]
    one, other = side.rng.choice(places), side.rng.choice(places)
    first, second = getattr(*one), getattr(*other)
    if (first.in_features, first.out_features) == (second.in_features, second.out_features):
        setattr(*one, second)
        setattr(*other, first)


CHILDREN: tuple[Callable[[Side], None], ...] = (
    _replace,
    _replace,
    _wrap,
    _identity,
    _delete,
    _again,
    _clone,
    _forward,
    _add,
    _exchange,
)


def _linear(side: Side) -> Any:
    return side.rng.choice([module for module in side.model.modules() if isinstance(module, nn.Linear)])


def _fill(side: Side) -> None:
    with torch.no_grad():
        _linear(side).weight.fill_(side.rng.uniform(-1, 1))


def _other(side: Side) -> None:
    linear = _linear(side)
    linear.weight = nn.Parameter(linear.weight.detach() * 2)


def _data(side: Side) -> None:
    linear = _linear(side)
    linear.weight.data = linear.weight.data * 0.5


def _without_bias(side: Side) -> None:
    _linear(side).bias = None


def _delete_parameter(side: Side) -> None:
    linear, name = _linear(side), side.rng.choice(("weight", "bias"))
    if name in linear._parameters:
        delattr(linear, name)


def _plain(side: Side) -> None:
    """Replace a parameter by a plain tensor."""
    linear = _linear(side)
    if "weight" in linear._parameters:
        value = linear.weight.detach() + 1
        del linear.weight
        linear.weight = value


def _frozen(side: Side) -> None:
    side.model.requires_grad_(side.rng.random() < 0.5)


def _types(side: Side) -> None:
    side.rng.choice((side.model.double, side.model.float, side.model.half))()


def _linears_types(side: Side) -> None:
    _linear(side).double()


def _empty(side: Side) -> None:
    linear = _linear(side)
    linear.to_empty(device="cpu")
    with torch.no_grad():
        for tensor in (*linear.parameters(), *linear.buffers()):
            tensor.fill_(0.5)


def _parametrized(side: Side) -> None:
    linear = _linear(side)
    if parametrize.is_parametrized(linear):
        parametrize.remove_parametrizations(linear, "weight", leave_parametrized=side.rng.random() < 0.5)
    else:
        parametrize.register_parametrization(linear, "weight", _Scaled())


def _pruned(side: Side) -> None:
    import torch.nn.utils.prune as prune

    linear = _linear(side)
    mask = torch.ones_like(linear.weight)
    mask[0] = 0
    prune.custom_from_mask(linear, "weight", mask)
    if side.rng.random() < 0.5:
        prune.remove(linear, "weight")


def _tied(side: Side) -> None:
    linears = [module for module in side.model.modules() if isinstance(module, nn.Linear)]
    one, other = side.rng.choice(linears), side.rng.choice(linears)
    if one.weight.shape == other.weight.shape:
        one.weight = other.weight


def _shape(side: Side) -> None:
    """Assign a weight of a wrong shape."""
    _linear(side).weight = nn.Parameter(torch.ones(3, 3))


def _state(side: Side) -> None:
    state = {name: value + 0.5 for name, value in side.model.state_dict().items() if value.is_floating_point()}
    side.model.load_state_dict(state, strict=False, assign=side.rng.random() < 0.5)


def _buffer(side: Side) -> None:
    for module in side.model.modules():
        for name in list(module._buffers):
            if module._buffers[name] is not None and side.rng.random() < 0.5:
                module.register_buffer(name, module._buffers[name] * 2 + 1)


def _directly(side: Side) -> None:
    linear = _linear(side)
    linear._parameters["weight"] = nn.Parameter(linear.weight.detach() + 0.25)


PARAMETERS: tuple[Callable[[Side], None], ...] = (
    _fill,
    _other,
    _data,
    _without_bias,
    _delete_parameter,
    _plain,
    _frozen,
    _types,
    _linears_types,
    _empty,
    _parametrized,
    _pruned,
    _tied,
    _shape,
    _state,
    _buffer,
    _directly,
)


def children(case: Case) -> None:
    """Replace, delete and exchange children."""
    # One module under two names cannot be replaced under one of them alone: in .NET it is one object, and the error says so.
    _changed(case, CHILDREN, "Tied")


def parameters(case: Case) -> None:
    """Replace, delete and exchange parameters and buffers."""
    _changed(case, PARAMETERS)


def _changed(case: Case, changes: tuple[Callable[[Side], None], ...], *without: str) -> None:
    # Two of C#'s threads see a change at different moments.
    sides = case.pair(*simple(case.rng, "Branches parallel", "Branches tasks", "Shared", "Swapping", *without))
    chosen = [case.rng.choice(changes) for _ in range(case.rng.randrange(1, 5))]
    moments = [case.rng.choice(("between", "pre", "forward", "backward")) for _ in chosen]

    def script(side: Side) -> None:
        for change, moment in zip(chosen, moments, strict=True):
            handle = _arm(side, change, moment)
            for _ in range(2):
                x = tensor(side.rng).requires_grad_()
                y = side.attempt(f"{change.__name__} {moment}", lambda: side.model(x))  # noqa: B023  # called at once
                if isinstance(y, torch.Tensor) and y.requires_grad:
                    side.attempt("backward", lambda: y.float().sum().backward())  # noqa: B023  # the same
                    side.note(x.grad)
            if handle is not None:
                handle.remove()
            side.note(sorted(name for name, _ in side.model.named_parameters()))

    case.both(script, sides)
    case.settled(sides)


def _arm(side: Side, change: Callable[[Side], None], moment: str) -> Any:
    """Make the change now, or once in the next call of some module."""
    done = False

    def once(*_: Any) -> None:
        nonlocal done
        if not done:
            done = True
            side.attempt(f"change {change.__name__}", lambda: change(side))

    path, module = side.rng.choice(list(side.model.named_modules()))
    side.note(f"{change.__name__} {moment} of '{path}'")
    if moment == "pre":
        return module.register_forward_pre_hook(once)
    if moment == "forward":
        return module.register_forward_hook(once)
    if moment == "backward" and not isinstance(side.model, nn.LSTM):
        return side.model.register_forward_hook(
            lambda module, args, y: y.register_hook(once) and None if y.requires_grad else None
        )
    once()
    return None
