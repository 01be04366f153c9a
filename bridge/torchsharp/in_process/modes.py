"""The modes of PyTorch, and the kinds of tensors, with which TorchSharp must not run in this process.

In these cases, PyTorch's operators run Python code. If that code raises, PyTorch throws the C++ exception ``python_error``, which
TorchSharp's native functions do not catch, so the process would end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

_HOW = "TorchSharp in this process cannot run"
#: Dispatch keys for which PyTorch itself registers no Python code, unlike those of CUDA and vmap.
_KEYS = ("CPU", "AutogradCPU", "Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
_KINDS = (torch.Tensor, torch.nn.Parameter)
_WHY = (
    "an exception in Python code below an operator would end this process. "
    'Pass runtime="torchsharp" to bridge.load, or leave out runtime'
)

#: The number of kernels that ``torch.library`` had when they were last checked.
_checked = 0


def refuse_modes(args: tuple[Any, ...]) -> None:
    """Raise RuntimeError if TorchSharp's operators would run Python code, because of a mode, a replaced kernel or a tensor in ``args``."""
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
    if len(torch.library._impls) != _checked:
        _refuse_kernels()
    refuse_subclasses(args)


def refuse_subclasses(values: Iterable[Any]) -> None:
    """Raise RuntimeError if a tensor's operators are Python code. Tensors in tuples, lists and dictionaries are checked too."""
    for value in values:
        _refuse_tensor(value)


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
    if issubclass(type(value), torch.Tensor):  # not isinstance: an object that only claims the class has no dispatch keys
        if torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python):
            raise RuntimeError(f"{_HOW} on a {type(value).__name__}, whose operators are Python code: {_WHY}")
    elif isinstance(value, (tuple, list)):
        refuse_subclasses(value)
    elif isinstance(value, dict):
        refuse_subclasses(value.values())
