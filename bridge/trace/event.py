"""Events of a trace and their values.

The values of a ``pre`` event are the arguments before the module's own pre hooks run. The values of a ``forward`` event are the result
before the module's own forward hooks run. Global hooks that were registered before the recording have run by then (clause O-1 in
docs/contract.md).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

import numpy as np

#: The phases of events:
#:
#: - ``pre``: a module is called. The values are the arguments.
#: - ``forward``: the call returns. The values are the result.
#: - ``bypass``: a direct call of ``forward()``, which runs none of the module's hooks, returns (clause C-3). The values are the result.
PHASES: Final = ("pre", "forward", "bypass")
SCOPES: Final = ("global", "module")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in the arguments or the result of a call, but not a container. Fields that do not apply or were not recorded are None."""

    #: ``tensor``, ``none``, ``int``, ``float``, ``bool``, ``str`` or ``object``.
    kind: str
    #: The sizes of a tensor.
    shape: tuple[int, ...] | None = None
    #: The dtype of a tensor, such as ``float32``.
    dtype: str | None = None
    #: The device of a tensor, such as ``cpu`` or ``cuda:0``.
    device: str | None = None
    #: The :func:`digest` of a tensor.
    digest: str | None = None
    #: A number, boolean or string.
    literal: int | float | bool | str | None = None
    #: The elements of a tensor. Dtypes that NumPy lacks, such as bfloat16, become float32 or another NumPy dtype.
    data: np.ndarray | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.kind != "tensor":
            return self.kind if self.literal is None else f"{self.literal!r}"
        shape = "x".join(map(str, self.shape or ())) or "scalar"
        return f"{self.dtype}[{shape}]" + ("" if self.device == "cpu" else f"@{self.device}")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a trace."""

    #: The number of the event, counted from 0.
    seq: int
    path: str
    type: str
    #: One of :data:`PHASES`.
    phase: str
    #: The number of the module call, counted from 0. In our recordings, a ``bypass`` event has -1; other traces can give it a number.
    call: int
    #: The number of the enclosing call; -1 for a root call.
    parent: int
    #: The position of the hook that recorded the event, among the hooks of the same phase and scope.
    hook: int = 0
    #: Whether that hook is global (``global``) or the module's own (``module``).
    scope: str = "global"
    #: The values in the arguments (``pre``) or in the result (``forward``, ``bypass``), without their containers, such as tuples.
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        name = self.path or "(root)"
        return f"{self.phase:<7} {name} {self.type}({', '.join(map(str, self.values))})"


def digest(data: np.ndarray) -> str:
    """Return the 128-bit BLAKE2b digest of an array's dtype, shape and elements in C order, as hexadecimal digits."""
    state = hashlib.blake2b(f"{data.dtype.str}{data.shape}".encode(), digest_size=16)
    state.update(np.ascontiguousarray(data).view(np.uint8).reshape(-1).data if data.size else b"")
    return state.hexdigest()
