"""A case: random numbers, .NET modules beside their PyTorch twins, and the comparison of what both did."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any, Final

import torch

import bridge
from attack import twins
from attack.comparing import Raised, difference, until_refused

#: Models of one tensor of shape (batch, 4), with the arguments of their constructors.
MODELS: Final = (
    *("Chain", "Normed", "Recurrent", "Tied", "Blocks", "Reading", "ReadingList", "Counting", "Keeping", "Disposing"),
    *("Inplace", "Swapping", "Catching", "Squaring", "Collecting", "Recursing 3", "Static", "Branches plain"),
    *("Branches parallel", "Branches tasks", "Shared 2"),
)
#: Models whose layers run on several threads: in no order, and under other modes than the caller's.
THREADED: Final = ("Branches parallel", "Branches tasks", "Shared")
#: Models whose results depend on earlier calls.
STATEFUL: Final = ("Counting", "Keeping", "Swapping", "Normed", "Recursing")


class WrongResultError(AssertionError):
    """A module did not do what its twin did, or a case did not restore the state of the process."""


def tensor(rng: Random, rows: int | None = None) -> torch.Tensor:
    """Return a random matrix of shape (rows, 4). PyTorch's generator stays as it is."""
    rows = rng.randrange(2, 5) if rows is None else rows
    return torch.tensor([[rng.uniform(-2, 2) for _ in range(4)] for _ in range(rows)])


def is_linear(module: Any) -> bool:
    """Return whether a module is a Linear of PyTorch or of TorchSharp."""
    return type(module).__name__ == "Linear"


def hook_gradient(y: Any, hook: Callable[[Any], Any]) -> None:
    """Register a hook for the gradient of a result, if there is one."""
    if isinstance(y, torch.Tensor) and y.requires_grad:
        y.register_hook(hook)


class Draws:
    """Random numbers of a seed."""

    def __init__(self, seed: int | str) -> None:
        self.rng = Random(seed)

    def chance(self, probability: float) -> bool:
        """Return True with that probability."""
        return self.rng.random() < probability

    def choice(self, *items: Any) -> Any:
        """Return one of the items."""
        return self.rng.choice(items)


class Side(Draws):
    """The .NET module of a case or its PyTorch twin, and the log of what it did."""

    def __init__(self, model: Any, is_mirror: bool, seed: int) -> None:
        super().__init__(seed)
        self.model, self.is_mirror = model, is_mirror
        self.log: list[Any] = []
        self.depth = 0

    def any_module(self) -> Any:
        """Return a random module of the model."""
        return self.rng.choice(list(self.model.modules()))

    def note(self, *values: Any) -> None:
        """Record values that both models must agree on: tensors (cloned), numbers, strings, and containers of these."""
        self.log.append(_kept(values))

    def attempt(self, label: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Record and return a call's result, or record its error and return None."""
        try:
            result = call(*arguments)
        except BaseException as error:
            self.log.append((label, Raised(error)))
            return None
        self.log.append((label, _kept(result)))
        return result

    def step(self, label: str = "call", x: torch.Tensor | None = None) -> Any:
        """Call the model with a random input, run a backward pass, and record results or errors and the gradients."""
        x = tensor(self.rng).requires_grad_() if x is None else x
        self.model.zero_grad()
        y = self.attempt(label, self.model, x)
        if isinstance(y, torch.Tensor) and y.requires_grad:
            self.attempt("backward", lambda: y.float().sum().backward())
            self.note(x.grad)
            # A failed backward pass leaves gradients in an order that PyTorch does not define.
            if not isinstance(self.log[-2][-1], Raised):
                self.note({name: value.grad for name, value in sorted(self.model.named_parameters())})
        return y


class Case(Draws):
    """The random numbers and the models of a case. A case that runs alone writes its exit code to ``announcements``."""

    def __init__(self, seed: int, index: int, kind: str, assembly: str, announcements: int = -1) -> None:
        super().__init__(f"{seed}:{index}:{kind}")
        self.seed, self.index, self.assembly, self._announcements = seed, index, assembly, announcements
        #: Whether .NET has refused a type that PyTorch took: from then on the two models are not the same.
        self.refused = False
        self._model = ""

    def draw(self, *without: str) -> str:
        """Return one of MODELS whose name does not start with any of ``without``."""
        if "ATTACK_RUNTIME" in os.environ:
            without += ("Recurrent",)  # TorchSharp's LSTM takes and returns other tuples than PyTorch's
        return self.rng.choice([name for name in MODELS if not name.startswith(without)])

    def load(self, name: str, *arguments: Any) -> Any:
        """Load a C# model, such as ``"Shared 2"``."""
        name, more = twins.parse(name)
        return bridge.load(
            self.assembly, f"Attack.{name}", *more, *arguments, runtime=os.environ.get("ATTACK_RUNTIME", "dotnet")
        )

    def pair(self, name: str, *arguments: Any) -> tuple[Side, Side]:
        """Load a C# model and make its twin, with equal weights and equal random numbers."""
        self._model = name
        mirror, twin = self.load(name, *arguments), twins.make(name, *arguments)
        twin.load_state_dict(mirror.state_dict())
        seed = self.rng.randrange(1 << 30)
        return Side(mirror, True, seed), Side(twin, False, seed)

    def run(self, name: str, script: Callable[[Side], None], *arguments: Any) -> None:
        """Run the script on a model and its twin, and compare them then and afterwards."""
        sides = self.pair(name, *arguments)
        self.both(script, sides)
        self.settled(sides)

    def both(self, script: Callable[[Side], None], sides: tuple[Side, Side]) -> None:
        """Run the script on both models and compare their logs."""
        seed = self.rng.randrange(1 << 30)
        for side in sides:
            torch.manual_seed(seed)
            script(side)
        mirror, twin = sides
        ours, theirs, self.refused = until_refused(mirror.log, twin.log)
        found = difference(ours, theirs)
        self.check(found is None, f"{self._model}: {found}\nit did {_labels(mirror)}\nnot {_labels(twin)}")

    def settled(self, sides: tuple[Side, Side]) -> None:
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
            side.attempt("afterwards", side.model, x)
        found = difference(sides[0].log, sides[1].log)
        self.check(found is None, f"{found}")

    def check(self, right: bool, problem: str) -> None:
        """Raise WrongResultError with that text unless the result is right."""
        if not right:
            raise WrongResultError(problem)

    def ends_with(self, code: int) -> None:
        """Announce that the case is complete, and the exit code of its process (minus the number of a signal)."""
        os.write(self._announcements, f"{code}\n".encode())


def _labels(side: Side) -> str:
    """Return the labels and errors of a log."""
    last = [entry[-1] if isinstance(entry[-1], Raised) else entry[0] for entry in side.log]
    return " | ".join(str(item)[:120] for item in last if isinstance(item, Raised | str))


def _kept(value: Any) -> Any:
    """Return a copy whose tensors are detached clones, except tensors of a subclass."""
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        return value.detach().clone()
    if isinstance(value, list | tuple):
        return [_kept(item) for item in value]
    if isinstance(value, dict):
        return {key: _kept(item) for key, item in value.items()}
    return value
