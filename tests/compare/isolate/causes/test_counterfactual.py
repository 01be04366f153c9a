"""bridge.compare.isolate.causes.counterfactual and .interventions: a cause is proven if its removal removes the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
import torch
from torch import Tensor

from bridge.compare.errors import CounterfactualError
from bridge.compare.isolate.causes.counterfactual import CounterfactualRun
from bridge.compare.isolate.causes.interventions import Intervention, find_interventions, is_caused_by_inputs, join
from bridge.compare.isolate.divergence import Divergence, find_different_operators, find_divergences
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.phrasing.divergences import describe_divergence
from bridge.compare.isolate.value_comparison import are_near

Forward = Callable[[Tensor], Tensor]
Record = Callable[..., OperatorRecorder]


class Sides:
    """Two forwards, their recordings and their divergences."""

    def __init__(self, record: Record, x: Tensor, ours: Forward, theirs: Forward, source: str = "") -> None:
        self.x, self.theirs, self.wanted = x, theirs, ours(x)
        self.left, self.right = record(ours), record(theirs, source=source)
        self.divergences = find_divergences(self.left, self.right)[0]

    def interventions(self, divergence: Divergence) -> Iterator[Intervention]:
        """Yield the interventions for a divergence."""
        return find_interventions(
            divergence, self.divergences, self.left, self.right, lambda: find_different_operators(self.right, self.left)
        )

    def is_removed_by(self, intervention: Intervention) -> bool:
        """Return whether the second forward with an intervention returns what the first does."""
        run = CounterfactualRun(intervention, self.right)
        with run:
            result = self.theirs(self.x)
        run.module_returned(result)
        return not run.failed and are_near(self.wanted, intervention.adjust(result, self.wanted), 1e-4)

    def proven(self) -> list[bool]:
        """Return for each divergence whether one of its interventions removes the difference."""
        return [any(map(self.is_removed_by, self.interventions(divergence))) for divergence in self.divergences]


MakeSides = Callable[..., Sides]


@pytest.fixture
def sides(record: Record, x: Tensor) -> Callable[..., Sides]:
    """Return ``sides(ours, theirs, source)``."""
    return partial(Sides, record, x)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda x: x.relu() * 2 + 1, lambda x: x.tanh() * 2 + 1),
        (lambda x: x.softmax(-1) + 1, lambda x: x.softmax(0) + 1),
        (lambda x: x.relu() + 1, lambda x: (x * 3).relu() + 1),
        (lambda x: x.t().tanh() @ x, lambda x: x.tanh() @ x),
        (lambda x: x.relu().tanh() + x, lambda x: x.tanh() + x),
        (lambda x: x / 2 + 1, lambda x: x.reciprocal() * 2 + 1),
        (lambda x: x.amax(1) + 1, lambda x: x.min(1).values + 2 - 1),
        (
            lambda x: x.relu().masked_fill((x > 0).logical_not(), -9.0).softmax(-1),
            lambda x: (x > 0, x.relu().softmax(-1))[1],
        ),
    ],
    ids=[
        "another",
        "argument",
        "extra",
        "missing",
        "missing branch",
        "several for one",
        "of two results",
        "two inputs",
    ],
)
def test_an_intervention_removes_the_difference(sides: MakeSides, ours: Forward, theirs: Forward) -> None:
    assert True in sides(ours, theirs).proven()


def test_two_divergences_are_removed_together(sides: MakeSides) -> None:
    both = sides(lambda x: x.relu() + x.sin(), lambda x: x.tanh() + x.cos())
    assert both.proven() == [False, False]
    joint = join(both.divergences)
    assert joint is not None
    assert both.is_removed_by(joint)


@pytest.mark.parametrize(("source", "proven"), [("", False), ("F.cs:7", True)])
def test_a_line_that_runs_twice_is_removed_at_once(sides: MakeSides, source: str, proven: bool) -> None:
    assert any(sides(lambda x: x @ x.t(), lambda x: x.relu() @ x.t().relu(), source).proven()) == proven


def test_an_operator_on_inputs_that_are_only_near_is_no_cause(sides: MakeSides) -> None:
    """Scores beside a mask of -10000 are near, and not equal."""
    mask = torch.zeros(3, 3)
    mask[:, 2] = -10000.0
    both = sides(lambda x: (x + mask).softmax(-1), lambda x: (x * 1.1 + mask).softmax(-1))
    softmax = next(found for found in both.divergences if found.left is not None and found.left.name == "softmax")
    assert is_caused_by_inputs(softmax)
    assert list(both.interventions(softmax)) == []


def test_a_replacement_that_does_not_fit_fails(record: Record, x: Tensor) -> None:
    right = record(lambda x: x.add_(0) + 2)
    index = next(operator.index for operator in right.operators if operator.aten == "add_")
    run = CounterfactualRun(Intervention({index: (torch.zeros(2, 2),)}), right)
    with pytest.raises(CounterfactualError), run:
        x.clone().add_(0)
    assert run.failed


@pytest.mark.parametrize("shape", [(3, 3), (0,)])
def test_a_replacement_is_written_into_the_out_argument(record: Record, shape: tuple[int, ...]) -> None:
    """An operator resizes an empty one. The first argument is no result."""
    x, out = torch.ones(3, 3), torch.zeros(shape)
    right = record(lambda _: torch.mul(x, 3, out=torch.zeros(shape)))
    index = next(operator.index for operator in right.operators if operator.aten == "mul")
    with CounterfactualRun(Intervention({index: (x * 2,)}), right):
        result = torch.mul(x, 3, out=out)
    assert result is out
    assert torch.equal(out, torch.full((3, 3), 2.0))
    assert torch.equal(x, torch.ones(3, 3))


def test_replacements_are_written_into_two_out_arguments(record: Record, x: Tensor) -> None:
    out = (torch.zeros(3), torch.zeros(3, dtype=torch.long))
    right = record(lambda x: torch.min(x, 1, out=(torch.zeros(3), torch.zeros(3, dtype=torch.long))))
    index = next(operator.index for operator in right.operators if operator.aten == "min")
    with CounterfactualRun(Intervention({index: tuple(torch.max(x, 1))}), right):
        torch.min(x, 1, out=out)
    assert all(map(torch.equal, out, torch.max(x, 1)))


def test_the_description_lists_all_operators_that_are_removed(sides: MakeSides) -> None:
    """C# writes out the sigmoid, with a mistake: more than its first operator differs."""
    both = sides(lambda x: x.sigmoid() + 1, lambda x: (x.neg().exp() * 2) + 1)
    interventions = (way for divergence in both.divergences for way in both.interventions(divergence))
    proven = next(filter(both.is_removed_by, interventions))
    assert proven.divergence is not None
    described = describe_divergence(proven.divergence, ("pytorch", "dotnet"))
    assert described == "sigmoid in pytorch, neg, exp, mul in dotnet"
