"""What C# throws is what a Python user expects it to be, and a DotNetError."""

from __future__ import annotations

import os
import pickle

import pytest

from bridge.clr import errors
from bridge.clr.call import operator_errors
from bridge.clr.call.exports import EXCEPTION_CLASSES


@pytest.mark.parametrize(
    "kind", [*EXCEPTION_CLASSES.values(), *operator_errors.EXCEPTION_CLASSES.values()], ids=lambda kind: kind.__name__
)
def test_every_kind_is_copied_and_pickled_as_it_is(kind: type[errors.DotNetFailure]) -> None:
    """The words are shown as they are, also where the base class would write ``repr`` of them (KeyError)."""
    error = kind("System.SomeException", 'It\'s "this".', "   at A.B()", "layer.fc")
    error.more = 1  # type: ignore[attr-defined]  # any exception takes attributes
    for copied in (error, errors.without_frames(error), pickle.loads(pickle.dumps(error))):
        assert type(copied) is kind
        assert str(copied).startswith("System.SomeException in module 'layer.fc': It's \"this\".\n   at A.B()\n")
        assert copied.dotnet_type == "System.SomeException"
        assert copied.dotnet_message == 'It\'s "this".'
        assert copied.dotnet_stack == "   at A.B()"
        assert copied.module_path == "layer.fc"
        assert copied.more == 1
        assert copied.__traceback__ is copied.__context__ is copied.__cause__ is None
        assert getattr(copied, "errno", None) is None


_FRAMES = (
    "   at System.Number.ThrowFormatException[TChar](ReadOnlySpan`1 value)",
    "   at Mine.Net.forward(Tensor x) in /home/me/Net.cs:line 20",
    "   at TorchSharp.torch.nn.Module`2.Run(T args)",
    "   at Mine.Other.forward(Tensor x)",
    "   at InvokeStub_Net..ctor(Object, Span`1)",
    "--- End of stack trace from previous location ---",
    "   at Bridge.Interop.Boundary.Run( body, IntPtr* arguments, IntPtr count)",
)


@pytest.mark.parametrize(
    ("message", "stack", "shown"),
    [
        ("no good", "", ["E in the root module: no good"]),
        ("no good", _FRAMES[-1], ["E in the root module: no good"]),
        (
            "no good",
            "\n".join(_FRAMES),
            ["E in the root module: no good", _FRAMES[1], _FRAMES[3], "E in the root module: no good"],
        ),
        (
            "no good\nand more",
            _FRAMES[3],
            ["E in the root module: no good", "and more", _FRAMES[3], "E in the root module: no good"],
        ),
        (
            "deep",
            "\r\n".join(_FRAMES[3:4] * 60),
            [
                "E in the root module: deep",
                *_FRAMES[3:4] * 5,
                "   … 50 more frames …",
                *_FRAMES[3:4] * 5,
                "E in the root module: deep",
            ],
        ),
    ],
)
def test_the_sentence_stands_first_and_last_and_between_them_the_users_own_frames(
    message: str, stack: str, shown: list[str]
) -> None:
    error = errors.DotNetError("E", message, stack, "")
    assert str(error).splitlines() == shown
    assert error.dotnet_stack == stack


@pytest.mark.parametrize(
    "error", [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), OSError(2, "gone", "a.txt"), KeyError("a")]
)
def test_copies_of_pythons_own(error: Exception) -> None:
    copy = errors.without_frames(error)
    assert type(copy) is type(error)
    assert str(copy) == str(error)


@pytest.mark.skipif(os.name != "posix", reason="the limit on open files is POSIX's")
@pytest.mark.parametrize(("needed", "advised"), [(256, 1024), (1024, 1024), (3000, 3000)])
def test_the_advised_limit_of_open_files_is_enough(monkeypatch: pytest.MonkeyPatch, needed: int, advised: int) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (128, 128))
    advice = errors.file_limit_advice("it", needed)
    assert f"it needs {needed}: raise the hard limit, for instance by `ulimit -n {advised}` as root." in advice
