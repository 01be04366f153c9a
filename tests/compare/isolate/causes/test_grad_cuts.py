"""bridge.compare.isolate.causes.grad_cuts: a cut is proven if PyTorch's forward with it has C#'s gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from bridge.compare.isolate.causes.grad_cuts import CutRun, find_cuts, find_proven_cut
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.record import record_calls
from bridge.compare.isolate.replay import Gradients, Outcome, replay
from bridge.compare.isolate.source_location import SourceLocation


def multiplied_twice(x: Tensor, y: Tensor, detached: bool) -> Tensor:
    for _ in range(2):
        x = (x * y).detach() if detached else x * y
    return x * y + x


def doubled(x: Tensor, y: Tensor, grad_enabled: bool) -> Tensor:
    """Double the gradient of ``x``, and detach a tensor that is not part of the result."""
    with torch.set_grad_enabled(grad_enabled):
        assert x.detach().abs().sum() >= 0
    x = x * 1
    x.register_hook(lambda gradient: 2 * gradient)
    return y * x + x


#: The argument of ``act``, computed from the model's argument and the result of ``inner``.
FORWARDS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "": lambda x, y: y * x + x,
    "one use": lambda x, y: y * x.detach() + x,
    "every use": lambda x, y: y * x.detach() + x.detach(),
    "a child's result": lambda x, y: y.detach() * x + x,
    "a child's argument": lambda x, y: (y * x + x).detach(),
    "result": lambda x, y: y * x + x,
    "no_grad": lambda x, y: torch.no_grad()(torch.mul)(y, x) + x,
    "loop": lambda x, y: multiplied_twice(x, y, detached=False),
    "in a loop": lambda x, y: multiplied_twice(x, y, detached=True),
    "unrelated": lambda x, y: doubled(x, y, grad_enabled=True),
    "unrelated, no_grad": lambda x, y: doubled(x, y, grad_enabled=False),
}


class Net(nn.Module):
    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.how = how
        self.inner = nn.Linear(3, 3)
        self.act = nn.Tanh()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.act(FORWARDS[self.how](x, self.inner(x)))
        return result.detach() if self.how == "result" else result


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


@pytest.mark.parametrize(
    "how", ["one use", "every use", "a child's result", "a child's argument", "result", "in a loop", "no_grad"]
)
def test_a_cut_with_equal_gradients_is_the_cause(how: str) -> None:
    name = "no_grad" if how == "no_grad" else "detach"
    assert find(how) == ({name}, name)


@pytest.mark.parametrize("how", ["unrelated", "unrelated, no_grad"])
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
