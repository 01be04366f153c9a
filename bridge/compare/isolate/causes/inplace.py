"""Whether a write in place is the cause: PyTorch's forward runs again, in which that operator writes what it takes, as C#'s does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.isolate.divergence import is_near
from bridge.compare.isolate.listener import OnlyOperators
from bridge.compare.isolate.operators import Operator, Recorded, named

#: Values as near as this, relative to the largest number, are the same written otherwise.
_NEAR: Final = 1e-4


def is_in_place(operator: Operator) -> bool:
    """It writes what it takes."""
    return operator.aten.endswith("_") and not operator.aten.startswith("_")


def written_only_by(other: Recorded, one: Recorded) -> Iterator[Operator]:
    """The operators that write in place on the second side where the first has no such."""
    known = [operator.name for operator in other.operators if is_in_place(operator)]
    for operator in one.operators:
        if is_in_place(operator):
            if operator.name not in known:
                yield operator
            else:
                known.remove(operator.name)


class Overwriting(OnlyOperators, TorchDispatchMode):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """A run of PyTorch's forward with that; a listener of :func:`bridge.compare.isolate.replay.run_alone`.

    ``done`` says that PyTorch calls the operator on the same, and that it has written there what it gives.
    """

    def __init__(self, operator: Operator) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the same
        self.done = False
        self._name = operator.name
        self._taken = operator.inputs[0].data if operator.inputs else None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if named(func._schema.name.partition("::")[2]) == self._name and self._taken is not None:
            target = next((one for one in args if isinstance(one, torch.Tensor)), None)
            if target is None or not isinstance(result, torch.Tensor) or not is_near(target, self._taken, _NEAR):
                return result
            if (target.shape, target.dtype) == (result.shape, result.dtype):
                self.done = True
                return target.copy_(result)
        return result
