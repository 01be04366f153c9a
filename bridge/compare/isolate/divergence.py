"""Two recordings of one ``forward`` on the same inputs: the operators at which they part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import torch

from bridge.compare.isolate.measures import dense
from bridge.compare.isolate.operators import Handed, Operator, Recorded, Value

#: Values as near as this, relative to the largest number, are the same written otherwise; then none may differ at all: what is added to
#: 1e4 may be near and is not.
_NEAR: Final = (1e-4, 0.0)
#: Operators behind one that are searched for what consumes it.
_REACH: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Parting:
    """Where the two part: an operator of either side whose inputs the other side has too, and whose results it never has; None where one
    side has none. ``missing`` and ``extra`` are the operators before the one that both call, which only one side calls; ``behind`` are
    those behind the operator of each side that make one difference with it."""

    left: Operator | None
    right: Operator | None
    missing: tuple[Operator, ...] = ()
    extra: tuple[Operator, ...] = ()
    before: str = ""
    consumer: Operator | None = None
    behind: tuple[tuple[Operator, ...], tuple[Operator, ...]] = ((), ())

    @property
    def otherwise(self) -> Iterator[Parting]:
        """What else it may be: what takes the result of one too many takes something else altogether; two are no pair."""
        if self.left is None or self.right is None:
            return
        if self.consumer is not None:
            yield Parting(self.left, self.consumer)
        if self.missing or self.extra:
            yield Parting(self.left, self.right)
        elif not self.missing and not _is_on_the_same(self.left, self.right):
            yield Parting(self.left, None)
            yield Parting(None, self.right)

    @property
    def deeper(self) -> Iterator[Parting]:
        """What both call alike on what one operator gave them, which has other arguments there: it gave what the other side has, too."""
        if self.left is None or self.right is None or self.left.name != self.right.name or self.missing or self.extra:
            return
        for one, other in zip(self.left.inputs, self.right.inputs, strict=False):
            if one.maker is None or other.maker is None or is_near(one.data, other.data, _NEAR[0]):
                continue
            if _is_on_the_same(one.maker, other.maker):
                yield Parting(one.maker, other.maker)


def partings(left: Recorded, right: Recorded) -> list[list[Parting]]:
    """The partings, in the order of PyTorch's forward: those of values that are not near, and those of values that are not the same."""
    return [_partings(left, right, near) for near in _NEAR]


def _partings(left: Recorded, right: Recorded, near: float) -> list[Parting]:
    some, others = (_roots(one, other, near) for one, other in ((left, right), (right, left)))
    pairs: list[tuple[Operator, Operator]] = []
    found: list[Parting] = []
    # Of operators that take the same, those of one name belong together first, with all that they take or some of it, then others, then
    # what is between the same children.
    for belong in (_is_on_the_same, _alike, _beside, _between):
        for b in list(others):
            a = next((one for one in some if belong(one, b)), None)
            if a is not None:
                pairs.append((a, b))
                some.remove(a)
                others.remove(b)
            elif belong is _is_on_the_same and (called := _called(b, right, left)) is not None:
                # It gives there what this side has, too.
                found.append(Parting(called, b))
                others.remove(b)
    found += [_parting(a, b, left, right) for a, b in pairs]
    # What the other side calls on the very same, too, is not missing there: its argument is another one.
    found += [Parting(one, _called(one, left, right)) for one in some]
    found += [Parting(None, one) for one in others]
    return sorted(found, key=_place)


def _called(operator: Operator, own: Recorded, other: Recorded) -> Operator | None:
    """The operator of the other side that is called on the same: of several the one in the place that it has on its own side."""
    place = sum(_is_on_the_same(one, operator) for one in own.operators[: operator.number])
    there = [one for one in other.operators if _is_on_the_same(one, operator)]
    return there[min(place, len(there) - 1)] if there else None


def _is_on_the_same(a: Operator, b: Operator) -> bool:
    """They are of one name and take the same tensors; numbers may be others."""
    ours, theirs = ([value for value in one.inputs if value.data.ndim] for one in (a, b))
    alike = a.name == b.name and len(ours) == len(theirs) > 0
    return alike and all(is_near(one.data, other.data, _NEAR[0]) for one, other in zip(ours, theirs, strict=True))


def _place(parting: Parting) -> tuple[int, int]:
    """The code between two children, and the place in it."""
    known = [one for one in (parting.left, parting.right) if one is not None]
    return min(one.segment for one in known), min(one.number for one in known)


def _alike(a: Operator, b: Operator) -> bool:
    return a.name == b.name and _beside(a, b)


def _beside(a: Operator, b: Operator) -> bool:
    return any(is_near(one.data, other.data, _NEAR[0]) for one in a.inputs for other in b.inputs if one.data.ndim)


def _between(a: Operator, b: Operator) -> bool:
    return a.segment == b.segment


def _roots(one: Recorded, other: Recorded, near: float) -> list[Operator]:
    """The operators whose inputs the other side has, and whose results it does not, or which raised."""
    pool = _Pool(other.values, near)
    return [
        operator
        for operator in one.operators
        if not operator.hollow
        and (operator.failed or not all(pool.makes(value, operator) for value in operator.outputs))
        and all(pool.has(value) for value in operator.inputs)
    ]


def others(one: Recorded, other: Recorded) -> frozenset[int]:
    """The numbers of the first side's operators that raised, or whose results the other side does not have."""
    pool = _Pool(other.values, _NEAR[0])
    return frozenset(
        operator.number
        for operator in one.operators
        if operator.failed or not all(pool.makes(value, operator) for value in operator.outputs)
    )


class _Pool:
    """The values of one side, by shape."""

    def __init__(self, values: Sequence[Value], near: float) -> None:
        self._near = near
        self._by_shape: dict[torch.Size, list[Value]] = defaultdict(list)
        self._found: dict[Value, bool] = {}
        for value in values:
            self._by_shape[value.data.shape].append(value)

    def has(self, value: Value) -> bool:
        if value not in self._found:
            self._found[value] = any(True for _ in self._alike(value))
        return self._found[value]

    def makes(self, value: Value, operator: Operator) -> bool:
        """Whether the value is there by then, or such an operator gives it later: what comes of a later child is another thing."""
        return any(
            one.segment <= operator.segment or (one.maker is not None and one.maker.name == operator.name)
            for one in self._alike(value)
        )

    def _alike(self, value: Value) -> Iterator[Value]:
        return (one for one in self._by_shape[value.data.shape] if is_near(value.data, one.data, self._near))


def is_near(a: torch.Tensor, b: torch.Tensor, near: float) -> bool:
    """The same shape, dtype and numbers, but for ``near`` of the largest."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    with torch.no_grad():
        a, b = dense(a), dense(b)
        if torch.equal(a, b):
            return True
        if not (a.is_floating_point() or a.is_complex()):
            return False
        if not near and not a.isnan().any():
            return False
        away = torch.where((a == b) | (a.isnan() & b.isnan()), torch.zeros_like(a), a - b).abs()
        finite = a.abs().nan_to_num(nan=0.0, posinf=0.0)
        return bool(away.max() <= near * finite.max())


def _parting(a: Operator, b: Operator, left: Recorded, right: Recorded) -> Parting:
    if a.name == b.name:
        return Parting(a, b)
    # What one side calls before the operator that both call: it lacks on the other, or takes something else there.
    if (found := _until(a, b.name, left)) is not None:
        *chain, consumer = found
        # It is called on the same, and gives what it gets: it does not lack.
        if (same := next((one for one in right.operators if _alike(a, one)), None)) is not None:
            return Parting(a, same)
        other = _in_place_of(chain[-1], consumer, b)
        return Parting(a, b, missing=tuple(chain), before=b.name) if other is None else Parting(chain[-1], other)
    if (found := _until(b, a.name, right)) is not None:
        *chain, consumer = found
        other = _in_place_of(chain[-1], consumer, a)
        if other is None:
            return Parting(a, b, extra=tuple(chain), before=a.name, consumer=consumer)
        return Parting(other, chain[-1])
    return Parting(a, b)


def _until(operator: Operator, name: str, recorded: Recorded) -> tuple[Operator, ...] | None:
    """The operators from one on to the next of that name that takes its result; None where none does."""
    chain = [operator]
    for _ in range(_REACH):
        outputs = chain[-1].outputs
        following = [
            one for one in recorded.operators[chain[-1].number + 1 :] if any(value in one.inputs for value in outputs)
        ]
        consumer = next((one for one in following if one.name == name), None)
        if consumer is not None:
            return (*chain, consumer)
        if not following:
            return None
        chain.append(following[0])
    return None


def _in_place_of(operator: Operator, consumer: Operator, counterpart: Operator) -> Operator | None:
    """The operator of the same name whose result the consumer's counterpart takes where the consumer takes that of ``operator``."""
    for value, other in zip(consumer.inputs, counterpart.inputs, strict=False):
        if value.maker is not operator or other.maker is None or other.maker.name != operator.name:
            continue
        # One more of the same behind it is one more.
        if not any(is_near(given.data, other.data, _NEAR[0]) for given in operator.inputs):
            return other.maker
    return None


def counterpart(value: Value, recorded: Recorded) -> Value | None:
    """What a side has that is as good as a value of the other one."""
    return next((one for one in recorded.values if is_near(one.data, value.data, _NEAR[0])), None)


def depends(handed: Handed, operator: Operator) -> bool:
    """Whether what was handed on comes of an operator's result."""
    seen: set[int] = set()
    left = list(handed.values)
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if value.maker is operator:
            return True
        if value.maker is not None:
            left += value.maker.inputs
    return False


def handed_to(recorded: Recorded, number: int | None) -> Iterator[Handed]:
    """What a child's call was given; None: what was returned."""
    return (one for one in recorded.handed if (None if one.call is None else one.call.number) == number)
