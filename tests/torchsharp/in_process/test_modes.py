"""Modes under which operators run Python code: refused by name, before C# is entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from bridge.torchsharp.in_process.modes import defaults, refuse_modes

MODULE = nn.Linear(2, 2)
X = torch.ones(1, 2, requires_grad=True)
#: The end of each message: what to do instead.
HOW = (
    "an exception in Python code below an operator would end this process. "
    'Pass runtime="torchsharp" to bridge.load, or leave out runtime'
)


class Watching(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Wrapped(torch.Tensor):
    """A tensor whose operators are Python code."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError


class Named(torch.Tensor):
    """A tensor whose operators are PyTorch's own."""


def run(x: torch.Tensor = X) -> torch.Tensor:
    refuse_modes((x, 1, "text", None))
    return x * 1


def under(mode: Any) -> Callable[[], Any]:
    def call() -> Any:
        with mode:
            return run()

    return call


SAVED = r"under saved_tensors_hooks, which torch\.utils\.checkpoint\(use_reentrant=False\) uses too"
TRANSFORM = r"under a transform of torch\.func such as vmap or grad"
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a dispatch mode": (under(Watching()), "under the dispatch mode Watching"),
    "fake tensors": (under(FakeTensorMode()), "under the dispatch mode FakeTensorMode"),
    "saved_tensors_hooks": (
        under(torch.autograd.graph.saved_tensors_hooks(lambda value: value, lambda value: value)),
        SAVED,
    ),
    "save_on_cpu": (under(torch.autograd.graph.save_on_cpu()), SAVED),
    "checkpoint": (lambda: checkpoint(run, X, use_reentrant=False), SAVED),
    "vmap": (lambda: torch.vmap(run)(X), TRANSFORM),
    "grad": (lambda: torch.func.grad(lambda x: run(x).sum())(X), TRANSFORM),
    "jit.trace": (lambda: torch.jit.trace(run, X), r"under torch\.jit\.trace"),
    "a subclass": (lambda: run(Wrapped(X.detach())), "on a Wrapped, whose operators are Python code"),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.jit.trace is one
@pytest.mark.parametrize("what", REFUSED)
def test_python_code_below_operators_is_refused_by_its_name(what: str) -> None:
    call, message = REFUSED[what]
    with pytest.raises(RuntimeError, match=f"TorchSharp in this process cannot run {message}: {HOW}"):
        call()
    run()


def test_modes_that_run_no_python_below_operators_are_not_refused() -> None:
    for mode in (
        torch.no_grad(),
        torch.inference_mode(),
        torch.autocast("cpu", dtype=torch.bfloat16),
        torch.device("cpu"),
        torch.autograd.set_detect_anomaly(True),
    ):
        under(mode)()


def test_what_python_would_not_see_is_refused(function_mode: Callable[[], Any]) -> None:
    class Listening(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(func, types, args, kwargs or {})

    with pytest.raises(RuntimeError, match=r"under the function mode Mode: TorchSharp's operators would not call it"):
        under(function_mode())()
    with pytest.raises(RuntimeError, match=r"on a Listening, which has a __torch_function__: .*as_subclass"):
        run(torch.ones(1).as_subclass(Listening))


def test_the_default_device_is_passed_on_and_meta_is_refused() -> None:
    assert defaults() == (6, None)
    with torch.device("cuda", 1):
        assert defaults() == (6, "cuda:1")
    with torch.device("meta"), pytest.raises(RuntimeError, match="cannot run with the default device meta"):
        defaults()


def test_hooks_of_saved_tensors_are_refused_without_gradients_too() -> None:
    """C# may enable gradients in the call."""
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda value: value, lambda value: value)
    with torch.no_grad(), pytest.raises(RuntimeError, match="under saved_tensors_hooks"):
        under(hooks)()


def test_what_is_no_mode_is_not_refused() -> None:
    run(nn.Parameter(torch.ones(1)))
    run(torch.ones(1).as_subclass(Named))
    checkpoint(run, X, use_reentrant=True)
    seen = []
    value = X * 1
    value.register_hook(seen.append)
    run(value).sum().backward()
    assert len(seen) == 1


def test_the_innermost_mode_is_named() -> None:
    class Inner(Watching): ...

    with Watching(), Inner(), pytest.raises(RuntimeError, match="under the dispatch mode Inner"):
        run()
