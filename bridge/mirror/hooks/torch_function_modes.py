"""Calls that something in Python follows function by function: a tensor subclass, a mode, a trace.

In them .NET calls every module through Python and every operator through PyTorch's public function, so the follower sees what it sees
of a Python model. Other calls pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch.overrides import has_torch_function
from torch.utils._device import DeviceContext

from bridge.clr import DotNetRuntime
from bridge.clr.start import scalar_operators
from bridge.mirror.crossing import conversion

_native: Any = torch._C
# How many dispatch modes are on.
_dispatch_modes = _native._len_torch_dispatch_stack
# One of those that a tool replaces which wraps PyTorch's functions (torchlens).
_ADD = _native.TensorBase.add
#: What ``torch.Tensor`` has itself; in it is ``add`` only when it was replaced, or put back.
TENSOR = vars(torch.Tensor)


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


def sees(host: DotNetRuntime, values: tuple[Any, ...]) -> AbstractContextManager[None] | None:
    """What is around a C# hook with these values that is to see what it does; None, at a fraction of the cost, if there is nothing."""
    if _native._get_tracing_state() is not None:
        return traced(host)
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return followed(host) if needed(tuple(flat), {}) else None


@contextmanager
def traced(host: DotNetRuntime) -> Iterator[None]:
    """``torch.jit.trace`` records what this thread calls meanwhile: sizes that C# reads become constants, and a TracerWarning says so."""
    host.exports.traced(1)
    methods = ""
    try:
        with followed(host):
            yield
    finally:
        methods = host.exports.traced(0)
    conversion.warn_of_constants(methods)


@contextmanager
def followed(host: DotNetRuntime) -> Iterator[None]:
    """What this thread calls meanwhile is followed."""
    functions = "" if scalar_operators.has_functions() else "\n".join(scalar_operators.define_functions())
    host.exports.follow(1, functions)
    try:
        yield
    finally:
        host.exports.follow(0, "")
