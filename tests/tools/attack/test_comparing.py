"""attack.comparing: what counts as the same."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import bridge
from attack.comparing import Raised, difference, until_refused


@pytest.mark.parametrize(
    ("mirror", "twin"),
    [
        (1, 1),
        (math.nan, math.nan),
        ([1, {"a": torch.ones(2)}], (1, {"a": torch.ones(2)})),
        (torch.ones(2), torch.ones(2) + 1e-7),
        (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])),
        (torch.ones(2, device="meta"), torch.ones(2, device="meta")),
        (Raised(IndexError("one text")), Raised(IndexError("another"))),
        (Raised(bridge.DotNetError("System.Exception", "text", "", None)), Raised(RuntimeError())),
    ],
)
def test_the_same(mirror: Any, twin: Any) -> None:
    assert difference(mirror, twin) is None


@pytest.mark.parametrize(
    ("mirror", "twin", "said"),
    [
        (1, 2, ": 1, not 2"),
        (1, True, ": 1, not True"),
        ([1, 2], [1], ": 2 items, not 1"),
        ({"a": 1}, {"b": 1}, ": the keys ['a'], not ['b']"),
        ([0, {"a": torch.ones(2)}], [0, {"a": torch.zeros(2)}], "[1]['a']: [1.0, 1.0] …, not [0.0, 0.0] …"),
        (torch.ones(2), torch.ones(1, 2), ": shape torch.Size([2]), not torch.Size([1, 2])"),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), ": dtype torch.float32, not torch.float64"),
        (torch.tensor([1.0]), torch.tensor([math.nan]), ": [1.0] …, not [nan] …"),
        (Raised(RuntimeError("a")), Raised(ValueError("b")), ": it raised RuntimeError: a, not ValueError: b"),
        (Raised(RuntimeError("a")), torch.ones(1), ": RuntimeError: a, not tensor([1.])"),
    ],
)
def test_another(mirror: Any, twin: Any, said: str) -> None:
    assert difference(mirror, twin) == said


def test_a_type_that_csharp_refuses_ends_the_comparison() -> None:
    """PyTorch goes on with what a hook put in a tensor's place; .NET does not (F-2)."""
    refused = Raised(TypeError("Int64 was given where C# declares Tensor (F-2: types in .NET are fixed)"))
    mirror, twin, any_refused = until_refused([("a", 1), ("call", refused)], [("a", 1), ("b", 2), ("call", 3)])
    assert (mirror, twin, any_refused) == ([("a", 1)], [("a", 1)], True)
    assert until_refused([("a", 1)], [("a", 2)]) == ([("a", 1)], [("a", 2)], False)


def test_a_refused_type_ends_the_comparison_also_where_a_hook_in_the_recovery_raises() -> None:
    """A-8: a hook that clears the dictionaries replaces the call's own error."""
    try:
        raise TypeError("Int64 was given where C# declares Tensor")
    except TypeError:
        try:
            raise RuntimeError("OrderedDict mutated during iteration")
        except RuntimeError as error:
            refused, other = Raised(error), Raised(RuntimeError("OrderedDict mutated during iteration"))
    assert until_refused([("call", refused)], [("call", 3)]) == ([], [], True)
    assert until_refused([("call", other)], [("call", 3)]) == ([("call", other)], [("call", 3)], False)


def test_nonsense_ends_the_comparison_where_it_was_given() -> None:
    """Other hooks are noted before the error arrives, and PyTorch goes on."""
    refused = Raised(TypeError("Int64 was given where C# declares Tensor"))
    mirror = [
        ["nonsense 1"],
        ("call 1", 5),
        ["before"],
        ["forward a nonsense"],
        ["always _clears"],
        ("call 2", refused),
    ]
    twin = [["nonsense 1"], ("call 1", 5), ["before"], ["forward a nonsense"], ["always r"], ("call 2", 7)]
    assert until_refused(mirror, twin) == (mirror[:4], twin[:4], True)
