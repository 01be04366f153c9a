"""A child that is not called, called once more, or in another's place is named as that, and what comes of it is not blamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.compare.result import Comparison

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("left out", "the root (Chain): b is not called in dotnet."),
        ("swapped", "the root (Chain): dotnet calls c with the arguments that pytorch passes to b."),
        ("other", "the root (Chain): dotnet calls a with the arguments that pytorch passes to b."),
        ("early", "the root (Chain): dotnet calls c before b, pytorch after it."),
        ("again", "the root (Chain): dotnet calls d once more."),
    ],
)
def test_a_call_that_is_otherwise_is_named(judge: Judge, how: str, words: str) -> None:
    found = [one for one in judge("Chain", (2, 4), how).found if one.kind == "calls"]
    assert words in [one.message for one in found]
    assert all(one.kind == "calls" for one in judge("Chain", (2, 4), how).found)


def test_what_leaves_no_trace_is_not_taken_for_run(judge: Judge) -> None:
    """``head`` is called in the place of a dropout, which gives what it takes: that an ``add`` lacks before it is no cause."""
    found = judge("Dropping", (2, 4), "head").found
    assert "the root (Dropping): drop is not called in dotnet." in [one.message for one in found]
    assert [one.kind for one in found if "missing" in one.message] == []


def test_a_module_without_children_that_is_run_by_forward_is_proven_by_its_operators(judge: Judge) -> None:
    found = judge("Growing", (2, 4), 100000, "forward").findings[0]
    assert (found.kind, found.path, found.fix) == ("bypass", "step", "step.call(x)")
    assert found.message == "step was run by forward(), not call(), in dotnet: its hooks never fired."
    lines = (Path(__file__).parents[1] / "Faults.cs").read_text(encoding="utf-8").splitlines()
    place = next(number for number, text in enumerate(lines, 1) if "clamp_max(most)" in text)
    assert found.source == f"Faults.cs:{place}"


def test_what_is_written_out_in_its_place_is_no_bypass(judge: Judge) -> None:
    found = judge("Growing", (2, 4), 100000, "written")
    assert found.differs
    assert [one for one in found.findings if one.kind == "bypass"] == []


@pytest.mark.parametrize("how", ["", "forward"])
def test_one_that_is_run_by_forward_is_called(judge: Judge, how: str) -> None:
    assert judge("Chain", (2, 4), how, lockstep=True).found == ()
