"""bridge.compare.isolate.causes.grad_cuts: a cut is proven if PyTorch's forward with it has C#'s gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from bridge.compare.isolate.causes.grad_cuts import CutRun, find_cuts, find_proven_cut
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.record import record_calls
from bridge.compare.isolate.replay import Gradients, Outcome, replay
from bridge.compare.isolate.source_location import SourceLocation


class Net(nn.Module):
    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.how = how
        self.inner = nn.Linear(3, 3)
        self.act = nn.Tanh()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.inner(x)
        if self.how == "place":
            return self.act(y * x.detach() + x)
        if self.how == "every place":
            return self.act(y * x.detach() + x.detach())
        if self.how == "in a loop":
            for _ in range(2):
                x = (x * y).detach()
            return self.act(y * x + x)
        if self.how == "of a child":
            return self.act(y.detach() * x + x)
        if self.how == "given":
            return self.act((y * x + x).detach())
        if self.how == "returned":
            return self.act(y * x + x).detach()
        if self.how == "no_grad":
            with torch.no_grad():
                z = y * x
            return self.act(z + x)
        if self.how == "loop":
            for _ in range(2):
                x = x * y
        if self.how in ("beside", "beside, no_grad"):
            with torch.set_grad_enabled(self.how == "beside"):
                assert x.detach().abs().sum() >= 0
            x = x * 1
            x.register_hook(lambda gradient: 2 * gradient)
        return self.act(y * x + x)


def find(how: str) -> tuple[set[str], str | None]:
    """Return the names of the cuts that one model has and the original does not, and that of the proven one."""
    torch.manual_seed(0)
    python, other = Net("loop" if how == "in a loop" else ""), Net(how)
    other.load_state_dict(python.state_dict())
    x = torch.randn(4, 3, requires_grad=True)
    run = record_calls(python, {"x": x}, seed=0, grad_enabled=True, budget=1 << 30)
    call = next(call for call in run.calls if call.path == "")

    def replayed(model: nn.Module, **options: Any) -> Outcome:
        paths = {module: (path,) for path, module in model.named_modules()}
        return replay(model, call, (call.args, call.kwargs), paths, **options)

    def gradients(cut: CutRun) -> Gradients:
        options = {"listener": cut, "carries_gradient": cut.carries_gradient}
        return replayed(python, backward=True, **options).gradients or {}

    left, right = (OperatorRecorder(lambda side=side: SourceLocation(side)) for side in ("left", "right"))
    replayed(python, listener=left)
    replayed(other, listener=right)
    wanted = replayed(other, backward=True).gradients
    assert wanted is not None
    cuts = find_cuts(left, right)
    proven = find_proven_cut(cuts, wanted, gradients)
    return {cut.name for cut in cuts}, None if proven is None else proven.name


@pytest.mark.parametrize("how", ["place", "every place", "of a child", "given", "returned", "in a loop", "no_grad"])
def test_a_cut_with_equal_gradients_is_the_cause(how: str) -> None:
    name = "no_grad" if how == "no_grad" else "detach"
    assert find(how) == ({name}, name)


@pytest.mark.parametrize("how", ["beside", "beside, no_grad"])
def test_a_cut_that_changes_no_gradient_is_no_cause(how: str) -> None:
    """The gradient is doubled by a hook, and an unrelated tensor is detached."""
    cuts, proven = find(how)
    assert cuts
    assert proven is None


def test_a_cut_on_both_sides_is_no_difference() -> None:
    sides = []
    for _ in range(2):
        recorder = OperatorRecorder(SourceLocation)
        with recorder:
            _ = torch.ones(2).detach() + 1
        sides.append(recorder)
    assert find_cuts(*sides) == []
