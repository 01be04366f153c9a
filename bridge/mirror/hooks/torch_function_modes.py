"""Calls observed by a tensor subclass, a ``__torch_function__`` or dispatch mode, ``torch.jit.trace`` or a tool that wraps PyTorch.

During such a call .NET calls every module through Python, and every operator through PyTorch's public function, so that the observer sees
the calls that a Python model would make.
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
# PyTorch's own ``add``. A tool that wraps PyTorch's functions, such as torchlens, replaces it.
_ADD = _native.TensorBase.add
#: Passed to ``has_torch_function`` for a call without arguments, since ``has_torch_function(())`` ignores modes.
NO_ARGUMENTS = (None,)
#: The attributes of the class ``torch.Tensor`` itself, without inherited ones. They contain ``add`` only if a tool has set ``add``.
TENSOR_NAMESPACE = vars(torch.Tensor)


def are_active(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a tensor argument overrides ``__torch_function__``, a mode is active, or a tool has replaced ``torch.Tensor.add``.

    ``with torch.device(…)`` does not count as a mode. If ``args`` is not a tuple, only the replacement by a tool counts.
    """
    if torch.Tensor.add is not _ADD:
        return True
    # torch.fx's symbolic trace passes a single object instead of the tuple.
    if type(args) is not tuple:
        return False
    if not (
        _count_dispatch_modes()
        or has_torch_function(args or NO_ARGUMENTS)
        or (kwargs and has_torch_function((*kwargs.values(),)))
    ):
        return False
    if _count_dispatch_modes() or any(_overrides(value) for value in (*args, *kwargs.values())):
        return True
    # ``torch.device`` as a context is a mode too, but affects only factory functions.
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
    """Return the context in which a C# hook with these arguments must run to be observed; None if nothing observes the hook."""
    if _native._get_tracing_state() is not None:
        return record_trace(runtime)
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return dispatch_through_python(runtime) if are_active(tuple(flat), {}) else None


@contextmanager
def record_trace(runtime: DotNetRuntime) -> Iterator[None]:
    """Let ``torch.jit.trace`` record the C# calls of the block. Sizes and elements that C# reads become constants, with a TracerWarning."""
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
    """Make C# on this thread call modules through Python, and operators through PyTorch's public functions, during the block."""
    operators = "" if scalar_operators.has_public() else "\n".join(scalar_operators.define_public())
    runtime.exports.follow_operators(1, operators)
    try:
        yield
    finally:
        runtime.exports.follow_operators(0, "")
