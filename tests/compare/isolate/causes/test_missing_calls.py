"""bridge.compare.isolate.causes.missing_calls: missing, additional and misplaced child calls are the only findings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bridge.compare.result import Comparison

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("left out", "b is not called in dotnet."),
        ("swapped", "dotnet calls c with the arguments that pytorch passes to b."),
        ("other", "dotnet calls a with the arguments that pytorch passes to b."),
        ("early", "dotnet calls c before b, pytorch calls b first."),
        ("again", "dotnet calls d once more than pytorch does."),
    ],
)
def test_a_call_that_differs_is_the_only_finding(judge: Judge, how: str, text: str) -> None:
    found = judge("Chain", how).found
    assert f"the root (Chain): {text}" in [finding.message for finding in found]
    assert {finding.kind for finding in found} == {"calls"}


def test_a_missing_call_that_returns_its_argument_is_found(judge: Judge) -> None:
    """``head`` is called in place of a dropout; the operators before it are no causes."""
    found = judge("Dropping", "head").found
    assert "the root (Dropping): drop is not called in dotnet." in [finding.message for finding in found]
    assert not any("missing" in finding.message for finding in found)


def test_a_module_without_children_that_is_run_by_forward(judge: Judge, line: Callable[[str], str]) -> None:
    found = judge("Growing", 100000, "forward").findings[0]
    assert (found.kind, found.path, found.fix) == ("bypass", "step", "step.call(x)")
    assert found.message == "step was run by forward(), not call(), in dotnet: its hooks never fired."
    assert found.source == line("clamp_max(most)")


def test_inlined_code_of_a_module_is_no_bypass(judge: Judge) -> None:
    found = judge("Growing", 100000, "written")
    assert found.differs
    assert not any(finding.kind == "bypass" for finding in found.findings)


@pytest.mark.parametrize("how", ["", "forward"])
def test_a_module_that_is_run_by_forward_is_not_missing(judge: Judge, how: str) -> None:
    assert judge("Chain", how, lockstep=True).found == ()
