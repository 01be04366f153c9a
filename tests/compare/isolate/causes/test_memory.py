"""What modules do to memory: writes in place are named with their operator and line, views and strides are noted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.compare.isolate.copies import find_aliases
from bridge.compare.result import Comparison

Judge = Callable[..., Comparison]
SOURCE = (Path(__file__).parents[1] / "Faults.cs").read_text(encoding="utf-8").splitlines()


def line(text: str) -> str:
    return f"Faults.cs:{next(number for number, written in enumerate(SOURCE, 1) if text in written)}"


@pytest.mark.dotnet
def test_an_argument_that_is_written_is_named_with_the_operator(judge: Judge) -> None:
    first = judge("Writing", (2, 4), True).findings[0]
    assert (first.kind, first.path, first.source) == ("in place", "inner", line("x.add_(1)"))
    assert first.message == "inner (Scaling): it changes its argument in place in dotnet, not in pytorch: add_."


@pytest.mark.dotnet
def test_the_callers_input_that_is_written_is_a_difference(judge: Judge) -> None:
    """Though each value that a module takes or gives is the same: the caller goes on with another one."""
    found = judge("Scaling", (2, 4), True)
    assert not found.same
    assert found.verdict.endswith("1 tensor changed in place.")
    said = [one for one in found.findings if one.kind == "in place"]
    assert [(one.path, one.source) for one in said] == [("", line("x.add_(1)"))]
    assert said[0].message == "the root (Scaling): it changes its argument in place in dotnet, not in pytorch: add_."
    found = judge("Scaling", (2, 4), True, lockstep=False)
    assert found.findings[0].message.startswith("x, which the model was given, differs by up to 1 ")
    assert judge("Scaling", (2, 4), False).same


@pytest.mark.dotnet
def test_a_parameter_that_is_written_is_a_difference(judge: Judge) -> None:
    found = judge("Length", (2, 4), "decays")
    said = [(one.path, one.message) for one in found.findings if one.kind == "in place"]
    assert [path for path, _ in said] == ["fc"]
    assert said[0][1].startswith("after forward, the parameter fc.weight differs by up to ")
    assert judge("Length", (2, 4), "").same


@pytest.mark.dotnet
def test_a_result_that_was_written_before_it_is_returned_is_named(judge: Judge) -> None:
    found = judge("Sampling", (4, 4), "write").found
    assert len(found) == 1
    assert "its return value differs by up to" in found[0].message
    assert found[0].message.endswith(": add_ changed it in place.")
    assert found[0].source == line("m.add_(s)")


def test_results_that_share_an_arguments_memory_are_known() -> None:
    one, other = torch.ones(3), torch.ones(3)
    assert find_aliases([other, one], [one[1:], torch.ones(3), other]) == ((0, 1), (2, 0))
