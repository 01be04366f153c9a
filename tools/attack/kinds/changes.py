"""Changes of children and parameters, between calls and within one: by hooks, after which C# uses what has changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.utils.prune as prune
from torch import nn
from torch.nn.utils import parametrize

from attack.case import THREADED, Case, Side, hook_gradient, is_linear
from attack.kind import attack

#: A change, given the side of the case and a random child (its parent, its name and itself) or a random Linear.
Change = Callable[..., Any]


class Twice(nn.Module):
    """A module that doubles the result of another one."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any) -> Any:
        result = self.inner(*args)
        return result * 2 if isinstance(result, torch.Tensor) else result


def children_of(model: nn.Module) -> list[tuple[nn.Module, str, nn.Module]]:
    """Return the parent, the name and the module of each child in the tree."""
    entries = ((parent, *entry) for parent in model.modules() for entry in parent._modules.items())
    return [(parent, name, child) for parent, name, child in entries if child is not None]


def _replace(side: Side, parent: nn.Module, name: str, child: Any) -> None:
    new: nn.Module = Twice(child)
    if is_linear(child):
        new = nn.Linear(child.in_features, child.out_features)
        for parameter in new.parameters():
            nn.init.constant_(parameter, side.rng.uniform(-1, 1))
    setattr(parent, name, new)


def _delete(side: Side, parent: nn.Module, name: str, child: Any) -> None:
    # PyTorch cannot go on iterating over a container that lost an entry.
    if not isinstance(parent, nn.ModuleList | nn.Sequential):
        delattr(parent, name)


def _set_again(side: Side, parent: nn.Module, name: str, child: Any) -> None:
    if side.chance(0.5):
        _delete(side, parent, name, child)
    setattr(parent, name, child)


def _override_forward(side: Side, parent: nn.Module, name: str, child: Any) -> None:
    if "forward" in vars(child):
        del child.forward
    else:
        forward = child.forward
        child.forward = lambda *args: forward(*args) * 3


def _exchange(side: Side, parent: nn.Module, name: str, child: Any) -> None:
    if is_linear(child):
        places = [place for place in children_of(side.model) if is_linear(place[2])]
        other_parent, other_name, other = side.rng.choice(places)
        if getattr(other, "in_features", 0) == child.in_features and other.out_features == child.out_features:
            setattr(parent, name, other)
            setattr(other_parent, other_name, child)


CHILDREN: dict[str, Change] = {
    "replace": _replace,
    "wrap": lambda side, parent, name, child: setattr(parent, name, Twice(child)),
    "identity": lambda side, parent, name, child: setattr(parent, name, nn.Identity()),
    "delete": _delete,
    "set again": _set_again,
    "copy": lambda side, parent, name, child: setattr(parent, name, copy.deepcopy(child)),
    "override forward": _override_forward,
    "add": lambda side, parent, name, child: side.model.add_module(f"extra{side.rng.randrange(3)}", nn.Linear(4, 4)),
    "exchange": _exchange,
}


def _linears(model: nn.Module) -> list[Any]:
    return [module for module in model.modules() if is_linear(module)]


def _fill(module: nn.Module, value: float) -> None:
    with torch.no_grad():
        for item in (*module.parameters(), *module.buffers()):
            item.fill_(value)


def _empty(side: Side, linear: Any) -> None:
    linear.to_empty(device="cpu")
    _fill(linear, 0.5)


def _use_plain_tensor(side: Side, linear: Any) -> None:
    value = linear.weight.detach() + 1
    del linear.weight
    linear.weight = value


def _parametrize(side: Side, linear: Any) -> None:
    if parametrize.is_parametrized(linear):
        parametrize.remove_parametrizations(linear, "weight", leave_parametrized=side.chance(0.5))
    else:
        parametrize.register_parametrization(linear, "weight", Twice(nn.Identity()))


def _prune(side: Side, linear: Any) -> None:
    mask = torch.ones_like(linear.weight)
    mask[0] = 0
    prune.custom_from_mask(linear, "weight", mask)
    if side.chance(0.5):
        prune.remove(linear, "weight")


def _tie(side: Side, linear: Any) -> None:
    other = side.rng.choice(_linears(side.model))
    if linear.weight.shape == other.weight.shape:
        linear.weight = other.weight


def _load_state(side: Side, linear: Any) -> None:
    state = {name: value + 0.5 for name, value in side.model.state_dict().items() if value.is_floating_point()}
    side.model.load_state_dict(state, strict=False, assign=side.chance(0.5))


def _replace_buffers(side: Side, linear: Any) -> None:
    for module in side.model.modules():
        for name, buffer in list(module._buffers.items()):
            if buffer is not None and side.chance(0.5):
                module.register_buffer(name, buffer * 2 + 1)


def _parameter(value: torch.Tensor) -> nn.Parameter:
    return nn.Parameter(value.detach())


PARAMETERS: dict[str, Change] = {
    "fill": lambda side, linear: _fill(linear, side.rng.uniform(-1, 1)),
    "replace": lambda side, linear: setattr(linear, "weight", _parameter(linear.weight * 2)),
    "data": lambda side, linear: setattr(linear.weight, "data", linear.weight.data * 0.5),
    "no bias": lambda side, linear: setattr(linear, "bias", None),
    "delete": lambda side, linear: delattr(linear, side.rng.choice(("weight", "bias"))),
    "plain tensor": _use_plain_tensor,
    "freeze": lambda side, linear: side.model.requires_grad_(side.chance(0.5)),
    "type": lambda side, linear: side.rng.choice((side.model.double, side.model.float, side.model.half))(),
    "type of one": lambda side, linear: linear.double(),
    "empty": _empty,
    "parametrize": _parametrize,
    "prune": _prune,
    "tie": _tie,
    "wrong shape": lambda side, linear: setattr(linear, "weight", nn.Parameter(torch.ones(3, 3))),
    "load state": _load_state,
    "buffers": _replace_buffers,
    "dictionary": lambda side, linear: linear._parameters.update(weight=_parameter(linear.weight + 0.25)),
}


@attack("changed children", 80)
def change_children(case: Case) -> None:
    """Replace, delete and exchange children."""

    def draw(side: Side) -> Any:
        # C# takes a tuple from an LSTM, which only another LSTM could replace.
        parent, name, child = side.rng.choice([c for c in children_of(side.model) if not isinstance(c[2], nn.LSTM)])
        side.note(f"at '{name}'")
        return parent, name, child

    # C# has one object under both names of Tied, which cannot be replaced under one name alone.
    _change(case, CHILDREN, draw, "Tied")


@attack("changed parameters", 60)
def change_parameters(case: Case) -> None:
    """Replace, delete and exchange parameters and buffers."""
    _change(case, PARAMETERS, lambda side: [side.rng.choice(_linears(side.model))])


def _change(case: Case, changes: dict[str, Change], draw: Callable[[Side], Any], *without: str) -> None:
    moments = [
        (case.choice(*changes), case.choice("between", "pre", "forward", "backward"))
        for _ in range(case.rng.randrange(1, 5))
    ]

    def script(side: Side) -> None:
        for name, moment in moments:

            def change(name: str = name) -> None:
                changes[name](side, *draw(side))

            handle = _change_once(side, name, change, moment)
            for _ in range(2):
                side.step(f"{name} {moment}")
            handle.remove()
            side.note(sorted(name for name, _ in side.model.named_parameters()))

    case.run(case.draw(*THREADED, "Swapping", *without), script)


def _change_once(side: Side, name: str, change: Callable[[], None], moment: str) -> Any:
    """Make the change now or in the next call, and return the handle of the hook that does."""
    done = False

    def hook(*_: Any) -> None:
        nonlocal done
        if not done:
            done = True
            side.attempt(f"change {name}", change)

    path, module = side.rng.choice(list(side.model.named_modules()))
    side.note(f"{name} {moment} of '{path}'")
    if moment == "between":
        hook()
    if moment == "pre":
        return module.register_forward_pre_hook(hook)
    if moment == "backward":
        return side.model.register_forward_hook(lambda module, args, y: hook_gradient(y, hook))
    return module.register_forward_hook(hook)
