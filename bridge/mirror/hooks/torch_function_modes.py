"""Calls that a tensor subclass, a function mode, a dispatch mode or a trace observes.

During such a call .NET calls every module through Python and every operator through PyTorch's public function, so that the observer gets
the same calls as from a Python model. Other calls pay nothing.
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
_count_dispatch_modes = _native._len_torch_dispatch_stack
# A tool that wraps PyTorch's functions (torchlens) replaces it.
_ADD = _native.TensorBase.add
#: The namespace of ``torch.Tensor``, which has ``add`` only after a tool replaced or restored that method: the class inherits ``add``.
TENSOR_NAMESPACE = vars(torch.Tensor)


def are_active(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a call must run through Python: an argument overrides functions, a mode is on, or functions were replaced."""
    if torch.Tensor.add is not _ADD:
        return True
    # torch.fx's symbolic trace passes one object as the arguments.
    if type(args) is not tuple:
        return False
    if not (
        _count_dispatch_modes() or has_torch_function(args) or (kwargs and has_torch_function((*kwargs.values(),)))
    ):
        return False
    if _count_dispatch_modes() or any(_overrides(value) for value in (*args, *kwargs.values())):
        return True
    # A device context is a mode too, but affects factory functions only.
    count = _native._len_torch_function_stack()
    return any(not isinstance(_native._get_function_stack_at(at), DeviceContext) for at in range(count))


def _overrides(value: Any) -> bool:
    kind = type(value)
    return (
        issubclass(kind, torch.Tensor)  # isinstance is also true for a Mock
        and kind is not torch.Tensor
        and kind.__torch_function__ is not _native._disabled_torch_function_impl
    )


def hook_context(runtime: DotNetRuntime, values: tuple[Any, ...]) -> AbstractContextManager[None] | None:
    """Return the context in which a C# hook with these values must run to be observed; None if nothing observes it."""
    if _native._get_tracing_state() is not None:
        return record_trace(runtime)
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return dispatch_through_python(runtime) if are_active(tuple(flat), {}) else None


@contextmanager
def record_trace(runtime: DotNetRuntime) -> Iterator[None]:
    """Run the block's calls of C# for ``torch.jit.trace``.

    Sizes that C# reads become constants; a TracerWarning says so.
    """
    runtime.exports.trace_reads(1)
    methods = ""
    try:
        with dispatch_through_python(runtime):
            yield
    finally:
        methods = runtime.exports.trace_reads(0)
    conversion.warn_about_constants(methods)


@contextmanager
def dispatch_through_python(runtime: DotNetRuntime) -> Iterator[None]:
    """Have .NET call modules through Python, and operators through PyTorch's public functions, for this thread's calls in the block."""
    functions = "" if scalar_operators.has_functions() else "\n".join(scalar_operators.define_functions())
    runtime.exports.follow_operators(1, functions)
    try:
        yield
    finally:
        runtime.exports.follow_operators(0, "")
