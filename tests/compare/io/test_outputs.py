"""Which results are compared: by name, by a function, and by default as many as C# returns (F-1)."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from bridge.compare.errors import InputsError, TargetError
from bridge.compare.io.outputs import DefaultOutputs, Outputs, matching_results, parse_outputs


@dataclass
class Found:
    logits: torch.Tensor
    hidden: tuple[torch.Tensor, ...]
    cache: Any = None


A, B, C = torch.zeros(1), torch.ones(2), torch.ones(3)
Pair = namedtuple("Pair", ["first", "second"])


@pytest.mark.parametrize(
    ("result", "count", "chosen"),
    [
        (A, 1, A),
        ((A, None), 1, A),
        ((A, B), 2, (A, B)),
        (Found(A, (B, C)), 1, A),
        (Found(A, (B, C)), 3, (A, B, C)),
        (Found(A, (B, C)), 2, (A, B)),
        ({"hidden": B, "last_hidden_state": A}, 1, A),
        (OrderedDict(x=A, y=B), 1, A),
        (Pair(A, B), 1, A),
        (Found(A, (), object()), 1, A),
    ],
)
def test_as_many_as_csharp_returns(result: Any, count: int, chosen: Any) -> None:
    found = DefaultOutputs(count)(result)
    assert found is chosen or (len(found) == len(chosen) and all(x is y for x, y in zip(found, chosen, strict=True)))


@pytest.mark.parametrize(("result", "count"), [((A, B), 1), ((A, B), 3), ({"x": A}, 2), (A, 0)])
def test_unmatched_results_stay_whole(result: Any, count: int) -> None:
    """Of a tuple without names nothing is left out unasked: a result that C# forgot is a difference."""
    assert DefaultOutputs(count)(result) is result


def test_omitted_results_are_a_finding() -> None:
    chosen = DefaultOutputs(1)
    chosen(Found(A, (B, C)))
    (said,) = chosen.findings()
    assert said.kind == "left out"
    assert "compared: `logits`; not compared: `hidden.0`, `hidden.1`. Choose others with --outputs." in said.message
    nothing = DefaultOutputs(1)
    nothing(A)
    assert nothing.findings() == []


def test_an_inner_module_gives_its_first() -> None:
    assert matching_results(["0", "1"], [False, False], 1, inner=True) == [0]
    assert matching_results(["0", "1"], [False, False], 1) is None
    assert matching_results(["0", "1", "2"], [False, False, False], 2, inner=True) is None
    assert matching_results(["past", "logits"], [False, False], 1, inner=True) == [1]


@pytest.mark.parametrize(
    ("text", "chosen"), [("logits", A), ("hidden.1", C), ("hidden.0,logits", (B, A)), ("hidden", (B, C))]
)
def test_by_name_attribute_and_place(text: str, chosen: Any) -> None:
    found = parse_outputs(text)(Found(A, (B, C)))
    assert found is chosen or all(x is y for x, y in zip(found, chosen, strict=True))
    assert parse_outputs(text).findings() == []


def test_unknown_names() -> None:
    with pytest.raises(InputsError, match="no 'x' among the results: they are logits, hidden.0, hidden.1"):
        Outputs(("x",))(Found(A, (B, C)))
    with pytest.raises(InputsError, match="no '1' among the results: the result is one tensor"):
        Outputs(("1",))(A)
    with pytest.raises(TargetError, match="does not name a function"):
        parse_outputs("a.py:1")


def test_none_on_both_sides_is_a_place() -> None:
    """A model that returns ``(logits, None)``, and so does its port: nothing is chosen."""
    result = (torch.ones(2), None)
    assert DefaultOutputs(1, total=2)(result) is result
    assert torch.equal(DefaultOutputs(1, total=1)(result), result[0])
