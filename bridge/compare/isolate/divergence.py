"""The search for the operators at which PyTorch's and C#'s ``forward`` (the two sides), recorded on the same inputs, diverge.

Tensors are near if they are equal up to rounding (:func:`.value_comparison.is_near`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import torch

from bridge.compare.isolate.operators import OperatorCall, OperatorRecorder, TensorSnapshot
from bridge.compare.isolate.value_comparison import NEAR, is_near

#: The largest number of consumers that :func:`_chain_to` follows, each taking the result of the previous one.
_REACH: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Divergence:
    """A place where the two sides diverge: an operator of PyTorch, an operator of C#, or one of each."""

    #: The operator of PyTorch.
    left: OperatorCall | None
    #: The operator of C#.
    right: OperatorCall | None
    #: The operators that only PyTorch calls before an operator that both sides call.
    missing: tuple[OperatorCall, ...] = ()
    #: The operators that only C# calls before an operator that both sides call.
    extra: tuple[OperatorCall, ...] = ()
    #: The name of the operator that both sides call, after ``missing`` or ``extra``; empty if both are empty.
    before: str = ""
    #: The C# operator that takes the result of the last operator in ``extra``.
    consumer: OperatorCall | None = None
    #: The following operators of PyTorch that belong to the same difference; each takes the result of the previous one.
    left_chain: tuple[OperatorCall, ...] = ()
    #: The following operators of C# that belong to the same difference; each takes the result of the previous one.
    right_chain: tuple[OperatorCall, ...] = ()

    @property
    def order(self) -> tuple[int, int]:
        """Return a sort key: the number of the last child call before the divergence, then the operator's index.

        If two operators diverge, each number is the smaller of theirs.
        """
        operators = [operator for operator in (self.left, self.right) if operator is not None]
        return min(operator.segment for operator in operators), min(operator.index for operator in operators)

    def alternatives(self) -> Iterator[Divergence]:
        """Yield other interpretations of the divergence: another pair of operators, or two independent operators."""
        if self.left is None or self.right is None:
            return
        if self.consumer is not None:
            yield Divergence(self.left, self.consumer)
        if self.missing or self.extra:
            yield Divergence(self.left, self.right)
        elif not self.left.has_same_tensors(self.right):
            yield Divergence(self.left, None)
            yield Divergence(None, self.right)

    def input_divergences(self) -> Iterator[Divergence]:
        """Yield the divergence of the two operators that computed an input, for each input that differs between ``left`` and ``right``.

        Leaves out an input that no operator computed on one side, or whose two operators differ in name or took tensors that are not near.
        Yields nothing if the names of ``left`` and ``right`` differ.
        """
        if self.left is None or self.right is None or self.left.name != self.right.name or self.missing or self.extra:
            return
        for mine, theirs in zip(self.left.inputs, self.right.inputs, strict=False):
            if mine.operator is None or theirs.operator is None or is_near(mine.data, theirs.data):
                continue
            if mine.operator.has_same_tensors(theirs.operator):
                yield Divergence(mine.operator, theirs.operator)


def find_divergences(left: OperatorRecorder, right: OperatorRecorder) -> list[list[Divergence]]:
    """Return two lists of divergences in the order of execution: one for values that are not near, one for values that are not equal.

    The second list finds wrong values that are near the right ones, such as 10000 instead of 10000 + 0.1.
    """
    return [_find_divergences(left, right, near) for near in (NEAR, 0.0)]


def _find_divergences(left: OperatorRecorder, right: OperatorRecorder, near: float) -> list[Divergence]:
    mine, theirs = _first_different(left, right, near), _first_different(right, left, near)
    pairs: list[Divergence] = []
    found: list[Divergence] = []
    # Pair operators, the most similar ones first.
    for is_pair in (OperatorCall.has_same_tensors, _is_similar, _shares_input, _is_in_same_segment):
        for b in list(theirs):
            if (a := next((operator for operator in mine if is_pair(operator, b)), None)) is not None:
                pairs.append(_pair(a, b, left, right))
                mine.remove(a)
            elif is_pair is OperatorCall.has_same_tensors and (a := _counterpart(b, right, left)) is not None:
                # ``a`` is not in ``mine``: for instance, a C# operator other than ``b`` returns the result of ``a``, or ``a`` is paired.
                found.append(Divergence(a, b))
            else:
                continue
            theirs.remove(b)
    found += pairs
    # An operator that the other side calls on near tensors is not missing: its scalars differ.
    found += [Divergence(a, _counterpart(a, left, right)) for a in mine]
    found += [Divergence(None, b) for b in theirs]
    return sorted(found, key=lambda divergence: divergence.order)


def _counterpart(operator: OperatorCall, own: OperatorRecorder, other: OperatorRecorder) -> OperatorCall | None:
    """Return the other side's call of the same operator on near tensors; None if there is no such call.

    If both sides have several such calls, the n-th call corresponds to the other side's n-th call, or to its last call if it has fewer.
    """
    place = sum(earlier.has_same_tensors(operator) for earlier in own.operators[: operator.index])
    same = [candidate for candidate in other.operators if candidate.has_same_tensors(operator)]
    return same[min(place, len(same) - 1)] if same else None


def _is_similar(a: OperatorCall, b: OperatorCall) -> bool:
    return a.name == b.name and _shares_input(a, b)


def _shares_input(a: OperatorCall, b: OperatorCall) -> bool:
    return any(is_near(mine.data, theirs.data) for mine in a.inputs for theirs in b.inputs if mine.data.ndim)


def _is_in_same_segment(a: OperatorCall, b: OperatorCall) -> bool:
    return a.segment == b.segment


def _first_different(own: OperatorRecorder, other: OperatorRecorder, near: float) -> list[OperatorCall]:
    """Return the operators whose inputs the other side has, and that raised or whose results the other side lacks.

    Leaves out operators that create uninitialized tensors.
    """
    snapshots = _Snapshots(other.snapshots, near)
    return [
        operator
        for operator in own.operators
        if not operator.is_uninitialized
        and snapshots.lack_results(operator)
        and all(map(snapshots.has, operator.inputs))
    ]


def find_different_operators(own: OperatorRecorder, other: OperatorRecorder) -> frozenset[int]:
    """Return the indices of the operators that raised, or whose results the other side lacks."""
    snapshots = _Snapshots(other.snapshots, NEAR)
    return frozenset(operator.index for operator in own.operators if snapshots.lack_results(operator))


class _Snapshots:
    """The recorded tensors of one side, indexed by shape."""

    def __init__(self, snapshots: Sequence[TensorSnapshot], near: float) -> None:
        self._near = near
        self._by_shape: dict[torch.Size, list[TensorSnapshot]] = defaultdict(list)
        self._has: dict[TensorSnapshot, bool] = {}
        for item in snapshots:
            self._by_shape[item.data.shape].append(item)

    def has(self, value: TensorSnapshot) -> bool:
        if value not in self._has:
            self._has[value] = any(True for _ in self._equal_to(value))
        return self._has[value]

    def lack_results(self, operator: OperatorCall) -> bool:
        """Return whether the operator raised, or this side lacks one of its results.

        A tensor that is equal within the tolerance, but that this side has only after a later child call, counts as a coincidence, unless
        an operator of the same name returned it.
        """
        return operator.raised or not all(
            any(
                item.segment <= operator.segment or (item.operator is not None and item.operator.name == operator.name)
                for item in self._equal_to(output)
            )
            for output in operator.outputs
        )

    def _equal_to(self, value: TensorSnapshot) -> Iterator[TensorSnapshot]:
        return (item for item in self._by_shape[value.data.shape] if is_near(value.data, item.data, self._near))


def _pair(a: OperatorCall, b: OperatorCall, left: OperatorRecorder, right: OperatorRecorder) -> Divergence:
    """Return the divergence of two operators, or of another pair that explains it.

    Includes the operators that only one side calls before an operator that both call.
    """
    if a.name == b.name:
        return Divergence(a, b)
    if (chain := _chain_to(a, b.name, left)) is not None:
        *missing, consumer = chain
        # If C# calls an operator with the name of ``a`` on an input of ``a``, nothing is missing: the results differ.
        if (same := next((operator for operator in right.operators if _is_similar(a, operator)), None)) is not None:
            return Divergence(a, same)
        other = _replacement_of(missing[-1], consumer, b)
        if other is not None:
            return Divergence(missing[-1], other)
        return Divergence(a, b, missing=tuple(missing), before=b.name)
    if (chain := _chain_to(b, a.name, right)) is not None:
        *extra, consumer = chain
        other = _replacement_of(extra[-1], consumer, a)
        if other is not None:
            return Divergence(other, extra[-1])
        return Divergence(a, b, extra=tuple(extra), before=a.name, consumer=consumer)
    return Divergence(a, b)


def _chain_to(operator: OperatorCall, name: str, recorder: OperatorRecorder) -> tuple[OperatorCall, ...] | None:
    """Return the operators from ``operator`` to the first consumer with the name ``name``.

    Looks at all consumers of an operator, then at those of its first consumer, in at most :data:`_REACH` steps. Returns None if no
    consumer has this name.
    """
    chain = [operator]
    for _ in range(_REACH):
        consumers = list(recorder.consumers_of(chain[-1]))
        if (last := next((consumer for consumer in consumers if consumer.name == name), None)) is not None:
            return (*chain, last)
        if not consumers:
            return None
        chain.append(consumers[0])
    return None


def _replacement_of(operator: OperatorCall, consumer: OperatorCall, counterpart: OperatorCall) -> OperatorCall | None:
    """Return the operator of the other side that takes the place of ``operator``; None if there is none.

    The returned operator has the name of ``operator``. Its result is the input of ``counterpart`` at the position at which ``consumer`` has
    the result of ``operator``.
    """
    for mine, theirs in zip(consumer.inputs, counterpart.inputs, strict=False):
        if mine.operator is not operator or theirs.operator is None or theirs.operator.name != operator.name:
            continue
        # If ``operator`` itself takes the result of ``theirs.operator``, ``operator`` is extra, not replaced.
        if not any(is_near(item.data, theirs.data) for item in operator.inputs):
            return theirs.operator
    return None


def find_near(value: TensorSnapshot, recorder: OperatorRecorder) -> TensorSnapshot | None:
    """Return the first recorded tensor that is near ``value``, a tensor of the other side; None if there is none."""
    return next((item for item in recorder.snapshots if is_near(item.data, value.data)), None)
