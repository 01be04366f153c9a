"""A child that is not called, called once more, or in another's place is named as that, and what comes of it is not blamed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bridge.compare.compared import Comparison

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("left out", "the root (Chain): b is not called in dotnet."),
        ("swapped", "the root (Chain): dotnet calls c where pytorch calls b, on what that is given there."),
        ("other", "the root (Chain): dotnet calls a where pytorch calls b, on what that is given there."),
        ("early", "the root (Chain): dotnet calls c before b, which pytorch calls first."),
        ("again", "the root (Chain): dotnet calls d once more."),
    ],
)
def test_a_call_that_is_otherwise_is_named(judge: Judge, how: str, words: str) -> None:
    found = [one for one in judge("Chain", (2, 4), how).found if one.kind == "calls"]
    assert words in [one.message for one in found]
    assert all(one.kind == "calls" for one in judge("Chain", (2, 4), how).found)


@pytest.mark.parametrize("how", ["", "forward"])
def test_one_that_is_run_by_forward_is_called(judge: Judge, how: str) -> None:
    assert judge("Chain", (2, 4), how, lockstep=True).found == ()
