"""Interventions: the ways to remove a divergence when C#'s ``forward`` is replayed (run alone, on recorded arguments).

- A C# operator that has other arguments than its PyTorch counterpart returns the counterpart's recorded result. If C# calls another
  operator than PyTorch, C#'s operator returns the recorded result of PyTorch's.
- An operator that only C# calls returns one of its arguments. Of several such operators in succession, the last returns an argument of the
  first. An argument of the PyTorch operator in the same place is also tried.
- For an operator that only PyTorch calls, C#'s operators that take its argument receive its recorded result instead.

Tensors are near if they are equal up to rounding (:func:`.value_comparison.is_near`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import torch

from bridge.compare.isolate.copies import duplicate, map_tensors, tensors
from bridge.compare.isolate.divergence import Divergence, find_near
from bridge.compare.isolate.operators import OperatorCall, OperatorRecorder, TensorSnapshot
from bridge.compare.isolate.value_comparison import is_near

#: The largest number of consecutive operators that are removed or inserted together.
_REACH: Final = 4
#: The largest number of interventions that are tried for one divergence.
_TRIES: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Intervention:
    """Replacement values for one replay."""

    #: Maps indices of C#'s operators to the results that they return.
    results: Mapping[int, tuple[torch.Tensor, ...]] = field(default_factory=dict)
    #: A pair (old, new): new replaces old in the arguments of the operators in ``consumers``, in the arguments of the calls of the replayed
    #: module's children, and in the module's result.
    swap: tuple[torch.Tensor, torch.Tensor] | None = None
    #: Indices of C#'s operators that receive new instead of old.
    consumers: frozenset[int] = frozenset()
    #: The divergence that the intervention removes; None stands for the divergence that was passed to :func:`find_interventions`.
    divergence: Divergence | None = None

    def swapped(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the replacement for a tensor, or the tensor itself if ``swap`` does not replace it."""
        if self.swap is None or not is_near(self.swap[0], tensor):
            return tensor
        return duplicate(self.swap[1])

    def adjust(self, value: Any, wanted: Any) -> Any:
        """Return C#'s ``value`` with ``swap`` applied to its tensors.

        A tensor is replaced only if its counterpart in ``wanted``, PyTorch's value, is near the replacement.
        """
        if self.swap is None:
            return value
        new = self.swap[1]
        others = iter(tensors(wanted))

        def change(tensor: torch.Tensor) -> torch.Tensor:
            other = next(others, None)
            return self.swapped(tensor) if other is not None and is_near(new, other) else tensor

        return map_tensors(value, change)


def find_interventions(
    divergence: Divergence,
    divergences: Sequence[Divergence],
    left: OperatorRecorder,
    right: OperatorRecorder,
    different: Callable[[], frozenset[int]],
) -> Iterator[Intervention]:
    """Yield interventions that remove ``divergence``, then one that also removes its repetitions in a loop.

    The repetitions are the members of ``divergences`` with the same operator in the same line of C#. ``different`` returns the indices of
    C#'s operators that raised or whose results PyTorch lacks.
    """
    yield from islice(_interventions_for(divergence, left, right, different), _TRIES)
    operator = divergence.right
    if operator is not None and operator.location.source:
        same = [
            other
            for other in divergences
            if other.right is not None
            and (other.right.location.source, other.right.aten) == (operator.location.source, operator.aten)
        ]
        # An operator that is extra here is extra in the other iterations as well.
        same = [replace(other, left=None) for other in same] if divergence.left is None else same
        if len(same) > 1 and (joint := join(same)) is not None:
            yield joint


def join(divergences: Sequence[Divergence]) -> Intervention | None:
    """Return an intervention that removes all divergences at once; None if that is impossible, as for a missing operator."""
    results: dict[int, tuple[torch.Tensor, ...]] = {}
    for divergence in divergences:
        left, right = divergence.left, divergence.right
        if right is None or divergence.missing:
            return None
        if left is not None and not divergence.extra:
            results[right.index] = _results_of(left)
        elif right.inputs:
            results[(divergence.extra or (right,))[-1].index] = (right.inputs[0].data,)
        else:
            return None
    return Intervention(results)


def _interventions_for(
    divergence: Divergence, left: OperatorRecorder, right: OperatorRecorder, different: Callable[[], frozenset[int]]
) -> Iterator[Intervention]:
    a, b = divergence.left, divergence.right
    if a is not None and (divergence.missing or b is None):
        yield from _insert_missing(divergence, left, right, different())
    elif b is not None and (divergence.extra or a is None):
        yield from _remove_extra(divergence, right)
    elif a is not None and b is not None and a.name != b.name:
        # One operator of PyTorch can correspond to several of C#, or several to one.
        for last in (chain := _chain(b, right)):
            removed = replace(divergence, right_chain=_up_to(chain, last)[1:])
            yield Intervention({last.index: _results_of(a)}, divergence=removed)
        for last in (chain := _chain(a, left))[1:]:
            removed = replace(divergence, left_chain=_up_to(chain, last)[1:])
            yield Intervention({b.index: _results_of(last)}, divergence=removed)
    elif a is not None and b is not None and not is_caused_by_inputs(divergence):
        yield Intervention({b.index: _results_of(a)})


def _insert_missing(
    divergence: Divergence, left: OperatorRecorder, right: OperatorRecorder, different: frozenset[int]
) -> Iterator[Intervention]:
    a, b = divergence.left, divergence.right
    assert a is not None
    chain = divergence.missing or _chain(a, left)
    for last in reversed(chain) if divergence.missing else chain:
        if len(last.outputs) != 1:
            continue
        part = _up_to(chain, last)
        removed = replace(divergence, missing=part) if divergence.missing else replace(divergence, left_chain=part[1:])
        for value in _external_inputs(part):
            if (equal := find_near(value, right)) is None:
                continue
            swap = (equal.data, last.outputs[0].data)
            # First replace the value for all operators in ``different`` at once, then for one operator at a time.
            yield Intervention(swap=swap, consumers=different, divergence=removed)
            consumers = [op.index for op in right.operators if op.index in different and equal in op.inputs]
            for consumer in consumers if b is None else [b.index]:
                yield Intervention(swap=swap, consumers=frozenset((consumer,)), divergence=removed)


def _remove_extra(divergence: Divergence, right: OperatorRecorder) -> Iterator[Intervention]:
    a, b = divergence.left, divergence.right
    assert b is not None
    chain = divergence.extra or _chain(b, right)
    for last in reversed(chain) if divergence.extra else chain:
        part = _up_to(chain, last)
        removed = replace(divergence, extra=part) if divergence.extra else replace(divergence, right_chain=part[1:])
        for value in dict.fromkeys((*chain[0].inputs, *(() if a is None else a.inputs))):
            yield Intervention({last.index: (value.data,)}, divergence=removed)


def _up_to(chain: Sequence[OperatorCall], last: OperatorCall) -> tuple[OperatorCall, ...]:
    return tuple(chain[: chain.index(last) + 1])


def _results_of(operator: OperatorCall) -> tuple[torch.Tensor, ...]:
    return tuple(output.data for output in operator.outputs)


def _external_inputs(chain: Sequence[OperatorCall]) -> dict[TensorSnapshot, None]:
    """Return the inputs of a chain of operators, in order and without the results of operators in the chain."""
    return dict.fromkeys(item for operator in chain for item in operator.inputs if item.operator not in chain)


def _chain(operator: OperatorCall, recorder: OperatorRecorder) -> tuple[OperatorCall, ...]:
    """Return a chain from ``operator``, at most :data:`_REACH` long: each next operator is the only consumer of the previous one."""
    chain = [operator]
    while len(chain) < _REACH:
        consumers = list(recorder.consumers_of(chain[-1]))
        if len(consumers) != 1:
            break
        chain += consumers
    return tuple(chain)


def is_caused_by_inputs(divergence: Divergence) -> bool:
    """Return whether PyTorch and C# call operators of the same name on inputs that are near but not equal."""
    a, b = divergence.left, divergence.right
    if a is None or b is None or a.name != b.name or a.raised or b.raised or len(a.inputs) != len(b.inputs):
        return False
    pairs = [(mine.data, theirs.data) for mine, theirs in zip(a.inputs, b.inputs, strict=True)]
    return all(is_near(x, y) for x, y in pairs) and not all(is_near(x, y, 0.0) for x, y in pairs)
