"""What C# throws is what a Python user expects it to be, and a DotNetError."""

from __future__ import annotations

import pickle

import pytest

from bridge.clr import errors, operator_errors
from bridge.clr.exports import KINDS


@pytest.mark.parametrize("kind", [*KINDS.values(), *operator_errors.KINDS.values()], ids=lambda kind: kind.__name__)
def test_every_kind_is_copied_and_pickled_as_it_is(kind: type[errors.DotNetFailure]) -> None:
    """The words are shown as they are, also where the base class would write ``repr`` of them (KeyError)."""
    error = kind("System.SomeException", 'It\'s "this".', "   at A.B()", "layer.fc")
    error.more = 1  # type: ignore[attr-defined]  # any exception takes attributes
    for one in (error, errors.without_frames(error), pickle.loads(pickle.dumps(error))):
        assert type(one) is kind
        assert str(one) == "System.SomeException in module 'layer.fc': It's \"this\".\n   at A.B()"
        assert one.dotnet_type == "System.SomeException"
        assert one.dotnet_message == 'It\'s "this".'
        assert one.dotnet_stack == "   at A.B()"
        assert one.module_path == "layer.fc"
        assert one.more == 1
        assert one.__traceback__ is one.__context__ is one.__cause__ is None
        assert getattr(one, "errno", None) is None


@pytest.mark.parametrize(
    "error", [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), OSError(2, "gone", "a.txt"), KeyError("a")]
)
def test_copies_of_pythons_own(error: Exception) -> None:
    copy = errors.without_frames(error)
    assert type(copy) is type(error)
    assert str(copy) == str(error)
