"""What stops gradients in C#'s forward and not in PyTorch's: proven where PyTorch's, cut in the same place, gives what C# gave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import torch
from torch.overrides import TorchFunctionMode

from bridge.compare.isolate.copies import NotCopiedError, mapped
from bridge.compare.isolate.divergence import is_near
from bridge.compare.isolate.listener import OnlyOperators
from bridge.compare.isolate.operators import Operator, Recorded

#: Gradients as near as this, relative to the largest number, are the same sum in another order.
GRADIENT: Final = 1e-4
#: Values as near as this are the same, written otherwise.
_NEAR: Final = 1e-4
#: Of no more places than this all choices are tried, of more each one alone and all.
_CHOSEN: Final = 4

Gradients = Mapping[str, torch.Tensor | None]


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """An operator of C# through which no gradient flows: ``name`` is ``detach`` or ``no_grad``; ``source`` its place, ``values`` what
    it gives without a graph."""

    name: str
    source: str
    values: tuple[torch.Tensor, ...]


def stops(left: Recorded, right: Recorded) -> list[Stop]:
    """What stops gradients on the second side and not on the first: each ``detach``, those of one line as one, and all that is under
    ``no_grad`` as one."""
    found = []
    for name in ("detach", "no_grad"):
        ours, theirs = ([one for one in side.operators if _stops(one, name)] for side in (left, right))
        more = [one for one in theirs if not any(_is_alike(one, other) for other in ours)]
        if not more and len(theirs) > len(ours):
            more = theirs
        if not more:
            continue
        groups = [more]
        if name == "detach":
            # In a loop, one line stops several.
            lines = [
                [one for one in more if one.source == source] for source in dict.fromkeys(one.source for one in more)
            ]
            groups = [*([one] for one in more), *(some for some in lines if len(some) > 1)]
        found += [Stop(name, some[0].source, tuple(value for one in some for value in _given(one))) for some in groups]
    return found


class Cut(OnlyOperators, TorchFunctionMode):
    """A run of PyTorch's forward without the flow through that, a listener of :func:`bridge.compare.isolate.replay.run_alone`.

    What ``no_grad`` gives has no graph; of what is detached that holds for these of the places that take it, ``chosen``, or for all (None).
    ``places`` counts them. What is given to a child, or to the caller, is a place too (:meth:`carries`).
    """

    def __init__(self, stop: Stop, chosen: Collection[int] | None = None) -> None:
        super().__init__()
        self.places = 0
        self._stop = stop
        self._chosen = chosen

    def carries(self, tensor: torch.Tensor) -> bool:
        """Whether a gradient still comes back from what a child or the caller was given."""
        return self._stop.name != "detach" or not self._takes(tensor)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") == "__get__":
            return func(*args, **kwargs)
        if self._stop.name == "detach":
            return func(*_changed(list(args), self._without), **_changed(kwargs, self._without))
        return _changed(func(*args, **kwargs), self._without_graph)

    def _without(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if self._takes(tensor) else tensor

    def _without_graph(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if tensor.requires_grad and self._is_one(tensor) else tensor

    def _takes(self, tensor: torch.Tensor) -> bool:
        if not tensor.requires_grad or not self._is_one(tensor):
            return False
        self.places += 1
        return self._chosen is None or self.places - 1 in self._chosen

    def _is_one(self, tensor: torch.Tensor) -> bool:
        with torch._C.DisableTorchFunction():
            return any(is_near(tensor.detach(), value, _NEAR) for value in self._stop.values)


def proven(found: Collection[Stop], wanted: Gradients, run: Callable[[Cut], Gradients]) -> Stop | None:
    """The stop with which PyTorch's forward gives the gradients that C#'s gave, ``wanted``; ``run`` gives those of a run that is cut."""
    for one in found:
        cut = Cut(one)
        if are_near(run(cut), wanted):
            return one
        if one.name == "detach":
            sizes = range(1, cut.places if cut.places <= _CHOSEN else min(2, cut.places))
            for chosen in (some for size in sizes for some in combinations(range(cut.places), size)):
                if are_near(run(Cut(one, chosen)), wanted):
                    return one
    return None


def are_near(ours: Gradients, theirs: Gradients) -> bool:
    """There are some, and each is near the other side's of its name."""
    return bool(ours) and all(
        other is None if one is None else other is not None and is_near(one, other, GRADIENT)
        for one, other in ((value, theirs[name]) for name, value in ours.items() if name in theirs)
    )


def _changed(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    try:
        return mapped(value, change)
    except NotCopiedError:
        return value


def _given(operator: Operator) -> tuple[torch.Tensor, ...]:
    return tuple(value.data for value in operator.outputs)


def _is_alike(one: Operator, other: Operator) -> bool:
    """They are the same operator on the same."""
    pairs = list(zip(one.inputs, other.inputs, strict=False))
    return one.name == other.name and bool(pairs) and all(is_near(a.data, b.data, _NEAR) for a, b in pairs)


def _stops(operator: Operator, name: str) -> bool:
    return operator.name == name if name == "detach" else not operator.flow
