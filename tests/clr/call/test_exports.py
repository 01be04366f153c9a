"""bridge/clr/call/exports.py: exports are Python's builtins, and what they cannot take is a TypeError that leaves .NET as it was."""

from __future__ import annotations

import pytest

from bridge.clr import start
from bridge.clr.call import boundary
from bridge.clr.call.exports import Exports
from bridge.clr.errors import StartError
from bridge.clr.start import runtime

pytestmark = pytest.mark.dotnet


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("new_handle", ("a text",)),
        ("new_handle", (None,)),
        ("read_schemas", (1,)),
        ("forget", ()),
        ("forget", (1, 2)),
        ("forward", ()),
    ],
)
def test_a_wrong_argument_is_refused(name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises((TypeError, RuntimeError)):
        getattr(start().exports, name)(*arguments)
    assert set(start().exports.live_counts()) == {"tensors", "modules", "hooks", "functions"}


def test_an_integer_that_is_too_large_is_refused() -> None:
    with pytest.raises(OverflowError):
        start().exports.new_handle(2**64)


def test_an_unknown_import_is_named() -> None:
    with pytest.raises(KeyError, match="no import 'missing'"):
        start().exports.set({"missing": 1})


def test_other_versions_are_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The assemblies were made from another manifest than the Python package has."""
    start()
    assert runtime._host is not None
    entry = runtime._host[0].function("Bridge.Interop.Exports, Bridge.Interop", "WriteAddresses")
    monkeypatch.setattr(boundary, "digest", lambda: "0" * 64)
    with pytest.raises(StartError, match=r"are of different versions: run `make refresh`"):
        Exports(entry)
