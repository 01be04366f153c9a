"""Events of a trace and their values.

The values of an event are the arguments before the module's own pre hooks have run, or the result before its own forward hooks have run.
The last global hook gets these values (O-1).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

import numpy as np

#: The phases of an event. ``pre`` has the arguments of a call, ``forward`` the result. ``bypass`` has the result of a direct call of
#: ``forward()``, which runs no hooks (C-3).
PHASES: Final = ("pre", "forward", "bypass")
SCOPES: Final = ("global", "module")


@dataclass(frozen=True, slots=True)
class Value:
    """A leaf of the arguments or the result of a call.

    ``kind`` is ``tensor``, ``none``, ``int``, ``float``, ``bool``, ``str`` or ``object``. A tensor has ``shape`` (sizes), ``dtype``
    (``float32``) and ``device`` (``cpu``, ``cuda:0``), and, if recorded, ``digest`` and ``data``. ``data`` has the elements in the tensor's
    shape. Dtypes that NumPy lacks, such as bfloat16, become float32 or another NumPy dtype. ``literal`` is a number or string.
    """

    kind: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    digest: str | None = None
    literal: int | float | bool | str | None = None
    data: np.ndarray | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.kind != "tensor":
            return self.kind if self.literal is None else f"{self.literal!r}"
        shape = "x".join(map(str, self.shape or ())) or "scalar"
        return f"{self.dtype}[{shape}]" + ("" if self.device == "cpu" else f"@{self.device}")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a trace.

    ``seq`` is the number of the event, ``call`` the number of the module call, both counted from 0. ``parent`` is the enclosing call, -1
    for a root call. ``hook`` is the position of the hook within the phase, and ``scope`` whether the hook is global (``global``) or the
    module's own (``module``). ``values`` are the flattened arguments (``pre``) or results (``forward``, ``bypass``).
    """

    seq: int
    path: str
    type: str
    phase: str
    call: int
    parent: int
    hook: int = 0
    scope: str = "global"
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        name = self.path or "(root)"
        return f"{self.phase:<7} {name} {self.type}({', '.join(map(str, self.values))})"


def digest(data: np.ndarray) -> str:
    """Return the 128-bit BLAKE2b digest of an array's dtype, shape and elements in C order, as hexadecimal digits."""
    state = hashlib.blake2b(f"{data.dtype.str}{data.shape}".encode(), digest_size=16)
    state.update(np.ascontiguousarray(data).view(np.uint8).reshape(-1).data if data.size else b"")
    return state.hexdigest()
