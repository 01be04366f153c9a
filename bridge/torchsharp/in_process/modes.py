"""The modes, replaced kernels and kinds of tensors with which TorchSharp must not run in this process.

In most of these cases, PyTorch's operators run Python code. If that code raises, PyTorch throws the C++ exception ``python_error``, which
TorchSharp's native functions do not catch, so the process would end. In the other cases, Python code should run and would not.
:func:`defaults` returns PyTorch's default dtype and device, which TorchSharp is to use, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import torch
from torch.utils._device import DeviceContext

from bridge.clr.call import boundary

_HOW = "TorchSharp in this process cannot run"
#: Dispatch keys for which PyTorch itself registers no Python kernels of aten operators, so that such a kernel is a user's.
_KEYS = ("CPU", "AutogradCPU", "Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
_KINDS = (torch.Tensor, torch.nn.Parameter)
_WHY = (
    "an exception in Python code below an operator would end this process. "
    'Pass runtime="torchsharp" to bridge.load, or leave out runtime'
)
_UNSEEN = "TorchSharp's operators would not call it. Leave out runtime in bridge.load"
#: libtorch's number of each dtype.
_DTYPES: Final = {
    getattr(torch, name): code
    for code, name in boundary.dtypes().items()
    if isinstance(getattr(torch, name, None), torch.dtype)
}
#: Values of ``__torch_function__`` that change at most the class of results.
_PLAIN: Final = (torch._C._disabled_torch_function_impl, vars(torch.Tensor)["__torch_function__"].__func__)

#: The number of kernels that ``torch.library`` had when they were last checked. If one is removed and another is added between two calls,
#: the new kernel is not checked. Comparing the names of all kernels would detect it, but take 10 µs at each call.
_checked = 0


def refuse_modes(args: tuple[Any, ...]) -> None:
    """Raise RuntimeError if a mode, a replaced kernel or a tensor in ``args`` is one with which TorchSharp must not run."""
    if torch._C._len_torch_dispatch_stack():
        mode = type(torch._C._get_dispatch_stack_at(torch._C._len_torch_dispatch_stack() - 1)).__name__
        raise RuntimeError(f"{_HOW} under the dispatch mode {mode}: {_WHY}")
    # Checked under no_grad too, since C# may enable gradients.
    if torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
        raise RuntimeError(
            f"{_HOW} under saved_tensors_hooks, which torch.utils.checkpoint(use_reentrant=False) uses too: {_WHY}"
        )
    if torch._C._functorch.peek_interpreter_stack() is not None:
        raise RuntimeError(f"{_HOW} under a transform of torch.func such as vmap or grad: {_WHY}")
    if torch._C._get_tracing_state() is not None:
        raise RuntimeError(f"{_HOW} under torch.jit.trace: {_WHY}")
    for mode in _function_modes():
        if not isinstance(mode, DeviceContext):
            raise RuntimeError(f"{_HOW} under the function mode {type(mode).__name__}: {_UNSEEN}")
    if len(torch.library._impls) != _checked:
        _refuse_kernels()
    refuse_subclasses(args)


def refuse_subclasses(values: Iterable[Any]) -> None:
    """Raise RuntimeError for a tensor whose operators are Python code, or whose class overrides ``__torch_function__``.

    An override that only disables ``__torch_function__`` is allowed. Tensors in tuples, lists and dictionaries are checked too.
    """
    for value in values:
        _refuse_tensor(value)


def defaults() -> tuple[int, str | None]:
    """Return libtorch's number of the default dtype, and the default device (None for the CPU). Raises RuntimeError for the device meta."""
    dtype = _DTYPES[torch.get_default_dtype()]
    for mode in reversed(_function_modes()):
        if isinstance(mode, DeviceContext):
            if mode.device.type == "meta":
                raise RuntimeError(f"{_HOW} with the default device meta, whose operators are Python code: {_WHY}")
            return dtype, None if mode.device.type == "cpu" else str(mode.device)
    return dtype, None


def _function_modes() -> list[Any]:
    """Return the active function modes, the outermost first."""
    return [torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())]


def _refuse_kernels() -> None:
    """Raise RuntimeError if ``torch.library`` has put Python code in place of a kernel that TorchSharp may use."""
    global _checked
    for name in torch.library._impls:
        library, operator, *_, key = name.split("/")
        if library == "aten" and key in _KEYS:
            raise RuntimeError(f"{_HOW} while torch.library replaces the {key} kernel of {operator}: {_WHY}")
    _checked = len(torch.library._impls)


def _refuse_tensor(value: Any) -> None:
    if type(value) in _KINDS:
        return
    # Not isinstance: an object whose ``__class__`` only claims to be Tensor has no dispatch keys.
    if issubclass(type(value), torch.Tensor):
        if torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python):
            raise RuntimeError(f"{_HOW} on a {type(value).__name__}, whose operators are Python code: {_WHY}")
        function = type(value).__torch_function__
        if getattr(function, "__func__", function) not in _PLAIN:
            raise RuntimeError(
                f"{_HOW} on a {type(value).__name__}, which has a __torch_function__: {_UNSEEN}, or pass value.as_subclass(torch.Tensor)"
            )
    elif isinstance(value, (tuple, list)):
        refuse_subclasses(value)
    elif isinstance(value, dict):
        refuse_subclasses(value.values())
