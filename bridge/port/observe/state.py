"""The state of a model, saved before a run and restored after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch


@contextmanager
def keep_state(model: torch.nn.Module) -> Iterator[None]:
    """Restore the modes, weights, buffers and attributes of the model afterwards."""
    restore = save_state(model)
    try:
        yield
    finally:
        restore()


def save_state(model: torch.nn.Module) -> Callable[[], None]:
    """Return a function that restores the modes, weights, buffers and attributes that the model has now."""
    modes = {module: module.training for module in model.modules()}
    state = {name: value.clone() for name, value in (*model.named_parameters(), *model.named_buffers())}
    attributes = {module: dict(vars(module)) for module in modes}  # forward may set attributes
    held = [one for values in attributes.values() for one in values.values() if type(one) in (dict, list)]
    contents = [one.copy() for one in held]

    def restore() -> None:
        for module, before in attributes.items():
            vars(module).clear()
            vars(module).update(before)
        for one, content in zip(held, contents, strict=True):
            one.clear()
            (one.update if isinstance(one, dict) else one.extend)(content)
        for module, training in modes.items():
            module.training = training
        with torch.no_grad():
            for name, value in (*model.named_parameters(), *model.named_buffers()):
                value.copy_(state[name])

    return restore
