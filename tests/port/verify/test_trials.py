"""trials.py: wrong ports that agree with their originals at the given inputs. The ports are modules of PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.verify.trials import run_trials

GIVEN = torch.rand((2, 4), generator=torch.Generator().manual_seed(5))


class Model(nn.Module):
    """A model whose forward is a function of the module and its arguments."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function
        self.calls = 0
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> object:
        return self.function(self, x, mask)


def _counted(self: Model, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    self.calls += 1
    return x * self.calls


def _seen(self: Model, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    self.seen += x.sum().clamp(max=6)
    return x


def _masked(self: Model, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    return x if mask is None else x.masked_fill(mask, 0)


#: The original's function and the port's, which fixes what the original computes in each call.
WRONG: dict[str, tuple[Callable[..., object], Callable[..., object]]] = {
    "batch size": (lambda self, x, _: x.view(x.shape[0], -1).sum(1), lambda self, x, _: x.reshape(2, -1).sum(1)),
    "branch on a size": (lambda self, x, _: x * 2 if x.shape[0] > 4 else x, lambda self, x, _: x),
    "branch on a large value": (lambda self, x, _: x * 3 if x.max() > 1e3 else x, lambda self, x, _: x),
    "negative values": (lambda self, x, _: x.abs(), lambda self, x, _: x),
    "zeros": (lambda self, x, _: x / x.sum() if x.any() else x, lambda self, x, _: x / x.sum()),
    "ties": (lambda self, x, _: x.unique().numel(), lambda self, x, _: x.numel()),
    "train mode": (lambda self, x, _: x * 2 if self.training else x, lambda self, x, _: x),
    "random numbers": (
        lambda self, x, _: x + torch.rand_like(x) if self.training else x,
        lambda self, x, _: x + torch.rand_like(x) * 2 if self.training else x,
    ),
    "second call": (_counted, lambda self, x, _: x),
    "buffer": (_seen, lambda self, x, _: x),
    "missing argument": (_masked, lambda self, x, mask: x.masked_fill(mask, 0)),
    "element type": (lambda self, x, _: x.sum() + 1 if len(x) == 1 else x.sum(), lambda self, x, _: x.sum().double()),
    "number of results": (lambda self, x, _: x.unbind(), lambda self, x, _: (x[0], x[1])),
    "exception": (lambda self, x, _: x, lambda self, x, _: x.view(2, 4)),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_that_the_given_inputs_do_not_show_is_found(fault: str) -> None:
    """Issue 43, 'Sound or said': sizes, values, modes, None and calls in a row are tried; the first difference is shown."""
    function, wrong = WRONG[fault]
    given = {"x": GIVEN, "mask": GIVEN > 0.5}
    found = run_trials(Model(function), lambda: Model(wrong), given, seed=0, seconds=600, limit=400)
    assert found.difference, fault
    assert 1 <= len(found.calls) <= 2
    assert str(found).startswith("Tried ")
    assert "differs." in str(found)


@pytest.mark.parametrize("fault", WRONG)
def test_a_model_agrees_with_itself(fault: str) -> None:
    """The original's state, random numbers and exceptions make no difference: both models get the same calls."""
    function, _ = WRONG[fault]
    found = run_trials(
        Model(function), lambda: Model(function), {"x": GIVEN, "mask": GIVEN > 0.5}, seed=0, seconds=600, limit=150
    )
    assert (found.difference, found.calls) == ("", ())
    assert found.accepted >= 50
    assert found.in_train_mode >= 10
    assert str(found).endswith(": same.")


def test_a_difference_is_shown_with_a_small_input() -> None:
    wide = torch.rand((8, 3, 32, 32), generator=torch.Generator().manual_seed(5))
    function, wrong = WRONG["branch on a large value"]
    found = run_trials(Model(function), lambda: Model(wrong), {"x": wide}, seed=0, seconds=600, limit=100)
    (call,) = found.calls
    assert call.arguments["x"].numel() == 1
    assert "call with x = torch.tensor([[[[" in str(found)


def test_a_difference_of_the_second_call_is_shown_with_both() -> None:
    function, wrong = WRONG["second call"]
    found = run_trials(Model(function), lambda: Model(wrong), {"x": GIVEN}, seed=0, seconds=600, limit=100)
    assert len(found.calls) == 2
    assert "\n  then with x = " in str(found)


def test_an_original_that_refuses_inputs_is_as_it_was() -> None:
    """A call that raises leaves no state behind: the next calls of both models agree."""

    def counted(self: Model, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        self.seen += 1
        self.calls += 1
        return x.view(2, 4) * self.calls

    found = run_trials(Model(counted), lambda: Model(counted), {"x": GIVEN}, seed=0, seconds=600, limit=100)
    assert found.difference == ""
    assert 0 < found.accepted < 100
