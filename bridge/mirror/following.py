"""Calls that something in Python follows function by function: a tensor subclass, a mode, a trace.

In them .NET calls every module through Python and every operator through PyTorch's public function, so the follower sees what it sees
of a Python model. Other calls pay nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from torch.overrides import has_torch_function
from torch.utils._device import DeviceContext

from bridge.clr import Host, scalar_operators

_native: Any = torch._C
# How many dispatch modes are on.
_dispatch_modes = _native._len_torch_dispatch_stack
# What C# calls to see whether this thread's calls are followed, by the name of the import: libtorch's library and function.
_FUNCTIONS: Final = {
    "any_modes": ("libc10.so", "_ZN3c104impl20TorchDispatchModeTLS13any_modes_setEb"),
    "trace_state": ("libtorch_cpu.so", "_ZN5torch3jit6tracer15getTracingStateEv"),
}
# One of those that a tool replaces which wraps PyTorch's functions (torchlens).
_ADD = _native.TensorBase.add
#: What ``torch.Tensor`` has itself; in it is ``add`` only when it was replaced, or put back.
TENSOR = vars(torch.Tensor)


def addresses() -> dict[str, int]:
    """Where libtorch's functions are that say whether calls of a thread are followed: 0 for one that this torch hides, so that C# asks
    Python's functions, which take ten times as long.
    """
    found = {}
    for name, (library, symbol) in _FUNCTIONS.items():
        try:
            function = getattr(ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / library)), symbol)
        except (OSError, AttributeError):
            found[name] = 0
        else:
            found[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
    return found


def needed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A call with these arguments is followed: an argument overrides functions, a mode is on, or functions were replaced."""
    if torch.Tensor.add is not _ADD:
        return True
    # Under torch.fx's symbolic trace the arguments are one object.
    if type(args) is not tuple:
        return False
    if not (_dispatch_modes() or has_torch_function(args) or (kwargs and has_torch_function((*kwargs.values(),)))):
        return False
    if _dispatch_modes() or any(_overrides(value) for value in (*args, *kwargs.values())):
        return True
    # A device context is a mode too, and concerns what makes tensors alone.
    count = _native._len_torch_function_stack()
    return any(not isinstance(_native._get_function_stack_at(at), DeviceContext) for at in range(count))


def _overrides(value: Any) -> bool:
    kind = type(value)
    return (
        issubclass(kind, torch.Tensor)  # isinstance is true of a Mock too
        and kind is not torch.Tensor
        and kind.__torch_function__ is not _native._disabled_torch_function_impl
    )


@contextmanager
def followed(host: Host) -> Iterator[None]:
    """What this thread calls meanwhile is followed."""
    functions = "" if scalar_operators.has_functions() else "\n".join(scalar_operators.define_functions())
    host.exports.follow(1, functions)
    try:
        yield
    finally:
        host.exports.follow(0, "")
