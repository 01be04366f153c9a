"""bridge.compare.isolate.causes.settings: a setting is a cause if the other side's value removes the difference."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bridge.compare.isolate.causes.settings import find_setting_causes, smallest_subset
from bridge.compare.isolate.pairs import CallPair, ModelPair
from bridge.compare.isolate.record import record_calls
from bridge.compare.models.settings import Setting, settings

NAMES = ("pytorch", "dotnet")


@pytest.mark.parametrize(
    ("ours", "theirs", "names"),
    [
        (nn.ReLU(), nn.GELU(), ["class"]),
        (nn.LayerNorm(3), nn.RMSNorm(3), ["class"]),
        (nn.ELU(), nn.CELU(2.0), []),  # with alpha 1, CELU is ELU
        (nn.ELU(), nn.ELU(2.0), ["alpha"]),
        (nn.Dropout(0.5), nn.Dropout(0.0).eval(), ["p", "training"]),  # each of them alone disables dropout
    ],
    ids=["another function", "another norm", "another number", "a setting", "two settings that hide each other"],
)
def test_the_settings_that_cause_the_difference_are_found(ours: nn.Module, theirs: nn.Module, names: list[str]) -> None:
    python, other = nn.Sequential(ours), nn.Sequential(theirs)
    before = dict(vars(theirs))
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    run = record_calls(python, {"input": x}, seed=0, grad_enabled=False, budget=1 << 30)
    call = next(call for call in run.calls if call.path == "0")
    models = ModelPair(python, other, NAMES, settings(python, other, NAMES), lambda _: (0.0, 0.0))
    pair = CallPair(models, call, theirs, (call.args, call.kwargs))
    outcome = pair.replay_dotnet()
    assert not torch.equal(call.result, outcome.result)
    found = find_setting_causes(CallPair(models, call, theirs, pair.arguments, outcome))
    assert [setting.name for setting in found] == names
    assert vars(theirs) == before


@pytest.mark.parametrize(("needed", "found"), [("c", "c"), ("bd", "bd"), ("e", "")])
def test_the_smallest_subset_that_suffices(needed: str, found: str) -> None:
    some = [Setting("", name, name) for name in "abcd"]
    subset = smallest_subset(some, lambda given: set(needed) <= {setting.name for setting in given})
    assert "".join(setting.name for setting in subset) == found
