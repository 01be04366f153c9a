"""Python code that runs below an ABI call and raises (field notes 6, 'worst trap'): the same object arrives, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

START = """
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
unraisable = []
sys.unraisablehook = unraisable.append
ctypes.pythonapi.PyErr_Occurred.restype = ctypes.c_void_p
model = pnet()
expected = model(X)[0]

def well():
    "No error is pending, and the next call is right."
    assert not ctypes.pythonapi.PyErr_Occurred()
    assert torch.equal(model(X)[0], expected)
    assert [int("7"), len({1, 2})] == [7, 2]
    assert unraisable == []
"""
ERRORS = "(ValueError('below'), KeyboardInterrupt(), SystemExit(3), type('Own', (Exception,), {})(1, 2))"


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_saved_tensors_hooks(snippet: Callable[..., Any], hooked: bool) -> None:
    """A pack hook raises while C#'s operators save their tensors; nothing of C# sees it but as an exception."""
    snippet(
        START
        + f"""
if {hooked}:
    model.conv2.register_forward_hook(lambda *_: None)
def pack(tensor):
    global left
    left -= 1
    if left < 0:
        raise mine
    return tensor
last = []
for mine in {ERRORS}:
    for _ in range(3):
        left = 3
        with saved_tensors_hooks(pack, lambda tensor: tensor):
            assert raised(lambda: model(X.clone().requires_grad_())) is mine
        assert left == -1, "raised more than once"
        well()
    last.append([frame.name for frame in __import__("traceback").extract_tb(mine.__traceback__)][-1])
assert last == ["pack"] * 4, last
leaving()
"""
    )


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_dispatch_mode(snippet: Callable[..., Any], hooked: bool) -> None:
    """A TorchDispatchMode sees the operators of C#, and may refuse one."""
    snippet(
        START
        + f"""
if {hooked}:
    model.conv2.register_forward_hook(lambda *_: None)
class Mode(TorchDispatchMode):
    def __init__(self, refused):
        super().__init__()
        self.refused, self.seen = refused, []
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        if func is self.refused:
            raise mine
        return func(*args, **(kwargs or {{}}))
with Mode(None) as mode:
    result = model(X)[0]
assert torch.equal(result, expected)
assert torch.ops.aten._softmax.default in mode.seen
for refused in dict.fromkeys(mode.seen):
    for mine in {ERRORS}:
        with Mode(refused):
            assert raised(lambda: model(X)) is mine
        well()
leaving()
"""
    )


def test_dispatch_subclass(snippet: Callable[..., Any]) -> None:
    """An input whose class computes its operators in Python: its results pass through C#, and so do its errors."""
    snippet(
        START
        + """
mine = ValueError("not this one")
class Wrapped(torch.Tensor):
    refuse = False
    @staticmethod
    def __new__(cls, inner):
        wrapper = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)
        wrapper.inner = inner
        return wrapper
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if cls.refuse and func is torch.ops.aten._softmax.default:
            raise mine
        def open_(item):
            return item.inner if isinstance(item, Wrapped) else item
        result = func(*map(open_, args), **{name: open_(item) for name, item in (kwargs or {}).items()})
        return torch.utils._pytree.tree_map(lambda item: Wrapped(item) if isinstance(item, torch.Tensor) else item, result)
for parameter in model.parameters():
    parameter.requires_grad_(False)
result = model(Wrapped(X))[0]
assert type(result) is Wrapped and torch.equal(result.inner, expected.detach())
Wrapped.refuse = True
for _ in range(3):
    assert raised(lambda: model(Wrapped(X))) is mine
    well()
leaving()
"""
    )


def test_what_csharp_swallows(snippet: Callable[..., Any]) -> None:
    """A C# catch takes an Exception and none stays pending; an interrupt passes all the same (A-4)."""
    snippet(
        START
        + """
swallow = load("Thrower", "swallow")
class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
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
        well()
leaving()
"""
    )


def test_checkpoint(snippet: Callable[..., Any]) -> None:
    """Non-reentrant checkpoint: its early stop is an exception from a pack hook, on the autograd engine's thread or ours."""
    snippet(
        START
        + """
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
calls = []
model.conv1.register_forward_pre_hook(lambda *_: calls.append("conv1"))
model.conv4_2.register_forward_hook(lambda *_: calls.append("conv4_2"))
def gradients(run):
    model.zero_grad()
    x = X.clone().requires_grad_()
    probabilities, offsets = run(x)
    (probabilities.square().sum() + offsets.square().sum()).backward()
    return [x.grad] + [parameter.grad.clone() for parameter in model.parameters()]
plain = gradients(model)
assert calls == ["conv1", "conv4_2"]
ended = []
for early in (True, False):
    for use_reentrant in (False, True):
        calls.clear()
        with set_checkpoint_early_stop(early):
            again = gradients(lambda x: checkpoint(model, x, use_reentrant=use_reentrant))
        assert len(again) == len(plain) and all(map(torch.equal, again, plain)), (early, use_reentrant)
        assert calls[:3] == ["conv1", "conv4_2", "conv1"], calls
        well()
# The last saved tensor of a convolution is its input, so an early stop leaves the last one before its forward hook.
one = bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.TrapConv", True)
ended.clear()
one.conv.register_forward_hook(lambda *_: ended.append(1))
for early, count in ((True, 1), (False, 2)):
    ended.clear()
    with set_checkpoint_early_stop(early):
        checkpoint(one, X, use_reentrant=False).sum().backward()
    assert len(ended) == count, (early, ended)
well()
leaving()
"""
    )
