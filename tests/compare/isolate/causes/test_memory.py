"""bridge.compare.isolate.causes.memory: writes in place are found with their operator and line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.copies import find_aliases
from bridge.compare.result import Comparison

Judge = Callable[..., Comparison]
WRITES = "it changes its argument in place in dotnet, not in pytorch: add_."


@pytest.mark.dotnet
@pytest.mark.parametrize(
    ("name", "path", "message"),
    [("Writing", "inner", f"inner (Scaling): {WRITES}"), ("Scaling", "", f"the root (Scaling): {WRITES}")],
)
def test_a_write_to_an_argument_is_found_with_its_operator(
    judge: Judge, line: Callable[[str], str], name: str, path: str, message: str
) -> None:
    found = judge(name, True)
    assert not found.same
    writes = [finding for finding in found.findings if finding.kind == "in place"]
    assert writes[0] == found.findings[0]
    assert [(finding.path, finding.source, finding.message) for finding in writes] == [
        (path, line("x.add_(1)"), message)
    ]
    assert judge(name, False).same


@pytest.mark.dotnet
def test_a_write_to_the_models_input_is_a_difference(judge: Judge) -> None:
    """All arguments and results of modules are equal; the caller's tensor is not."""
    assert judge("Scaling", True).verdict.endswith("1 tensor changed in place.")
    found = judge("Scaling", True, lockstep=False)
    assert found.findings[0].message.startswith("after forward, the argument x differs by up to 1 ")


@pytest.mark.dotnet
def test_arguments_are_matched_by_parameter(judge: Judge) -> None:
    """C#'s parameters are in another order."""
    x, mask = torch.ones(4, 4), torch.eye(4, dtype=torch.bool)
    assert judge("Filling", inputs=Inputs((x, mask)), lockstep=True).findings == ()


@pytest.mark.dotnet
def test_only_the_results_that_csharp_returns_are_compared(judge: Judge) -> None:
    found = judge("Halved", shape=(4, 4), lockstep=True)
    assert not [finding for finding in found.findings if "shares the memory" in finding.message]


@pytest.mark.dotnet
def test_a_write_to_a_parameter_is_a_difference(judge: Judge) -> None:
    found = judge("Length", "decays")
    writes = [(finding.path, finding.message) for finding in found.findings if finding.kind == "in place"]
    assert [path for path, _ in writes] == ["fc"]
    assert writes[0][1].startswith("after forward, the parameter fc.weight differs by up to ")
    assert judge("Length", "").same


@pytest.mark.dotnet
def test_a_write_to_the_result_is_found_as_its_cause(judge: Judge, line: Callable[[str], str]) -> None:
    (finding,) = judge("Sampling", "write").found
    assert "its return value differs by up to" in finding.message
    assert finding.message.endswith(": add_ changed it in place.")
    assert finding.source == line("m.add_(s)")


def test_results_that_share_an_arguments_storage() -> None:
    first, second = torch.ones(3), torch.ones(3)
    assert find_aliases([second, first], [first[1:], torch.ones(3), second]) == ((0, 1), (2, 0))
