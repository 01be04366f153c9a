"""Autograd functions written in C#: PyTorch's own ``torch.autograd.Function`` runs them, so the graph and its rules are PyTorch's."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch

from bridge.clr import DotNetRuntime, started

#: PyTorch's contexts by the number of the application in .NET, as long as their graph lives.
_contexts: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class DotNetFunction(torch.autograd.Function):
    """The base of all of them; the first argument is the number of the application."""

    @staticmethod
    def forward(ctx: Any, number: int, *_: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Runs C#'s forward, which has the arguments already, and enters into the context what C#'s has."""
        host = _host()
        weakref.finalize(ctx, _forget, host, number).atexit = False
        ctx.number = number
        outputs, saved, dirty, constant, materialize = host.exports.function_forward(number)
        if saved:
            ctx.save_for_backward(*saved)
            _contexts[number] = ctx
        if dirty:
            ctx.mark_dirty(*dirty)
        if constant:
            ctx.mark_non_differentiable(*constant)
        ctx.set_materialize_grads(materialize)
        return outputs  # type: ignore[no-any-return]  # of .NET

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Runs C#'s backward; the number has no gradient."""
        return (None, *_host().exports.function_backward(ctx.number, *gradients))


def apply(number: int, name: str, *inputs: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
    """Applies a C# function of that name. Called by .NET.

    Raises RuntimeError under a transform of ``torch.func``: these need a forward without a context, which C#'s has.
    """
    if torch._C._are_functorch_transforms_active():
        raise RuntimeError(
            f"the C# autograd function '{name}' cannot run under a transform of torch.func (vmap, grad, jvp, jacrev …), "
            "which needs a forward that is separate from setup_context; use torch.autograd.grad, "
            "or torch.autograd.functional without vectorize=True"
        )
    return _function(name).apply(number, *inputs)  # type: ignore[no-any-return, no-untyped-call]  # torch's is untyped


def saved_tensors(number: int) -> tuple[torch.Tensor | None, ...]:
    """What the function saved, unpacked now. Called by .NET. Raises RuntimeError when backward has freed it, or it was changed in place."""
    context = _contexts.get(number)
    return () if context is None else context.saved_tensors


@functools.lru_cache(maxsize=256)
def _function(name: str) -> type[torch.autograd.Function]:
    """A class of that name: nodes of the graph are called by it."""
    return type(name, (DotNetFunction,), {"__module__": __name__})


def _host() -> DotNetRuntime:
    host = started()
    assert host is not None  # it called
    return host


def _forget(host: DotNetRuntime, number: int) -> None:
    # Looked up now: in a forked child this does nothing.
    host.exports.forget_function(number)
