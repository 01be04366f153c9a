"""Python code that runs below an operator of C# and raises: the same object arrives, and the process goes on."""

from __future__ import annotations

import ctypes
import traceback
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

import bridge
from bridge.clr.find import assemblies
from tests.interop.helpers import X, extra, load, nothing_unraisable, pnet, raised

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


ctypes.pythonapi.PyErr_Occurred.restype = ctypes.c_void_p


def errors() -> tuple[BaseException, ...]:
    return ValueError("below"), KeyboardInterrupt(), SystemExit(3), type("Own", (Exception,), {})(1, 2)


def make_checked_model() -> tuple[Any, Callable[[], None]]:
    """Return a model, and a function that checks that no error is pending and that its next call is right."""
    model = pnet()
    expected = model(X)[0]

    def check() -> None:
        assert not ctypes.pythonapi.PyErr_Occurred()
        assert torch.equal(model(X)[0], expected)
        assert [int("7"), len({1, 2})] == [7, 2]

    return model, check


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
@nothing_unraisable()
def test_saved_tensors_hooks(hooked: bool) -> None:
    """A pack hook raises while C#'s operators save their tensors; nothing of C# sees it but as an exception."""
    model, check = make_checked_model()
    if hooked:
        model.conv2.register_forward_hook(lambda *_: None)
    left = 0

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal left
        left -= 1
        if left < 0:
            raise mine
        return tensor

    last = []
    for mine in errors():
        for _ in range(3):
            left = 3
            with saved_tensors_hooks(pack, lambda tensor: tensor):
                assert raised(lambda: model(X.clone().requires_grad_())) is mine
            assert left == -1, "raised more than once"
            check()
        last.append([frame.name for frame in traceback.extract_tb(mine.__traceback__)][-1])
    assert last == ["pack"] * 4, last


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
@nothing_unraisable()
def test_dispatch_mode(hooked: bool) -> None:
    """A TorchDispatchMode sees the operators of C#, and may refuse one."""
    model, check = make_checked_model()
    expected = model(X)[0]
    if hooked:
        model.conv2.register_forward_hook(lambda *_: None)

    class Mode(TorchDispatchMode):
        def __init__(self, refused: object) -> None:
            super().__init__()
            self.refused = refused
            self.seen: list[object] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append(func)
            if func is self.refused:
                raise mine
            return func(*args, **(kwargs or {}))

    with Mode(None) as mode:
        result = model(X)[0]
    assert torch.equal(result, expected)
    assert torch.ops.aten._softmax.default in mode.seen
    for refused in dict.fromkeys(mode.seen):
        for mine in errors():
            with Mode(refused):
                assert raised(lambda: model(X)) is mine
            check()


@nothing_unraisable()
def test_dispatch_subclass() -> None:
    """An input whose class computes its operators in Python: its results pass through C#, and so do its errors."""
    model, check = make_checked_model()
    expected = model(X)[0]
    mine = ValueError("not this one")

    class Wrapped(torch.Tensor):
        refuse = False
        inner: Any

        @staticmethod
        def __new__(cls: Any, inner: torch.Tensor) -> Any:
            wrapper = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)
            wrapper.inner = inner
            return wrapper

        @classmethod
        def __torch_dispatch__(  # type: ignore[override]  # torch's stub lacks the function
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if cls.refuse and func is torch.ops.aten._softmax.default:
                raise mine

            def open_(item: Any) -> Any:
                return item.inner if isinstance(item, Wrapped) else item

            result = func(*map(open_, args), **{name: open_(item) for name, item in (kwargs or {}).items()})
            return torch.utils._pytree.tree_map(
                lambda item: Wrapped(item) if isinstance(item, torch.Tensor) else item, result
            )

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    result = model(Wrapped(X))[0]
    assert type(result) is Wrapped
    assert torch.equal(result.inner, expected.detach())
    Wrapped.refuse = True
    for _ in range(3):
        assert raised(lambda: model(Wrapped(X))) is mine
        check()


@nothing_unraisable()
def test_what_csharp_swallows() -> None:
    """A C# catch takes an Exception and none stays pending; an interrupt passes all the same (A-4)."""
    _, check = make_checked_model()
    swallow = load("Thrower", "swallow")

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.ops.aten.view.default:
                raise mine
            return func(*args, **(kwargs or {}))

    for mine in (ValueError("below"), KeyboardInterrupt(), SystemExit(3), ValueError("again")):
        for _ in range(3):
            with Mode():
                if isinstance(mine, Exception):
                    assert torch.equal(swallow(torch.ones(2)), torch.full((2,), 2.0))
                else:
                    assert raised(lambda: swallow(torch.ones(2))) is mine
            check()


@nothing_unraisable()
def test_checkpoint() -> None:
    """Non-reentrant checkpoint: its early stop is an exception from a pack hook, on the autograd engine's thread or ours."""
    model, check = make_checked_model()
    calls: list[str] = []
    model.conv1.register_forward_pre_hook(lambda *_: calls.append("conv1"))
    model.conv4_2.register_forward_hook(lambda *_: calls.append("conv4_2"))

    def gradients(run: Callable[[torch.Tensor], Any]) -> list[torch.Tensor | None]:
        model.zero_grad()
        x = X.clone().requires_grad_()
        probabilities, offsets = run(x)
        (probabilities.square().sum() + offsets.square().sum()).backward()
        return [x.grad] + [parameter.grad.clone() for parameter in model.parameters()]

    plain = gradients(model)
    assert calls == ["conv1", "conv4_2"]
    for early in (True, False):
        for use_reentrant in (False, True):
            calls.clear()
            with set_checkpoint_early_stop(early):
                again = gradients(lambda x: checkpoint(model, x, use_reentrant=use_reentrant))
            assert len(again) == len(plain)
            assert all(map(torch.equal, again, plain)), (early, use_reentrant)  # type: ignore[arg-type]
            assert calls[:3] == ["conv1", "conv4_2", "conv1"], calls
            check()
    # The last saved tensor of a convolution is its input, so an early stop leaves the last one before its forward hook.
    trap: Any = bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.TrapConv", True)
    ended: list[int] = []
    trap.conv.register_forward_hook(lambda *_: ended.append(1))
    for early, count in ((True, 1), (False, 2)):
        ended.clear()
        with set_checkpoint_early_stop(early):
            checkpoint(trap, X, use_reentrant=False).sum().backward()
        assert len(ended) == count, (early, ended)
    check()


@nothing_unraisable()
def test_operators_with_a_number() -> None:
    """Python runs these for C#: what a mode below raises is the same object."""
    model, x = extra("Adding"), torch.ones(2)

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if "add_" in str(func):
                raise mine
            return func(*args, **(kwargs or {}))

    for mine in errors():
        with Mode():
            assert raised(lambda: model(x)) is mine
        assert not ctypes.pythonapi.PyErr_Occurred()
        assert torch.equal(model(x), torch.full((2,), 201.0))
    # PyTorch's own errors are C#'s exceptions, as those of any operator.
    assert isinstance(raised(lambda: model(torch.ones(2, dtype=torch.bool))), bridge.DotNetError)
