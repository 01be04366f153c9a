"""bridge.compare.isolate.causes.grad_cuts: what stops gradients is named where PyTorch's forward with that has the same ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from bridge.compare.isolate.causes.grad_cuts import CutRun, find_cuts, find_proven_cut
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.record import record_calls
from bridge.compare.isolate.replay import Gradients, replay
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


def found(how: str) -> tuple[list[str], str | None]:
    """What stops gradients in that model alone, and what of it is proven."""
    torch.manual_seed(0)
    python, other = Net("loop" if how == "in a loop" else ""), Net(how)
    other.load_state_dict(python.state_dict())
    x = torch.randn(4, 3, requires_grad=True)
    call = next(
        one for one in record_calls(python, {"x": x}, seed=0, grad_enabled=True, budget=1 << 30).calls if one.path == ""
    )
    given = (call.args, call.kwargs)
    places: list[dict[nn.Module, tuple[str, ...]]] = [
        {module: (path,) for path, module in model.named_modules()} for model in (python, other)
    ]
    left, right = OperatorRecorder(lambda: SourceLocation("left")), OperatorRecorder(lambda: SourceLocation("right"))
    replay(python, call, given, places[0], listener=left)
    replay(other, call, given, places[1], listener=right)
    wanted = replay(other, call, given, places[1], backward=True).gradients
    assert wanted is not None

    def run(cut: CutRun) -> Gradients:
        return (
            replay(
                python, call, given, places[0], backward=True, listener=cut, carries_gradient=cut.carries_gradient
            ).gradients
            or {}
        )

    known = find_cuts(left, right)
    one = find_proven_cut(known, wanted, run)
    return [each.name for each in known], None if one is None else one.name


@pytest.mark.parametrize("how", ["place", "every place", "of a child", "given", "returned", "in a loop", "no_grad"])
def test_a_cut_that_gives_the_same_gradients_is_the_cause(how: str) -> None:
    name = "no_grad" if how == "no_grad" else "detach"
    known, one = found(how)
    assert set(known) == {name}
    assert one == name


@pytest.mark.parametrize("how", ["beside", "beside, no_grad"])
def test_what_stops_nothing_is_no_cause(how: str) -> None:
    """The gradient is twice as large, and something that has nothing to do with that is detached, or under ``no_grad``."""
    known, one = found(how)
    assert known
    assert one is None


def test_where_both_stop_the_same_nothing_is_found() -> None:
    forward: Callable[[Tensor], Tensor] = lambda x: x.detach() + 1  # noqa: E731  # twice the same
    sides = []
    for _ in range(2):
        made = OperatorRecorder(SourceLocation)
        with made:
            forward(torch.ones(2))
        sides.append(made)
    assert find_cuts(*sides) == []
