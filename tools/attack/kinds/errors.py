"""What C# throws at any moment, with hooks that see it, and with models that catch it."""

from __future__ import annotations

from typing import Any

import torch

from attack.case import Case, Side
from attack.kinds.inputs import tensor

PLACES = ("before", "between", "inside", "finally", "after", "nowhere")
ERRORS = (ValueError, StopIteration, KeyboardInterrupt, GeneratorExit, SystemExit)
TYPES = ("index", "key", "value", "type", "zero", "todo", "plain", "message")


def thrown(case: Case) -> None:
    """Compare the type of an error, the hooks that ran, and the next call."""
    place = case.rng.choice(PLACES)
    sides = case.pair("Throwing", place, case.rng.choice(TYPES))
    # C# cannot put another exception in an interrupt's place: the call raises the interrupt.
    errors = ERRORS[:2] if place == "finally" else ERRORS
    failing = case.rng.random() < 0.4

    def script(side: Side) -> None:
        for name, module in side.model.named_modules():
            module.register_forward_pre_hook(lambda module, args, name=name: side.note(f"pre {name}"))
            module.register_forward_hook(
                lambda module, args, y, name=name: side.note(f"post {name} {y is None}"),
                always_call=side.rng.random() < 0.5,
            )
        if failing:
            side.rng.choice(list(side.model.modules())).register_forward_hook(_fails(side, errors))
        for number in range(4):
            x = tensor(side.rng).requires_grad_()
            y = side.attempt(f"call {number}", lambda: side.model(x))  # noqa: B023  # called at once
            if isinstance(y, torch.Tensor):
                side.attempt("backward", lambda: y.sum().backward())  # noqa: B023  # the same
                side.note(x.grad)

    case.both(script, sides)
    if len(sides[0].log) % 2 == 0:
        case.settled(sides)


def _fails(side: Side, errors: tuple[type[BaseException], ...]) -> Any:
    def hook(module: Any, args: Any, y: Any) -> None:
        if side.rng.random() < 0.3:
            raise errors[side.rng.randrange(len(errors))]("hook")

    return hook
