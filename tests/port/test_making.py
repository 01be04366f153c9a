"""making.py: what constructors were given."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

from bridge.port.making import defaults, made
from bridge.port.port_errors import Unwritable


class Inner(nn.Module):
    def __init__(self, width: int, rate: float = 0.5) -> None:
        super().__init__()
        self.rate = rate
        self.linear = nn.Linear(width, width)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Inner(2), Inner(3, rate=0.1)


def test_the_arguments_of_each_module_are_noted() -> None:
    model, given = made(Outer)
    assert isinstance(model, Outer)
    assert given[model.a] == {"width": 2, "rate": 0.5}
    assert given[model.b] == {"width": 3, "rate": 0.1}
    assert defaults(Inner) == {"rate": 0.5}


def test_a_factory_that_raises_leaves_no_profiler_behind() -> None:
    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError):
        made(lambda: nn.Linear(1, 1 // 0))
    assert sys.getprofile() is before


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        (parametrizations.spectral_norm, "torch.nn.utils.parametrize.remove_parametrizations"),
        (torch.nn.utils.spectral_norm, "torch.nn.utils.remove_spectral_norm"),
        (torch.nn.utils.weight_norm, "torch.nn.utils.remove_weight_norm"),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_weight_that_is_computed_before_each_call_is_refused(change: Callable[..., nn.Module], undo: str) -> None:
    with pytest.raises(
        Unwritable, match=rf"^0 has a weight that \w+ computes: port the model after {undo}, which keeps"
    ):
        made(lambda: nn.Sequential(change(nn.Linear(2, 2))))
