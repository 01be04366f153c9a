"""zoo_work.stages: what PyTorch does not run, and the C# of what it runs."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.io.inputs import Inputs
from zoo_work import stages
from zoo_work.results import Root
from zoo_work.stages import Source


class Calls(nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(x)


class Doubles(nn.Module):
    def forward(self, x: torch.Tensor, *, twice: bool = False) -> torch.Tensor:
        return x * 4 if twice else x * 2


class Left(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.numpy())


def source(make: Callable[[], nn.Module], **named: Any) -> Source:
    return lambda _: (make, Inputs((torch.ones(2, 3),), named))


def _fail(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("no such size\nat all")


def _exhaust(x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.")


@pytest.mark.parametrize(
    ("function", "state", "why"),
    [
        (torch.relu, "runs", ""),
        (lambda x: {"a": [SimpleNamespace(value=x)]}, "runs", ""),
        (_fail, "fails", "ValueError: no such size"),
        (lambda x: None, "fails", "it returns no tensor, but NoneType"),
        (lambda x: ("a", 1), "fails", "it returns no tensor, but tuple"),
        (
            _exhaust,
            "large",
            "RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.",
        ),
    ],
)
def test_a_model_runs_or_not_for_a_reason(function: Callable[[torch.Tensor], Any], state: str, why: str) -> None:
    assert stages.eager("net", source(lambda: Calls(function)), 60.0) == (state, why)


def test_a_model_that_computes_longer_than_it_should_is_slow() -> None:
    state, why = stages.eager("net", source(Doubles), -1.0)  # no clock is so fast
    assert (state, why[-2:]) == ("slow", " s")


def test_inputs_by_name_reach_the_model() -> None:
    assert stages.eager("net", source(Doubles, twice=True), 60.0) == ("runs", "")
    assert stages.eager("net", source(Doubles, thrice=True), 60.0)[0] == "fails"


def test_what_is_written_is_left_or_refused_with_a_reason() -> None:
    result, files, root = stages.written("net", source(Doubles))
    assert (result.verdict, list(files), root) == ("", ["Doubles.cs"], Root("net.Doubles"))
    assert stages.written("net", source(Doubles))[0] == result
    left, _, _ = stages.written("net", source(Left))
    assert (left.verdict, left.left, left.methods, left.source) == ("left", 1, 1, 0)
    assert "numpy" in left.said
    refused, files, _ = stages.written("net", source(lambda: nn.Linear(3, 3)))
    assert (refused.verdict, files) == ("refused", {})
    assert "PyTorch's own class" in refused.said
