"""bridge.compare.isolate.causes.settings: another class is a cause where PyTorch's module in that class does something else."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bridge.compare.isolate.causes.settings import fewest, proven
from bridge.compare.isolate.record import captured
from bridge.compare.isolate.replay import run_alone
from bridge.compare.models.settings import Setting, settings

NAMES = ("pytorch", "dotnet")


@pytest.mark.parametrize(
    ("ours", "theirs", "names"),
    [
        (nn.ReLU(), nn.GELU(), ["class"]),
        (nn.LayerNorm(3), nn.RMSNorm(3), ["class"]),
        (nn.ELU(), nn.CELU(2.0), []),
        (nn.ELU(), nn.ELU(2.0), ["alpha"]),
    ],
    ids=["another function", "another norm", "another number", "a setting"],
)
def test_a_class_that_does_the_same_is_no_cause(ours: nn.Module, theirs: nn.Module, names: list[str]) -> None:
    """With the same ``alpha``, CELU is ELU."""
    python, other = nn.Sequential(ours), nn.Sequential(theirs)
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    call = next(
        one for one in captured(python, {"input": x}, seed=0, flow=False, budget=1 << 30).calls if one.path == "0"
    )
    outcome = run_alone(theirs, call, (call.args, call.kwargs), {})
    assert not torch.equal(call.result, outcome.result)
    found = proven(call, theirs, (call.args, call.kwargs), outcome, settings(python, other, NAMES), NAMES)
    assert [one.name for one in found] == names


def test_two_settings_of_which_either_hides_the_other_are_both_named() -> None:
    """Without dropout in one of two ways, undone one after the other nothing changes."""
    ours, theirs = nn.Dropout(0.5), nn.Dropout(0.0).eval()
    python, other = nn.Sequential(ours), nn.Sequential(theirs)
    x = torch.ones(4, 3)
    call = captured(python, {"input": x}, seed=0, flow=False, budget=1 << 30).calls[1]
    outcome = run_alone(theirs, call, (call.args, call.kwargs), {})
    found = proven(call, theirs, (call.args, call.kwargs), outcome, settings(python, other, NAMES), NAMES)
    assert [one.name for one in found] == ["p", "mode"]
    assert (theirs.p, theirs.training) == (0.0, False)


def test_of_several_as_few_as_it_takes() -> None:
    some = [Setting("", name, name) for name in "abcd"]

    def proves(wanted: str) -> list[str]:
        return [one.name for one in fewest(some, lambda given: set(wanted) <= {one.name for one in given})]

    assert proves("c") == ["c"]
    assert proves("bd") == ["b", "d"]
    assert proves("e") == []
