"""Autograd functions written in C#, which PyTorch runs as subclasses of ``torch.autograd.Function``, and C# functions by its checkpoint."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint

from bridge.clr import DotNetRuntime, started

#: PyTorch's ``ctx`` of each call that has saved tensors, by .NET's number of the call. The autograd graph keeps each ``ctx`` alive.
_contexts: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class DotNetFunction(torch.autograd.Function):
    """The base class of the Python classes for C#'s autograd functions. The first argument of ``apply`` is .NET's number of the call."""

    @staticmethod
    def forward(ctx: Any, number: int, *_: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run C#'s forward, and copy C#'s context into PyTorch's. .NET has the arguments already."""
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
        """Run C#'s backward, and return None for the number of the call, then the gradients of the inputs."""
        return (None, *_runtime().exports.function_backward(ctx.number, *gradients))


def apply(number: int, name: str, *inputs: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
    """Apply a C# autograd function to inputs. Called by .NET.

    Raises RuntimeError under a transform of ``torch.func``: it needs a ``forward`` without a context, and C#'s ``forward`` takes one.
    """
    if torch._C._are_functorch_transforms_active():
        raise RuntimeError(
            f"the C# autograd function '{name}' cannot run under a transform of torch.func (vmap, grad, jvp, jacrev …), "
            "which needs a forward and a separate setup_context; use torch.autograd.grad, "
            "or torch.autograd.functional without vectorize=True"
        )
    return _function_class(name).apply(number, *inputs)  # type: ignore[no-any-return, no-untyped-call]  # torch's is untyped


def saved_tensors(number: int) -> tuple[torch.Tensor | None, ...]:
    """Return the tensors that a call of a C# autograd function has saved. Called by .NET.

    Returns () if the call has saved none. Raises RuntimeError when backward has freed the tensors, or a tensor was changed in place.
    """
    context = _contexts.get(number)
    return () if context is None else context.saved_tensors


def checkpoint(function: Callable[[tuple[torch.Tensor, ...]], Any], preserve: bool, *inputs: torch.Tensor) -> Any:
    """Run a C# function by PyTorch's checkpoint. The graph keeps the function. Called by .NET."""

    def run(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(function(given))

    return torch.utils.checkpoint.checkpoint(run, *inputs, use_reentrant=False, preserve_rng_state=preserve)


@functools.lru_cache(maxsize=256)
def _function_class(name: str) -> type[torch.autograd.Function]:
    """Return an autograd function class named ``name``. PyTorch shows this name, followed by ``Backward``, for the ``grad_fn``."""
    return type(name, (DotNetFunction,), {"__module__": __name__})


def _runtime() -> DotNetRuntime:
    runtime = started()
    assert runtime is not None  # .NET is the caller
    return runtime


def _forget(runtime: DotNetRuntime, number: int) -> None:
    # The function is looked up at each call, since ``Exports.disable`` replaces it in a forked child.
    runtime.exports.forget_function(number)
