"""Arguments by the names of C#'s parameters, and what one side lacks left out on both (P-1)."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.alignment import _is_container, match_calls, nonpersistent_buffers, parameters, partners
from bridge.runtimes import pytorch
from bridge.trace import Trace


@pytest.mark.parametrize(
    ("theirs", "names", "given", "found"),
    [
        (["x"], ["x"], [], {"x": "x"}),
        (
            ["hiddenStates", "mask"],
            ["hidden_states", "past", "mask"],
            [],
            {"hiddenStates": "hidden_states", "mask": "mask"},
        ),
        (
            ["ids", "mask"],
            ["input_ids", "attention_mask", "past"],
            ["input_ids"],
            {"ids": "input_ids", "mask": "attention_mask"},
        ),
        (["embedded"], ["input_ids", "inputs_embeds"], ["inputs_embeds"], {"embedded": "inputs_embeds"}),
        (["input", "scale"], ["x", "mask", "scale"], [], {"input": "x", "scale": "scale"}),
        (["x", "y", "z"], ["x", "y"], [], {"x": "x", "y": "y"}),
    ],
)
def test_partners(theirs: list[str], names: list[str], given: list[str], found: dict[str, str]) -> None:
    assert partners(theirs, names, given) == found


def test_parameters_of_a_forward() -> None:
    class Some(nn.Module):
        def forward(self, x: Any, mask: Any = None, **kwargs: Any) -> Any:
            return x

    found = parameters(Some())
    assert found is not None
    assert list(found.defaults) == ["x", "mask"]
    assert found.open


class Inner(nn.Module):
    def forward(self, x: Any, mask: Any = None, scale: float = 1.0, **kwargs: Any) -> Any:
        return x, None


class Short(nn.Module):
    """What a port to C# would have."""

    def forward(self, x: Any, scale: float = 1.0) -> Any:
        return x


class Outer(nn.Module):
    def __init__(self, inner: nn.Module, *how: dict[str, Any]) -> None:
        super().__init__()
        self.inner = inner
        self.how = how

    def forward(self, x: Any) -> Any:
        for keywords in self.how:
            found = self.inner(x, **keywords)
            x = found[0] if isinstance(found, tuple) else found
        return x


def _matched(left: nn.Module, right: nn.Module) -> tuple[Trace, Trace, list[str]]:
    recordings = []
    for model in (left, right):
        with pytorch.record(model, values="full") as recording:
            model(torch.ones(2))
        recordings.append(recording)
    a, b, found = match_calls(recordings[0].trace, recordings[1].trace, recordings[0].labels, left, right)
    assert all(finding.kind == "left out" for finding in found)
    return a, b, [finding.message for finding in found]


def _values(trace: Trace) -> list[list[str]]:
    return [[str(value) for value in event.values] for event in trace if event.path == "inner"]


@pytest.mark.parametrize(
    ("how", "theirs", "values"),
    [
        ({}, {}, ["float32[2]"]),
        ({"mask": None}, {}, ["float32[2]"]),
        ({"mask": None, "scale": 1.0, "use_cache": None}, {}, ["float32[2]"]),
        ({"scale": 2.0}, {"scale": 2.0}, ["float32[2]", "2.0"]),
    ],
)
def test_defaults_are_left_out_without_a_finding(
    how: dict[str, Any], theirs: dict[str, Any], values: list[str]
) -> None:
    a, b, said = _matched(Outer(Inner(), how), Outer(Short(), theirs))
    assert _values(a) == _values(b) == [values, ["float32[2]"]]
    assert said == []


def test_another_value_is_one_finding_with_its_modules() -> None:
    """P-1, named; what comes after it is compared."""
    a, b, said = _matched(
        Outer(Inner(), {"drop_rate": 0.1}, {"drop_rate": 0.2, "scale": 3.0}), Outer(Short(), {}, {"scale": 4.0})
    )
    assert said == [
        "inner: pytorch#2 has no parameter for the argument `drop_rate` (0.1 in pytorch), which was not compared."
    ] or said == [
        "inner: pytorch has no parameter for the argument `drop_rate` (0.1 in pytorch), which was not compared."
    ]
    assert _values(a)[2] == ["float32[2]", "3.0"]
    assert _values(b)[2] == ["float32[2]", "4.0"]


def test_nothing_is_done_where_arguments_correspond() -> None:
    """The trace is the same object: no event is copied."""
    model = Outer(Short(), {"scale": 2.0})
    with pytorch.record(model) as recording:
        model(torch.ones(2))
    a, b, said = match_calls(recording.trace, recording.trace, recording.labels, model, model)
    assert a is recording.trace
    assert b is recording.trace
    assert said == []


def test_tables_that_only_pytorch_has() -> None:
    left, right = nn.Module(), nn.Module()
    left.register_buffer("table", torch.ones(1), persistent=False)
    left.register_buffer("kept", torch.ones(1))
    assert nonpersistent_buffers(left, right) == ("table",)
    right.register_buffer("table", torch.ones(1), persistent=False)
    assert nonpersistent_buffers(left, right) == ()


@pytest.mark.parametrize(
    ("annotation", "takes"),
    [
        (tuple[torch.Tensor, torch.Tensor], True),
        (tuple[torch.Tensor, torch.Tensor] | None, True),
        (list[int] | None, True),
        (torch.Tensor | None, False),
        (int, False),
    ],
)
def test_parameters_that_take_several_values(annotation: Any, takes: bool) -> None:
    assert _is_container(annotation) is takes
