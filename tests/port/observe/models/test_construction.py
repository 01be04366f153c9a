"""construction.py: the arguments of constructors."""

from __future__ import annotations

import sys

import pytest
from torch import nn

from bridge.port.observe.models.construction import construct, defaults


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
    model, given = construct(Outer)
    assert isinstance(model, Outer)
    assert given[model.a] == {"width": 2, "rate": 0.5}
    assert given[model.b] == {"width": 3, "rate": 0.1}
    assert defaults(Inner) == {"rate": 0.5}


def test_a_factory_that_raises_leaves_no_profiler_behind() -> None:
    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError):
        construct(lambda: nn.Linear(1, 1 // 0))
    assert sys.getprofile() is before
