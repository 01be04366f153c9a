"""The search for operators that cause a difference, with a proof by replays.

A replay runs only the ``forward`` of one C# module, on recorded arguments. At a divergence (:class:`.divergence.Divergence`), PyTorch's and
C#'s operators differ. A replay removes a divergence by replacing values. The divergence is the cause if the module's difference then
disappears and no other difference appears.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.errors import CounterfactualError
from bridge.compare.isolate.causes.interventions import Intervention, find_interventions, join
from bridge.compare.isolate.copies import duplicate, map_tensors
from bridge.compare.isolate.divergence import Divergence, find_different_operators
from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorRecorder, aten_name
from bridge.compare.isolate.pairs import RAISED, CallPair
from bridge.compare.isolate.value_comparison import NEAR

#: The largest number of divergences that are removed together.
_TOGETHER: Final = 8


def find_operator_cause(
    pair: CallPair, finding: ModuleFinding, divergences: Sequence[Sequence[Divergence]]
) -> Divergence | None:
    """Return the first divergence whose removal makes the finding's difference disappear and adds no other difference.

    ``divergences`` has the lists of :func:`.divergence.find_divergences`. The lists are tried in order. If removing one divergence of a
    list does not suffice, all are removed together. If that suffices, return the first divergence whose removal is needed. Return None if
    there is no such divergence, if settings are proven to cause the difference, or if the finding's kind is not ``input``, ``result`` or
    ``raised``.
    """
    if finding.settings or finding.kind not in ("input", "result", "raised"):
        return None
    left, right = pair.recordings.left, pair.recordings.right
    wanted = {"input": finding.number, "result": None}.get(finding.kind, RAISED)
    near = NEAR
    before = pair.find_differences(pair.outcome, near)
    if wanted not in before:  # the difference is smaller than NEAR
        near = 0.0
        before = pair.find_differences(pair.outcome, near)

    def removes(intervention: Intervention) -> bool:
        run = CounterfactualRun(intervention, right)
        outcome = pair.replay_dotnet(listener=run)
        return not run.failed and pair.find_differences(outcome, near, intervention.adjust) <= before - {wanted}

    for group in divergences:
        candidates = list(_candidates(pair, finding, group))
        for candidate in candidates:
            for intervention in find_interventions(
                candidate, group, left, right, lambda: find_different_operators(right, left)
            ):
                if removes(intervention):
                    return intervention.divergence or candidate
        if (needed := _first_needed(candidates, group, removes)) is not None:
            return needed
    return None


def _first_needed(
    candidates: Sequence[Divergence], divergences: Sequence[Divergence], removes: Callable[[Intervention], bool]
) -> Divergence | None:
    """Return the first candidate that cannot be left out of the joint removal of ``divergences``.

    Return None if no such candidate exists, and if the joint removal of all divergences fails or is not tried. The joint removal is not
    tried for a single divergence, for more than ``_TOGETHER`` divergences, and for divergences that cannot be joined.
    """
    if not 1 < len(divergences) <= _TOGETHER or (joint := join(divergences)) is None or not removes(joint):
        return None
    for candidate in divergences:
        if candidate in candidates:
            rest = join([divergence for divergence in divergences if divergence is not candidate])
            if rest is not None and not removes(rest):
                return candidate
    return None


def _candidates(pair: CallPair, finding: ModuleFinding, divergences: Sequence[Divergence]) -> Iterator[Divergence]:
    """Yield the divergences on which the differing value depends, or all divergences if C# raised.

    Each is preceded by its :meth:`~Divergence.input_divergences` and followed by its :meth:`~Divergence.alternatives`.
    """
    number = finding.number if finding.kind == "input" else None
    for divergence in divergences:
        for operator, recorder in ((divergence.left, pair.recordings.left), (divergence.right, pair.recordings.right)):
            sink = recorder.sink_of(number)
            if operator is not None and (finding.kind == "raised" or (sink is not None and sink.depends_on(operator))):
                yield from divergence.input_divergences()
                yield divergence
                yield from divergence.alternatives()
                break


class CounterfactualRun(TorchDispatchMode, Listener):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """A replay of C#'s ``forward`` with an intervention, which replaces values. ``failed`` tells whether a result could not be replaced."""

    def __init__(self, intervention: Intervention, recorder: OperatorRecorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch's is untyped
        self.failed = False
        self._intervention = intervention
        # The n-th operator of a name in the replay is matched to the n-th recorded operator of this name. Their indices may differ,
        # since more operators may have run in the recorded run.
        counts: Counter[str] = Counter()
        self._indices: dict[tuple[str, int], int] = {}
        for operator in recorder.operators:
            self._indices[operator.aten, counts[operator.aten]] = operator.index
            counts[operator.aten] += 1
        self._seen: Counter[str] = Counter()
        self._unused = set(intervention.results)

    def module_returned(self, result: Any) -> None:
        """Set ``failed`` if a replacement result was not used."""
        self.failed |= bool(self._unused)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        aten = aten_name(func)
        index = self._indices.get((aten, self._seen[aten]), -1)
        self._seen[aten] += 1
        if index in self._intervention.results:
            self._unused.discard(index)
            return self._replace_result(func, args, kwargs, self._intervention.results[index])
        if index in self._intervention.consumers:
            swapped = self._intervention.swapped
            args, kwargs = map_tensors(list(args), swapped), map_tensors(kwargs, swapped)
        return func(*args, **kwargs)

    def _replace_result(self, func: Any, args: Any, kwargs: Any, values: tuple[torch.Tensor, ...]) -> Any:
        """Return the replacement values in the structure that the operator returns: a tensor, a list, or a tuple.

        For an operator that writes its results into arguments (in place, or ``out=``), copies the values into these. Sets ``failed`` and
        raises CounterfactualError if the values do not fit.
        """
        copies = tuple(map(duplicate, values))
        returns = func._schema.returns
        kind = f"{returns[0].type}" if len(returns) == 1 else ""
        if targets := _written_arguments(func, args, kwargs):
            if (len(targets) <= len(copies) or len(copies) == 1) and all(map(_make_room, targets, copies)):
                for target, copy in zip(targets, copies, strict=False):
                    target.copy_(copy)
                return targets[0] if len(returns) == 1 else tuple(targets)
        elif kind == "Tensor" and copies:
            return copies[0]
        elif kind == "List[Tensor]":
            return list(copies)
        elif len(returns) == len(copies) > 1 or len(returns) > len(copies) == 1:
            # An operator may return several results, such as values and indices. A result without a replacement becomes empty.
            return (*copies, *(torch.empty(0) for _ in returns[len(copies) :]))
        self.failed = True
        raise CounterfactualError("The replacement does not fit the results of the operator.")


def _written_arguments(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the arguments into which an operator writes its results, in the order of the results; empty if it returns new tensors."""
    schema = func._schema
    names = {
        frozenset(each.alias_info.before_set): each.name for each in schema.arguments if each.alias_info is not None
    }
    given = dict(zip((argument.name for argument in schema.arguments), args, strict=False)) | kwargs
    written = [each.alias_info for each in schema.returns if each.alias_info is not None and each.alias_info.is_write]
    return [given[names[frozenset(alias.before_set)]] for alias in written]


def _make_room(target: torch.Tensor, value: torch.Tensor) -> bool:
    """Return whether ``value`` can be copied into ``target``; resize ``target`` if it is empty, as operators do with ``out=``."""
    if target.dtype == value.dtype and not target.numel():
        target.resize_(value.shape)
    return target.dtype == value.dtype and target.shape == value.shape
