"""Writes in place as causes: PyTorch's ``forward`` runs again with C#'s write, and must then give C#'s values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorCall, OperatorRecorder, aten_name, user_name
from bridge.compare.isolate.pairs import CallPair
from bridge.compare.isolate.value_comparison import is_near


def find_inplace_cause(pair: CallPair, finding: ModuleFinding) -> OperatorCall | None:
    """Return the C# operator whose write in place is proven to cause the difference ``finding``; None if there is none.

    The result is also None if a setting causes the difference, or if neither a child's arguments nor the module's result differ.
    """
    if finding.settings or finding.kind not in ("input", "result"):
        return None
    number = finding.number if finding.kind == "input" else None
    sink = pair.recordings.right.sink_of(number)
    for operator in find_extra_writes(pair.recordings.left, pair.recordings.right):
        if sink is None or not sink.depends_on(operator):
            continue
        run = InPlaceRun(operator)
        outcome = pair.replay_python(listener=run)
        applied = run.was_applied and outcome.raised is None
        if applied and number not in pair.find_differences(pair.outcome, python=outcome):
            return operator
    return None


def find_extra_writes(left: OperatorRecorder, right: OperatorRecorder) -> Iterator[OperatorCall]:
    """Yield C#'s operators (``right``) that write in place and have no counterpart of the same name in PyTorch (``left``)."""
    names = [operator.name for operator in left.operators if operator.is_in_place]
    for operator in right.operators:
        if operator.is_in_place:
            if operator.name in names:
                names.remove(operator.name)
            else:
                yield operator


class InPlaceRun(TorchDispatchMode, Listener):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """A run of PyTorch's ``forward`` that repeats a C# operator's write in place.

    PyTorch's operator of the same name with the same first tensor writes its result into this tensor, if shape and dtype are equal.
    ``was_applied`` tells whether this happened at least once.
    """

    def __init__(self, operator: OperatorCall) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch's is untyped
        self.was_applied = False
        self._name = operator.name
        self._argument = operator.inputs[0].data if operator.inputs else None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if user_name(aten_name(func)) == self._name and self._argument is not None:
            target = next((value for value in args if isinstance(value, torch.Tensor)), None)
            if target is None or not isinstance(result, torch.Tensor) or not is_near(target, self._argument):
                return result
            if (target.shape, target.dtype) == (result.shape, result.dtype):
                self.was_applied = True
                return target.copy_(result)
        return result
