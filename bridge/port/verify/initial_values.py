"""Initial values of a port and its original: equal with the same seed, or from the same distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

import torch
from torch import nn

from bridge.compare.isolate.value_comparison import is_near
from hook_contract.output.sentences import plural

#: The largest difference, relative to the largest value, that counts as rounding.
_ROUNDED: Final = 1e-6
#: The number of seeds with which both models are constructed, if they differ with the first seed.
_SEEDS: Final = 4
#: Two distributions differ if their means or standard deviations differ by more standard errors than this.
_ERRORS: Final = 6.0
#: With fewer numbers than this, means and standard deviations are not compared.
_FEW: Final = 16
#: How many elements of a tensor are compared.
_MANY: Final = 100_000
#: How many differences are listed.
_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class InitialValues:
    """How many tensors are equal with the same seed, how many others have the same distribution, and a sentence on each that differs."""

    equal: int
    alike: int
    different: tuple[str, ...] = ()

    @property
    def difference(self) -> str:
        """Return the first difference, empty if there is none."""
        return next(iter(self.different), "")

    def __str__(self) -> str:
        alike = f", {self.alike} of the same distribution" if self.alike else ""
        every = self.equal + self.alike + len(self.different)
        found = f"Initial values by one seed: {self.equal} of {plural(every, 'tensor')} equal{alike}"
        if not self.different:
            return f"{found}."
        lines = [f"  {one}" for one in self.different[:_LISTED]]
        more = len(self.different) - _LISTED
        return "\n".join(
            [f"{found}, {len(self.different)} differ:", *lines, *([f"  … and {more} more"] if more > 0 else [])]
        )


def compare_initial_values(make_original: Callable[[], nn.Module], make_port: Callable[[], nn.Module]) -> InitialValues:
    """Construct both models with the same seed, and compare the tensors of their ``state_dict``; if some differ, use further seeds.

    The values of a tensor that differs, over all seeds, must have nearly the same mean and standard deviation. Restores the random state.
    """
    with torch.random.fork_rng(devices=()):
        ours, theirs = _state(make_original, 0), _state(make_port, 0)
        names = [name for name in ours if name in theirs]
        unequal = [name for name in names if not is_near(ours[name], theirs[name], _ROUNDED)]
        del ours, theirs
        sides = [
            [_samples(make, seed, unequal) for seed in range(_SEEDS if unequal else 0)]
            for make in (make_original, make_port)
        ]
    both = {name: [torch.stack([state[name] for state in side]) for side in sides] for name in unequal}
    different = [f"{name} {_describe(*some)}" for name, some in both.items() if not _are_alike(*some)]
    return InitialValues(len(names) - len(unequal), len(unequal) - len(different), tuple(different))


def _state(make: Callable[[], nn.Module], seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    return make().state_dict()


def _samples(make: Callable[[], nn.Module], seed: int, names: Collection[str]) -> dict[str, torch.Tensor]:
    state = _state(make, seed)
    return {name: state[name].detach().flatten()[:_MANY].double() for name in names}


def _are_alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return whether unequal values have nearly the same mean and standard deviation, or are few; each row has the values of one seed."""
    if ours.shape != theirs.shape or _is_fixed(ours) or _is_fixed(theirs):
        return False
    if ours.numel() < _FEW:
        return True
    both = torch.stack([ours.flatten(), theirs.flatten()])
    (mean, other), (spread, its) = both.mean(1).tolist(), both.std(1).tolist()
    apart = both - both.mean(1, keepdim=True)
    peaked = float((apart**4).mean() / (apart**2).mean() ** 2)  # kurtosis: makes a standard deviation less certain
    error = math.hypot(spread, its) / math.sqrt(ours.numel())
    return bool(abs(mean - other) <= _ERRORS * error and abs(spread - its) <= _ERRORS * error * math.sqrt(peaked) / 2)


def _is_fixed(samples: torch.Tensor) -> bool:
    """Return whether the values are the same with every seed."""
    return bool((samples == samples[:1]).all())


def _describe(ours: torch.Tensor, theirs: torch.Tensor) -> str:
    words = [
        f"{one.mean().item():.3g} (standard deviation {one.std(correction=0).item():.3g})" for one in (ours, theirs)
    ]
    return f"is on average {words[0]} in the original and {words[1]} in the port"
