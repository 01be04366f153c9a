"""recording.py: one run of a model, as the statements of its modules."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.graphs.recording import record
from bridge.port.observe.modules import is_own


class Step(nn.Module):
    def __init__(self, run: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.run = run

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.run(x)


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step, self.norm = Step(lambda x: x.relu() + 1), nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.step(self.step(x)))


def lines(run: Callable[[torch.Tensor], torch.Tensor]) -> list[str]:
    model = Step(run)
    return [
        ast.unparse(ast.fix_missing_locations(one))
        for one in record(model, {"x": torch.rand(2, 3)}, is_own)[model].body
    ]


def test_operators_become_statements() -> None:
    assert lines(lambda x: x.relu() + 1) == ["relu = x.relu()", "add = relu + 1", "return add"]


def test_sizes_are_followed_through_arithmetic() -> None:
    assert lines(lambda x: x.view(x.shape[0] * x.size(1))) == ["view = x.view(x.shape[0] * x.shape[1])", "return view"]
    assert lines(lambda x: x / x.numel())[0].endswith("= x / (1 * x.shape[0] * x.shape[1])")


def halves(x: torch.Tensor) -> torch.Tensor:
    return x[:, :1] if x.shape[1] > 2 else x


@pytest.mark.parametrize("run", [lambda x: x[: int(x.shape[1] / 2)], halves, lambda x: x * len(x)])
def test_places_where_sizes_become_plain_numbers_are_noted(run: Callable[[torch.Tensor], torch.Tensor]) -> None:
    model = Step(run)
    found = record(model, {"x": torch.rand(2, 3)}, is_own)[model]
    assert found.failed == ""
    assert found.escapes
    assert found.escapes[0].startswith("test_recording.py:")


class Sized(nn.Module):
    """A child that is given a size of its parent's tensor, and tests it."""

    def forward(self, x: torch.Tensor, rows: int) -> torch.Tensor:
        return x + 1 if rows > 1 else x


class Giving(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.child = Sized()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.child(x, x.shape[0])


def test_a_size_that_a_child_is_given_is_an_expression_of_the_parent_alone() -> None:
    model = Giving()
    found = record(model, {"x": torch.rand(2, 3)}, is_own)
    assert ast.unparse(ast.fix_missing_locations(found[model].body[0])) == "child2 = self.child(x, x.shape[0])"
    assert found[model].escapes == found[model.child].escapes == []


def test_children_are_called_and_each_module_is_recorded_once() -> None:
    model = Twice()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = record(model, {"x": torch.rand(2, 3)}, is_own)
    assert list(found) == [model, model.step]
    assert [ast.unparse(ast.fix_missing_locations(one)) for one in found[model].body] == [
        "step2 = self.step(x)",
        "step3 = self.step(step2)",
        "norm2 = self.norm(step3)",
        "return norm2",
    ]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("run", [lambda x: x * x.sum().item(), lambda x: x if x.sum() > 0 else -x])
def test_what_depends_on_values_has_no_graph(run: Callable[[torch.Tensor], torch.Tensor]) -> None:
    model = Step(run)
    assert "depends on the values" in record(model, {"x": torch.rand(2, 3)}, is_own)[model].failed


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 3


def test_what_has_gradients_of_its_own_has_no_graph() -> None:
    before = vars(Doubled)["forward"]
    model = Step(Doubled.apply)
    assert (
        record(model, {"x": torch.rand(2)}, is_own)[model].failed
        == "the gradients of Doubled, which its backward computes"
    )
    assert vars(Doubled)["forward"] is before


def test_calls_are_as_they_were_after_a_run_that_fails() -> None:
    call = nn.Module.__call__
    with pytest.raises(RuntimeError):
        record(Step(lambda x: x @ x), {"x": torch.rand(2, 3)}, is_own)
    assert nn.Module.__call__ is call
