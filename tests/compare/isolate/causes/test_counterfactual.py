"""bridge.compare.isolate.causes.counterfactual: an operator is a cause where undoing it takes the difference away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bridge.compare.errors import CounterfactualError
from bridge.compare.isolate.causes.counterfactual import CounterfactualRun
from bridge.compare.isolate.causes.interventions import Intervention, find_interventions, is_from_inputs, join
from bridge.compare.isolate.divergence import Divergence, find_different, find_divergences
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.phrasing.divergences import describe_divergence
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.isolate.value_comparison import are_near
from bridge.compare.result import Comparison

Forward = Callable[[Tensor], Tensor]
X = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


def recorded(forward: Forward, line: str = "") -> OperatorRecorder:
    made = OperatorRecorder(lambda: SourceLocation(line))
    made.module_called(X)
    with made:
        made.module_returned(forward(X))
    return made


def parted(
    ours: Forward, theirs: Forward, line: str = ""
) -> tuple[list[Divergence], OperatorRecorder, OperatorRecorder]:
    left, right = recorded(ours), recorded(theirs, line)
    return find_divergences(left, right)[0], left, right


def with_undone(theirs: Forward, undoing: Intervention, right: OperatorRecorder, wanted: Tensor) -> Tensor | None:
    """What the second forward gives then; None where it could not be done."""
    listener = CounterfactualRun(undoing, right)
    with listener:
        result = theirs(X)
    listener.module_returned(result)
    return None if listener.failed else undoing.adjust(result, wanted)


def undone(ours: Forward, theirs: Forward, line: str = "") -> list[bool]:
    """For each parting whether some way to undo it makes the two equal."""
    some, left, right = parted(ours, theirs, line)
    wanted = ours(X)
    return [
        any(
            (result := with_undone(theirs, way, right, wanted)) is not None and are_near(wanted, result, 1e-4)
            for way in find_interventions(one, some, left, right, lambda: find_different(right, left))
        )
        for one in some
    ]


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
    ],
    ids=["another", "argument", "extra", "missing", "missing in a branch", "several for one", "of two results"],
)
def test_what_is_undone_takes_the_difference_away(ours: Forward, theirs: Forward) -> None:
    assert True in undone(ours, theirs)


def test_one_of_two_is_no_cause_alone_and_both_are_together() -> None:
    def ours(x: Tensor) -> Tensor:
        return x.relu() + x.sin()

    def theirs(x: Tensor) -> Tensor:
        return x.tanh() + x.cos()

    some, _, right = parted(ours, theirs)
    assert undone(ours, theirs) == [False, False]
    whole = join(some)
    assert whole is not None
    result = with_undone(theirs, whole, right, ours(X))
    assert result is not None
    assert torch.equal(result, ours(X))


def test_one_line_that_runs_twice_is_undone_at_once() -> None:
    def ours(x: Tensor) -> Tensor:
        return x @ x.t()

    def theirs(x: Tensor) -> Tensor:
        return x.relu() @ x.t().relu()

    assert not any(undone(ours, theirs))
    assert any(undone(ours, theirs, "F.cs:7"))


def test_the_same_operator_on_what_is_only_near_is_no_cause() -> None:
    """Beside a mask of -10000 scores are near that are not the same."""
    mask = torch.zeros(3, 3)
    mask[:, 2] = -10000.0
    some, left, right = parted(lambda x: (x + mask).softmax(-1), lambda x: (x * 1.1 + mask).softmax(-1))
    softmax = next(one for one in some if one.left is not None and one.left.name == "softmax")
    assert is_from_inputs(softmax)
    assert list(find_interventions(softmax, some, left, right, frozenset)) == []


def test_what_has_no_place_in_the_result_is_not_done() -> None:
    _, _, right = parted(lambda x: x + 1, lambda x: x.add_(0) + 2)
    place = next(one.index for one in right.operators if one.aten == "add_")
    listener = CounterfactualRun(Intervention({place: (torch.zeros(2, 2),)}), right)
    with pytest.raises(CounterfactualError), listener:
        X.clone().add_(0)
    assert listener.failed


def test_what_is_said_names_all_that_is_undone_together() -> None:
    """C# spells out what PyTorch has one operator for, with a mistake in it: not the first of them alone is otherwise."""

    def theirs(x: Tensor) -> Tensor:
        return (x.neg().exp() * 2) + 1

    def ours(x: Tensor) -> Tensor:
        return x.sigmoid() + 1

    some, left, right = parted(ours, theirs)
    ways = (
        way for one in some for way in find_interventions(one, some, left, right, lambda: find_different(right, left))
    )
    wanted = ours(X)
    proven = next(
        way
        for way in ways
        if (got := with_undone(theirs, way, right, wanted)) is not None and are_near(wanted, got, 1e-4)
    )
    assert proven.divergence is not None
    assert (
        describe_divergence(proven.divergence, ("pytorch", "dotnet")) == "sigmoid in pytorch, neg, exp, mul in dotnet"
    )


def test_what_is_missing_takes_all_that_the_operators_take() -> None:
    def ours(x: Tensor) -> Tensor:
        return x.relu().masked_fill((x > 0).logical_not(), -9.0).softmax(-1)

    def theirs(x: Tensor) -> Tensor:
        return (x > 0, x.relu().softmax(-1))[1]

    assert True in undone(ours, theirs)


@pytest.mark.dotnet
def test_each_of_two_mistakes_in_one_forward_is_proven_by_itself(judge: Callable[..., Comparison]) -> None:
    found = [one for one in judge("Late", (4, 4), "both").findings if one.kind == "operator"]
    assert ["transpose of pytorch" in one.message for one in found] == [True, True]
