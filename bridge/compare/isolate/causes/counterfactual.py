"""Whether a parting is the cause: C#'s forward runs again, in which the operator gives what PyTorch's gave.

A parting is only stated where that takes the difference away. An operator that is another one, or has other arguments, gives PyTorch's
recorded result; one too many gives what it takes; and what takes the input of one that is missing is given its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.isolate.copies import duplicate, mapped
from bridge.compare.isolate.divergence import Parting, counterpart, is_near
from bridge.compare.isolate.listener import OnlyOperators
from bridge.compare.isolate.measures import leaf
from bridge.compare.isolate.operators import Operator, Recorded, Value
from bridge.runtimes.recording import leaves

#: Values as near as this, relative to the largest number, are the same written otherwise.
_NEAR: Final = 1e-4
#: Operators behind one that are missing, or too many, together with it.
_REACH: Final = 4
#: Ways to undo one parting that are tried.
_TRIES: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Undoing:
    """One way to undo a parting: by the number of a C# operator what it gives (None: what it takes at its first place), and
    ``swap``, a value and the one that takes its place where C#'s operators of these ``numbers``, children or the caller are given it.

    ``parting`` is what is undone so: with the operators whose place that takes (None: the one that was asked for)."""

    results: Mapping[int, tuple[torch.Tensor, ...]] = field(default_factory=dict)
    swap: tuple[torch.Tensor, torch.Tensor] | None = None
    numbers: frozenset[int] = frozenset()
    parting: Parting | None = None

    def handed(self, value: Any, wanted: Any) -> Any:
        """What a child or the caller is given by C#, with the swap where PyTorch hands that over."""
        if self.swap is None:
            return value
        old, new = self.swap
        found = iter(_tensors(wanted))

        def swapped(tensor: torch.Tensor) -> torch.Tensor:
            there = next(found, None)
            takes = there is not None and is_near(new, there, _NEAR) and is_near(old, tensor, _NEAR)
            return duplicate(new) if takes else tensor

        return mapped(value, swapped)


def undoings(
    parting: Parting,
    all_of_them: Sequence[Parting],
    left: Recorded,
    right: Recorded,
    wrong: Callable[[], frozenset[int]],
) -> Iterator[Undoing]:
    """The ways to undo a parting, at most some; ``wrong`` gives the numbers of C#'s operators whose results PyTorch never has.

    Last, with all others (``all_of_them``) of the same line of C#: a loop, or a method that is called several times.
    """
    yield from islice(_undoings(parting, left, right, wrong), _TRIES)
    at = parting.right
    if at is not None and at.source:
        same = [
            one
            for one in all_of_them
            if one.right is not None and (one.right.source, one.right.aten) == (at.source, at.aten)
        ]
        # Others are told in this one's way: two that are no pair are none there either.
        together = [replace(one, left=None) if parting.left is None else one for one in same]
        if len(together) > 1:
            yield from _joined(together)


def together(partings: Sequence[Parting]) -> Undoing | None:
    """All partings undone at once; None where some cannot be."""
    return next(_joined(partings), None) if len(partings) > 1 else None


def _joined(partings: Sequence[Parting]) -> Iterator[Undoing]:
    results: dict[int, tuple[torch.Tensor, ...]] = {}
    for one in partings:
        if one.right is None or one.missing:
            return
        if one.left is None or one.extra:
            last = one.extra[-1] if one.extra else one.right
            if not one.right.inputs:
                return
            results[last.number] = (one.right.inputs[0].data,)
        else:
            results[one.right.number] = tuple(value.data for value in one.left.outputs)
    yield Undoing(results)


def _undoings(
    parting: Parting, left: Recorded, right: Recorded, wrong: Callable[[], frozenset[int]]
) -> Iterator[Undoing]:
    a, b = parting.left, parting.right
    if parting.missing or b is None:
        assert a is not None
        chain = [*parting.missing] if parting.missing else _chain(a, left)
        numbers = wrong()
        for last in reversed(chain) if parting.missing else chain:
            if len(last.outputs) != 1:
                continue
            for value in _taken(chain[: chain.index(last) + 1]):
                if (there := counterpart(value, right)) is None:
                    continue
                # All that goes wrong takes it, or only what PyTorch calls with it, or one of them.
                swap = (there.data, last.outputs[0].data)
                takers = [one.number for one in right.operators if one.number in numbers and there in one.inputs]
                told = _until(parting, last, chain, 0)
                yield Undoing(swap=swap, numbers=numbers, parting=told)
                for number in takers if b is None else [b.number]:
                    yield Undoing(swap=swap, numbers=frozenset((number,)), parting=told)
    elif parting.extra or a is None:
        chain = [*parting.extra] if parting.extra else _chain(b, right)
        for last in reversed(chain) if parting.extra else chain:
            for value in dict.fromkeys((*chain[0].inputs, *(() if a is None else a.inputs))):
                yield Undoing({last.number: (value.data,)}, parting=_until(parting, last, chain, 1))
    elif a.name != b.name:
        # One language's one operator may be several of the other's.
        for last in (chain := _chain(b, right)):
            told = _until(parting, last, chain, 1)
            yield Undoing({last.number: tuple(value.data for value in a.outputs)}, parting=told)
        for last in (chain := _chain(a, left))[1:]:
            told = _until(parting, last, chain, 0)
            yield Undoing({b.number: tuple(value.data for value in last.outputs)}, parting=told)
    elif not is_unexplained(parting):
        yield Undoing({b.number: tuple(value.data for value in a.outputs)})


def _taken(chain: Sequence[Operator]) -> dict[Value, None]:
    """What some operators are given that none of them makes."""
    return dict.fromkeys(value for one in chain for value in one.inputs if value.maker not in chain)


def _until(parting: Parting, last: Operator, chain: Sequence[Operator], side: int) -> Parting:
    """The parting, of which the operators of one side until ``last`` are undone together: the first of them is not said to be it alone."""
    some = tuple(chain[: chain.index(last) + 1])
    if parting.missing or parting.extra:
        return replace(parting, missing=some) if parting.missing else replace(parting, extra=some)
    return replace(parting, behind=(some[1:], ()) if side == 0 else ((), some[1:]))


def is_unexplained(parting: Parting) -> bool:
    """The same operator of the same arguments, as far as they are near, gives other numbers: what it takes is not the same to the bit."""
    a, b = parting.left, parting.right
    if a is None or b is None or a.name != b.name or a.failed or b.failed:
        return False
    pairs = list(zip(a.inputs, b.inputs, strict=False))
    near = len(a.inputs) == len(b.inputs) and all(is_near(one.data, other.data, _NEAR) for one, other in pairs)
    return near and not all(is_near(one.data, other.data, 0.0) for one, other in pairs)


def _chain(operator: Operator, recorded: Recorded) -> list[Operator]:
    """An operator, and those behind it of which each takes the result of the one before and is the only one that does."""
    chain = [operator]
    while len(chain) < _REACH:
        behind = [
            one
            for one in recorded.operators[chain[-1].number + 1 :]
            if any(value in one.inputs for value in chain[-1].outputs)
        ]
        if len(behind) != 1:
            break
        chain.append(behind[0])
    return chain


class Undone(OnlyOperators, TorchDispatchMode):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """A run of C#'s forward with that; a listener of :func:`bridge.compare.isolate.replay.run_alone`.

    ``astray`` says that it could not be done: the operators are others, or what is to be given has no place there.
    """

    def __init__(self, undoing: Undoing, recorded: Recorded) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the same
        self.astray = False
        self._undoing = undoing
        # By name and how many of that name came before: a recording keeps tensors alive, and some operators are called for that alone.
        counts: Counter[str] = Counter()
        self._numbers: dict[tuple[str, int], int] = {}
        for one in recorded.operators:
            self._numbers[one.aten, counts[one.aten]] = one.number
            counts[one.aten] += 1
        self._seen: Counter[str] = Counter()
        self._left = set(undoing.results)

    def returned(self, result: Any) -> None:
        """What was to be given instead has to have been."""
        self.astray |= bool(self._left)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        aten = func._schema.name.partition("::")[2]
        number = self._numbers.get((aten, self._seen[aten]), -1)
        self._seen[aten] += 1
        if number in self._undoing.results:
            self._left.discard(number)
            return self._instead(func, args, self._undoing.results[number])
        if number in self._undoing.numbers and self._undoing.swap is not None:
            args, kwargs = mapped(list(args), self._swapped), mapped(kwargs, self._swapped)
        return func(*args, **kwargs)

    def _swapped(self, tensor: torch.Tensor) -> torch.Tensor:
        assert self._undoing.swap is not None
        old, new = self._undoing.swap
        return duplicate(new) if is_near(old, tensor, _NEAR) else tensor

    def _instead(self, func: Any, args: Any, values: tuple[torch.Tensor, ...]) -> Any:
        """PyTorch's results in the form in which this operator gives its own."""
        made = tuple(map(duplicate, values))
        returns = func._schema.returns
        if len(returns) == 1 and f"{returns[0].type}" == "Tensor" and len(made) == 1:
            if returns[0].alias_info is None or not returns[0].alias_info.is_write:
                return made[0]
            if args[0].shape == made[0].shape and args[0].dtype == made[0].dtype:
                return args[0].copy_(made[0])
        elif len(returns) == len(made) > 1 or (len(returns) > len(made) == 1):
            # Of several results, such as values and indices, those that the other side does not have are left empty.
            return (*made, *(torch.empty(0) for _ in returns[len(made) :]))
        elif len(returns) == 1 and f"{returns[0].type}" == "List[Tensor]":
            return list(made)
        elif len(returns) == 1 < len(made) and f"{returns[0].type}" == "Tensor":
            return made[0]
        self.astray = True
        raise UndoneError


class UndoneError(Exception):
    """What is to be given instead has no place in what the operator gives."""


def is_alike(a: Any, b: Any, near: float) -> bool:
    """Whether two values are the same leaf by leaf, numbers but for ``near`` of the largest of their tensor."""
    left, right = leaves(a), leaves(b)
    if len(left) != len(right):
        return False
    for x, y in zip(left, right, strict=True):
        if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor):
            if not is_near(x, y, near):
                return False
        elif leaf(x, y, 0.0, 0.0, ("", "")) is not None:
            return False
    return True


def _tensors(value: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    mapped(value, found.append)
    return found
