"""The search for operators that cut the gradient in C#. As a proof, PyTorch's ``forward`` with the same cut must give C#'s gradients."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import torch
from torch.overrides import TorchFunctionMode

from bridge.compare.errors import NotCopiedError
from bridge.compare.isolate.copies import map_tensors
from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.operators import OperatorCall, OperatorRecorder
from bridge.compare.isolate.replay import Gradients
from bridge.compare.isolate.value_comparison import is_near

#: With at most this many uses of a detached tensor, each subset of the uses is tried; with more, each single use and all uses.
_SUBSETS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class GradientCut:
    """C#'s operators through which no gradient flows.

    ``name`` is ``detach`` or ``no_grad``. ``values`` are the operators' results.
    """

    name: str
    source: str
    values: tuple[torch.Tensor, ...]


def find_cuts(left: OperatorRecorder, right: OperatorRecorder) -> list[GradientCut]:
    """Return the cuts in C# (``right``) that PyTorch (``left``) does not have.

    Each ``detach`` is a cut. If one line calls ``detach`` several times (in a loop), these calls together are a further cut. All
    operators under ``no_grad`` together are one cut. Only operators without a counterpart in PyTorch count. But if each ``detach`` (or each
    operator under ``no_grad``) has a counterpart, and C# has more of them than PyTorch, all operators of this kind in C# count.
    """
    found = []
    for name in ("detach", "no_grad"):
        mine, theirs = ([operator for operator in side.operators if _is_cut(operator, name)] for side in (left, right))
        extra = [operator for operator in theirs if not any(_is_same(operator, other) for other in mine)]
        if not extra and len(theirs) > len(mine):
            extra = theirs
        groups = [extra] if extra else []
        if name == "detach":
            by_line: dict[str, list[OperatorCall]] = {}
            for operator in extra:
                by_line.setdefault(operator.location.source, []).append(operator)
            groups = [*([operator] for operator in extra), *(line for line in by_line.values() if len(line) > 1)]
        found += [_make_cut(name, group) for group in groups]
    return found


def _make_cut(name: str, operators: Sequence[OperatorCall]) -> GradientCut:
    values = tuple(output.data for operator in operators for output in operator.outputs)
    return GradientCut(name, operators[0].location.source, values)


def _is_cut(operator: OperatorCall, name: str) -> bool:
    return operator.name == name if name == "detach" else not operator.grad_enabled


def _is_same(a: OperatorCall, b: OperatorCall) -> bool:
    pairs = list(zip(a.inputs, b.inputs, strict=False))
    return a.name == b.name and bool(pairs) and all(is_near(mine.data, theirs.data) for mine, theirs in pairs)


class CutRun(TorchFunctionMode, Listener):
    """A run of PyTorch's ``forward`` in which a cut stops gradients.

    A tensor belongs to the cut if it is near a value in ``cut.values``. For ``no_grad``, such a tensor is detached if it is the result of
    an operator. For ``detach``, it is detached where it is used: as an argument of an operator, as an argument of a child module, or as
    the result of ``forward``. ``uses`` counts these uses. ``chosen`` has the indices of the uses to detach; None means every use.
    """

    def __init__(self, cut: GradientCut, chosen: Collection[int] | None = None) -> None:
        super().__init__()
        self.uses = 0
        self._cut = cut
        self._chosen = chosen

    def carries_gradient(self, tensor: torch.Tensor) -> bool:
        """Return False if the cut stops the gradient of ``tensor`` here, else True. For ``detach``, count a use of a tensor of the cut.

        ``tensor`` is an argument of a child module or the result of ``forward``.
        """
        return self._cut.name != "detach" or not self._is_cut_use(tensor)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") == "__get__":
            return func(*args, **kwargs)
        if self._cut.name == "detach":
            return func(*_map_if_possible(list(args), self._without_use), **_map_if_possible(kwargs, self._without_use))
        return _map_if_possible(func(*args, **kwargs), self._without_graph)

    def _without_use(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if self._is_cut_use(tensor) else tensor

    def _without_graph(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if tensor.requires_grad and self._is_in_cut(tensor) else tensor

    def _is_cut_use(self, tensor: torch.Tensor) -> bool:
        if not tensor.requires_grad or not self._is_in_cut(tensor):
            return False
        self.uses += 1
        return self._chosen is None or self.uses - 1 in self._chosen

    def _is_in_cut(self, tensor: torch.Tensor) -> bool:
        with torch._C.DisableTorchFunction():
            return any(is_near(tensor.detach(), value) for value in self._cut.values)


def _map_if_possible(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    try:
        return map_tensors(value, change)
    except NotCopiedError:
        return value


def find_proven_cut(
    cuts: Collection[GradientCut], wanted: Gradients, run: Callable[[CutRun], Gradients]
) -> GradientCut | None:
    """Return the first cut with which ``run``, a run of PyTorch's ``forward``, gives C#'s gradients, ``wanted``; None if there is none.

    For ``detach``, it suffices to cut some of the uses.
    """
    for cut in cuts:
        whole = CutRun(cut)
        if have_equal_gradients(run(whole), wanted):
            return cut
        if cut.name == "detach":
            sizes = range(1, whole.uses if whole.uses <= _SUBSETS else min(2, whole.uses))
            for chosen in (uses for size in sizes for uses in combinations(range(whole.uses), size)):
                if have_equal_gradients(run(CutRun(cut, chosen)), wanted):
                    return cut
    return None


def have_equal_gradients(left: Gradients, right: Gradients) -> bool:
    """Return whether gradients of the same name are near (:func:`.value_comparison.is_near`); False if ``left`` is empty."""
    return bool(left) and all(_is_equal(value, right[name]) for name, value in left.items() if name in right)


def _is_equal(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    return a is b if a is None or b is None else is_near(a, b)
