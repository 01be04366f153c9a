"""constructor_arguments.py: other arguments of a constructor."""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch
from torch import nn

from bridge.port.verify.constructor_arguments import draw_arguments


class Net(nn.Module):
    """A model whose constructor takes an argument of each kind."""

    def __init__(
        self,
        width: int = 8,
        bias: bool = True,
        drop: float = 0.1,
        act: str = "relu",
        layers: tuple[int, ...] = (2, 3),
        limit: int | None = None,
        heads: int | None = 4,
        norm: Any = None,
    ) -> None:
        super().__init__()
        self.act = {"relu": nn.ReLU, "gelu": nn.GELU}[act]() if act != "none" else None


GIVEN = {"width": 8, "bias": True, "drop": 0.1, "act": "relu", "layers": (2, 3), "limit": None, "heads": 4}


def drawn(*names: str, given: dict[str, Any] = GIVEN, model: nn.Module | None = None) -> list[dict[str, Any]]:
    return list(islice(draw_arguments(model or Net(), given, names, 0), 40))


def values(name: str, **given: Any) -> list[Any]:
    """Return the values that one argument gets alone."""
    found = drawn(name, given={**GIVEN, **given})
    return [one[name] for place, one in enumerate(found) if one not in found[:place]]


def test_each_kind_of_argument_changes() -> None:
    assert values("width") == [9, 16, 4, 7, 1]
    assert values("bias") == [False]
    assert values("drop") == [0.05, 0.0]
    assert values("act") == ["none", "gelu"]
    assert values("layers") == [(3, 3), (2, 4), (2,), (2, 3, 3)]
    assert values("limit") == [2]
    assert values("heads") == [5, 8, 2, 3, 1, None]


def test_numbers_that_are_not_positive_and_those_given_for_a_default() -> None:
    assert values("width", width=0) == [1, 2, 8]
    assert values("drop", drop=0.0) == [0.25, 1.0, 0.1]
    assert values("layers", layers=[1]) == [[2], [], [1, 1]]


def test_no_number_is_doubled_in_a_large_model() -> None:
    model = Net()
    model.register_parameter("weight", nn.Parameter(torch.empty(30_000_000, device="meta")))
    assert drawn("width", model=model)[:4] == [{"width": 9}, {"width": 4}, {"width": 7}, {"width": 1}]


def test_changes_come_alone_and_then_together() -> None:
    found = drawn("bias", "heads", "unknown")
    assert found[:3] == [{"bias": False}, {"heads": 5}, {"heads": 8}], (
        "each argument is changed before one is changed again"
    )
    assert [len(one) for one in found[:7]] == [1] * 7
    assert {len(one) for one in found[7:]} == {1, 2}, "two changes of one argument are one"
    assert found == drawn("bias", "heads", "unknown")


def test_without_an_argument_that_changes_there_is_no_set() -> None:
    assert drawn("norm", given={"norm": None}) == []
