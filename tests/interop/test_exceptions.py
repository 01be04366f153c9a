"""Exceptions across the boundary: the same object, nothing printed, no interrupt lost, no process ended."""

from __future__ import annotations

import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.modules import module as module_globals

import bridge
from attack.state import collect, live
from tests.interop.helpers import extra, load, nothing_unraisable, raised
from tests.support.fork_server import Run

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


X2 = torch.ones(2)


def hook_of(mine: BaseException) -> Callable[..., Any]:
    def hook(*_: Any) -> Any:
        raise mine

    return hook


def check_new_model() -> None:
    """Check that a new model works."""
    fresh = load("Thrower", "nowhere")
    assert torch.equal(fresh(X2), X2)


@pytest.mark.parametrize("kind", ["pre", "forward", "always", "global", "forward below"])
@nothing_unraisable()
def test_a_hooks_exception_is_the_same_object(kind: str) -> None:
    """Raised below C# frames, from every place that Python is called in; its traceback shows the hook and the caller."""
    model = load("Thrower", "nowhere")

    def hook(*_: Any) -> Any:
        raise mine

    def global_hook(module: Any, *_: Any) -> Any:
        if module is model.inner:
            raise mine

    class Python(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            raise mine

    inner = model.inner
    if kind == "pre":
        handle = model.inner.register_forward_pre_hook(hook)
    elif kind == "forward":
        handle = model.inner.register_forward_hook(hook)
    elif kind == "always":
        handle = model.inner.register_forward_hook(hook, always_call=True)
    elif kind == "global":
        handle = module_globals.register_module_forward_pre_hook(global_hook)
    else:
        model.inner = Python()
    for mine in (ValueError("mine"), KeyboardInterrupt("mine"), SystemExit(9), GeneratorExit(), StopIteration(1)):
        for _ in range(3):

            def outermost() -> None:
                model(X2)

            assert raised(outermost) is mine
            names = [frame.name for frame in traceback.extract_tb(mine.__traceback__)]
            assert "outermost" in names, names
            assert names[-1] in ("hook", "global_hook", "forward"), names
            assert mine.__cause__ is None
            mine.__traceback__ = None
    if kind == "forward below":
        model.inner = inner
    else:
        handle.remove()
    assert torch.equal(model(X2), X2)
    check_new_model()


@nothing_unraisable()
def test_csharp_may_catch_an_exception_but_not_an_interrupt() -> None:
    """A-4: `catch (Exception)` ends a ValueError; KeyboardInterrupt and SystemExit are raised all the same."""
    model = load("Thrower", "swallow")
    for mine, passes in (
        (ValueError(), False),
        (KeyboardInterrupt(), True),
        (SystemExit(3), True),
        (ValueError(), False),
    ):
        handle = model.inner.register_forward_hook(hook_of(mine))
        for _ in range(3):
            if passes:
                assert raised(lambda: model(X2)) is mine
            else:
                assert torch.equal(model(X2), X2 * 2)
        handle.remove()
        assert torch.equal(model(X2), X2)
    check_new_model()


@pytest.mark.parametrize("where", ["other", "wrapped"])
@nothing_unraisable()
def test_another_csharp_exception_has_the_python_one_as_its_cause(where: str) -> None:
    """C# throws another on the way: a DotNetError with the very Python object as ``__cause__``; an interrupt passes instead."""
    model = load("Thrower", where)
    mine = ValueError("first")
    handle = model.inner.register_forward_hook(hook_of(mine))
    for _ in range(3):
        error = raised(lambda: model(X2))
        assert isinstance(error, bridge.DotNetError), error
        assert error.dotnet_type == "System.InvalidOperationException"
        assert error.dotnet_message == ("another one" if where == "other" else "wrapped")
        assert error.__cause__ is mine
    handle.remove()
    interrupt = KeyboardInterrupt()
    handle = model.inner.register_forward_hook(hook_of(interrupt))
    assert raised(lambda: model(X2)) is interrupt
    handle.remove()
    assert torch.equal(model(X2), X2)
    check_new_model()
    # What was caught before is no cause of what comes later.
    root = load("Thrower", "root")
    assert raised(lambda: root(X2)).__cause__ is None


@nothing_unraisable()
def test_a_swallowed_exception_is_no_cause_in_the_next_call() -> None:
    """What one call's C# caught is forgotten when the call ends."""
    swallow, root = load("Thrower", "swallow"), load("Thrower", "root")
    swallow.inner.register_forward_hook(hook_of(ValueError("swallowed")))
    swallow(X2)
    assert raised(lambda: root(X2)).__cause__ is None
    check_new_model()


@nothing_unraisable()
def test_a_csharp_exception_tells_type_message_stack_and_path() -> None:
    """From the root, from a child, from an operator, from a null reference; the process goes on after each."""
    for arguments, type_, text, path in (
        (("Thrower", "root"), "System.ArgumentException", "no good at the root", ""),
        (("Thrower", "inner"), "System.InvalidOperationException", "no good inside", "inner"),
    ):
        model = load(*arguments)
        for _ in ("bare", "hooked"):
            error = raised(lambda: model(X2))
            assert isinstance(error, bridge.DotNetError)
            assert isinstance(error, ValueError) == (type_ == "System.ArgumentException")
            assert isinstance(error, RuntimeError)
            assert (error.dotnet_type, error.dotnet_message, error.module_path) == (type_, text, path)
            assert "forward(Tensor input)" in error.dotnet_stack, error.dotnet_stack
            assert type_ in str(error)
            assert text in str(error)
            assert error.__cause__ is None
            for module in model.modules():
                module.register_forward_hook(lambda *_: None)
        check_new_model()
    pair = load("Pair")
    error = raised(lambda: pair(torch.ones(1, 4)))
    assert isinstance(error, bridge.DotNetError)
    assert error.module_path == "first", error
    assert "mat1 and mat2" in error.dotnet_message, error
    careless = extra("Careless", True)
    error = raised(lambda: careless(X2))
    assert error.dotnet_type == "System.NullReferenceException"
    assert error.module_path == "", error
    error = raised(lambda: load("BadConstructor"))
    assert error.dotnet_type == "System.ArgumentOutOfRangeException"
    assert "must be positive" in error.dotnet_message
    check_new_model()


def check_no_crash(run: Run) -> None:
    """Check that faulthandler printed nothing."""
    assert run.returncode == 0, str(run)
    assert "Fatal" not in run.stderr


@pytest.mark.subprocess(check=check_no_crash)
def test_null_references_with_faulthandler() -> None:
    """.NET makes an exception of a SIGSEGV of its own, also where faulthandler stands (pytest enables it)."""
    import faulthandler

    faulthandler.enable()
    model = extra("Careless", True)
    for _ in range(3):
        error = raised(lambda: model(torch.ones(2)))
        assert error.dotnet_type == "System.NullReferenceException", error


@nothing_unraisable()
def test_an_exception_in_a_hook_of_a_hook() -> None:
    """A hook runs another mirror whose hook raises: three crossings, one object; both work afterwards."""
    outer, inner, innermost = (load("Thrower", "nowhere") for _ in range(3))
    mine = ValueError("deep")
    innermost.inner.register_forward_hook(hook_of(mine))
    inner.inner.register_forward_hook(lambda *_: innermost(X2) and None)
    outer.inner.register_forward_hook(lambda *_: inner(X2) and None)
    for _ in range(3):
        assert raised(lambda: outer(X2)) is mine
    seen = []

    def catching(*_: Any) -> None:
        seen.append(raised(lambda: inner(X2)))

    other = load("Thrower", "nowhere")
    other.inner.register_forward_hook(catching)
    assert torch.equal(other(X2), X2)
    assert seen == [mine]
    # One caught below is no cause of a C# exception above.
    root = load("Thrower", "root")
    root.register_forward_pre_hook(catching)
    error = raised(lambda: root(X2))
    assert error.dotnet_message == "no good at the root"
    assert error.__cause__ is None
    check_new_model()


@nothing_unraisable()
def test_exceptions_do_not_leak() -> None:
    """The references that .NET holds to exception objects are given back."""

    class Mine(Exception):
        pass

    model = load("Thrower", "nowhere")
    kept = []

    def hook(*_: Any) -> Any:
        error = Mine()
        kept.append(weakref.ref(error))
        raise error

    model.inner.register_forward_hook(hook)
    for _ in range(200):
        assert type(raised(lambda: model(X2))) is Mine
    for _ in range(3):
        collect()
        live()
    assert len(kept) == 200
    assert sum(reference() is not None for reference in kept) <= 2
    check_new_model()


@nothing_unraisable()
def test_an_uncaught_exception_of_a_hook_in_a_thread() -> None:
    """It ends its Python thread as any other, through threading.excepthook."""
    model = load("Thrower", "nowhere")
    mine = ValueError("in a thread")
    model.inner.register_forward_hook(hook_of(mine))
    ended: list[Any] = []
    threading.excepthook = lambda args: ended.append(args.exc_value)
    thread = threading.Thread(target=lambda: model(X2))
    thread.start()
    thread.join()
    assert ended == [mine]
    check_new_model()
