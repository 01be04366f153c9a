"""Autograd functions written in C#: PyTorch's own ``torch.autograd.Function`` runs them, so its rules hold."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch

from bridge.clr import DotNetRuntime, started

#: PyTorch's contexts by the number of the call in .NET, as long as their graph lives.
_contexts: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class DotNetFunction(torch.autograd.Function):
    """The base class of C#'s autograd functions; the first argument of a call is its number in .NET."""

    @staticmethod
    def forward(ctx: Any, number: int, *_: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run C#'s forward, which .NET has given the arguments already, and copy C#'s context into PyTorch's."""
        runtime = _runtime()
        weakref.finalize(ctx, _forget, runtime, number).atexit = False
        ctx.number = number
        outputs, saved, dirty, constant, materialize = runtime.exports.function_forward(number)
        if saved:
            ctx.save_for_backward(*saved)
            _contexts[number] = ctx
        if dirty:
            ctx.mark_dirty(*dirty)
        if constant:
            ctx.mark_non_differentiable(*constant)
        ctx.set_materialize_grads(materialize)
        return outputs  # type: ignore[no-any-return]  # .NET's result has no type

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run C#'s backward; the call's number gets no gradient."""
        return (None, *_runtime().exports.function_backward(ctx.number, *gradients))


def apply(number: int, name: str, *inputs: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
    """Call a C# function of that name. Called by .NET.

    Raises RuntimeError under a transform of ``torch.func``: these need a forward without a context, and C#'s has one.
    """
    if torch._C._are_functorch_transforms_active():
        raise RuntimeError(
            f"the C# autograd function '{name}' cannot run under a transform of torch.func (vmap, grad, jvp, jacrev …), "
            "which needs a forward that is separate from setup_context; use torch.autograd.grad, "
            "or torch.autograd.functional without vectorize=True"
        )
    return _function_class(name).apply(number, *inputs)  # type: ignore[no-any-return, no-untyped-call]  # torch's is untyped


def saved_tensors(number: int) -> tuple[torch.Tensor | None, ...]:
    """Return the tensors that a call saved, unpacked now. Called by .NET.

    Raises RuntimeError when backward has freed them, or one was changed in place.
    """
    context = _contexts.get(number)
    return () if context is None else context.saved_tensors


@functools.lru_cache(maxsize=256)
def _function_class(name: str) -> type[torch.autograd.Function]:
    """Return a class of that name, which the nodes of the graph are named after."""
    return type(name, (DotNetFunction,), {"__module__": __name__})


def _runtime() -> DotNetRuntime:
    runtime = started()
    assert runtime is not None  # it is the caller
    return runtime


def _forget(runtime: DotNetRuntime, number: int) -> None:
    # Looked up now: in a forked child this function does nothing.
    runtime.exports.forget_function(number)
