"""C# exceptions as the ones that Python users catch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import bridge

Load = Callable[..., bridge.Mirror]
X = torch.ones(2)


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("thrown", "caught"),
    [
        ("array", IndexError),
        ("IndexOutOfRange", IndexError),
        # A list's index in C#, and any argument.
        ("list", IndexError),
        ("ArgumentOutOfRange", IndexError),
        ("ArgumentOutOfRange", ValueError),
        ("dictionary", KeyError),
        ("KeyNotFound", KeyError),
        ("an own one", KeyError),
        ("NotImplemented", NotImplementedError),
        ("NotSupported", NotImplementedError),
        ("PlatformNotSupported", NotImplementedError),
        ("file", FileNotFoundError),
        ("FileNotFound", FileNotFoundError),
        ("DirectoryNotFound", FileNotFoundError),
        ("IO", OSError),
        ("EndOfStream", EOFError),
        ("UnauthorizedAccess", PermissionError),
        ("Timeout", TimeoutError),
        ("divide", ZeroDivisionError),
        ("DivideByZero", ZeroDivisionError),
        ("Overflow", OverflowError),
        ("Arithmetic", ArithmeticError),
        ("OutOfMemory", MemoryError),
        ("Argument", ValueError),
        ("ArgumentNull", TypeError),
        ("parse", ValueError),
        ("Format", ValueError),
        ("InvalidData", ValueError),
        ("Json", ValueError),
        ("cast", TypeError),
        ("InvalidCast", TypeError),
        ("ArrayTypeMismatch", TypeError),
        ("Rank", TypeError),
        ("InvalidOperation", RuntimeError),
        ("NullReference", RuntimeError),
    ],
)
def test_the_class_that_a_python_user_expects(load: Load, thrown: str, caught: type[Exception]) -> None:
    """Each is still a DotNetError, and says the same as one."""
    model = load("Throwing")
    with pytest.raises(caught) as first:
        model(X, thrown)
    with pytest.raises(bridge.DotNetError) as second:
        model(X, thrown)
    for error in (first.value, second.value):
        assert isinstance(error, bridge.DotNetError)
        assert str(error).startswith(f"{error.dotnet_type} in the root module: {error.dotnet_message}")
        assert error.module_path == ""
    if thrown[0].isupper():  # others are what the runtime throws
        with pytest.raises(caught):
            load("Throwing", thrown)


@pytest.mark.skipif(
    sys.platform == "win32", reason="libtorch's stack traces name no functions on Windows: all are RuntimeErrors"
)
@pytest.mark.parametrize(
    ("what", "original"),
    [
        ("select", lambda x: x.select(5, 0)),
        ("index", lambda x: x[torch.tensor([5])]),
        ("matmul", lambda x: x.outer(x).bool().matmul(x.bool())),
        ("cumsum", lambda x: x.cumsum(0, dtype=torch.bool)),
        ("cross_entropy", lambda x: nn.functional.cross_entropy(x[None], torch.zeros(3, dtype=torch.int64))),
        ("cholesky", lambda x: torch.linalg.cholesky(-torch.eye(2))),
        ("view", lambda x: x.view(3)),
    ],
)
def test_an_operators_error_is_of_pytorchs_class(
    load: Load, what: str, original: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    """C# has one class for all of them, which is TorchSharp's."""
    wanted = raised(lambda: original(X))
    with pytest.raises(type(wanted)) as caught:
        load("Throwing")(X, f"operator {what}")
    error = caught.value
    assert isinstance(error, bridge.DotNetError)
    assert error.dotnet_type == "System.Runtime.InteropServices.ExternalException"
    assert str(wanted).splitlines()[0] in error.dotnet_message
    # Neither more than PyTorch's: no other row of this test, nor what .NET's own exceptions become.
    others = {IndexError, ValueError, TypeError, NotImplementedError, torch.linalg.LinAlgError} - {type(wanted)}
    assert not isinstance(error, tuple(others))


@pytest.mark.parametrize(
    "mine",
    [IndexError(3), KeyError("a"), NotImplementedError(), FileNotFoundError(2, "gone"), MemoryError(), OSError()],
)
def test_a_hooks_own_stays_the_same_object(load: Load, mine: Exception) -> None:
    model = load("Throwing")

    def hook(*_: Any) -> None:
        raise mine

    model.child.register_forward_hook(hook)
    with pytest.raises(type(mine)) as caught:
        model(X, "")
    assert caught.value is mine


def test_csharp_catches_its_own_exception_that_a_hook_raised_again(load: Load) -> None:
    """The IndexError that Python saw is the IndexOutOfRangeException that C# threw."""
    model, other = load("Throwing"), load("Throwing")

    def hook(*_: Any) -> None:
        other(X, "array")

    model.child.register_forward_hook(hook)
    assert torch.equal(model(X, "caught"), X * 2)
