"""A case: random numbers, models beside their counterparts in PyTorch, and the comparison of what both did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import torch

import bridge
from attack import twins
from attack.comparing import Raised, difference, until_refused


class WrongResultError(AssertionError):
    """A mirror did not do what its counterpart did, or a case did not leave the process as it was."""


class Side:
    """One of the two models of a case, and what was noted of it."""

    def __init__(self, model: Any, is_mirror: bool, seed: int) -> None:
        self.model = model
        self.is_mirror = is_mirror
        self.rng = Random(seed)
        self.log: list[Any] = []

    def note(self, *values: Any) -> None:
        """Record values that both models must agree on: tensors (cloned), numbers, strings, and containers of these."""
        self.log.append(_kept(values))

    def attempt(self, what: str, call: Callable[[], Any]) -> Any:
        """Record and return a call's result, or record the type of its error and return None."""
        try:
            result = call()
        except BaseException as error:
            self.log.append((what, Raised(error)))
            return None
        self.log.append((what, _kept(result)))
        return result


class Case:
    """What a kind of attack gets."""

    def __init__(self, seed: int, index: int, kind: str, assembly: str) -> None:
        self.seed, self.index, self.kind, self.assembly = seed, index, kind, assembly
        self.rng = Random(f"{seed}:{index}:{kind}")
        #: .NET has refused a type that PyTorch took: from there on the two are not the same.
        self.refused = False

    def load(self, name: str, *arguments: Any) -> Any:
        """Load a C# model of the folder ``models``."""
        return bridge.load(self.assembly, f"Attack.{name}", *arguments)

    def load_hook(self, name: str) -> Any:
        """Load a C# hook of the folder ``models``."""
        return bridge.load_hook(self.assembly, f"Attack.Loaded.{name}")

    def pair(self, name: str, *arguments: Any) -> tuple[Side, Side]:
        """Make a mirror and its PyTorch counterpart, with equal weights and equal random numbers."""
        mirror = self.load(name, *arguments)
        twin = twins.make(name, *arguments)
        twin.load_state_dict(mirror.state_dict())
        seed = self.rng.randrange(1 << 30)
        return Side(mirror, True, seed), Side(twin, False, seed)

    def both(self, script: Callable[[Side], None], sides: Sequence[Side]) -> None:
        """Run the script on both models and compare their logs."""
        seed = self.rng.randrange(1 << 30)
        for side in sides:
            torch.manual_seed(seed)
            script(side)
        mirror, twin = sides
        ours, theirs, self.refused = until_refused(mirror.log, twin.log)
        if (found := difference(ours, theirs)) is not None:
            raise WrongResultError(
                f"{type(twin.model).__name__}: {found}\nit did {_labels(mirror)}\nnot {_labels(twin)}"
            )

    def settled(self, sides: Sequence[Side]) -> None:
        """Check that both models, without hooks, still give the same result."""
        if self.refused:
            return
        x = torch.linspace(-1, 1, 8).reshape(2, 4)
        for side in sides:
            for module in side.model.modules():
                for name, hooks in vars(module).items():
                    if name.endswith("_hooks") and isinstance(hooks, dict):
                        hooks.clear()
            side.log.clear()
            side.model.train(False)
            torch.manual_seed(self.seed)  # a copy of a dropout may run the forward of the original, which still trains
            side.attempt("afterwards", lambda: side.model(x))  # noqa: B023  # called at once
        self.check(difference(sides[0].log, sides[1].log))

    def check(self, problem: str | None) -> None:
        """Fail the case with that text, unless it is None."""
        if problem is not None:
            raise WrongResultError(problem)


def _labels(side: Side) -> str:
    """Return the labels of the log's entries, without results."""
    return " | ".join(
        str(entry[-1] if isinstance(entry[-1], Raised) else entry[0])[:120]
        for entry in side.log
        if isinstance(entry[0], str)
    )


def _kept(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone() if type(value) in (torch.Tensor, torch.nn.Parameter) else value
    if isinstance(value, (list, tuple)):
        return [_kept(item) for item in value]
    if isinstance(value, dict):
        return {key: _kept(item) for key, item in value.items()}
    return value
