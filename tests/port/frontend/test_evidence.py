"""evidence.py: types of values and annotations."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.frontend.evidence import type_of, type_of_observation
from bridge.port.observe.observations import Observation
from tests.port.frontend.lowering import Surroundings, lower

Pair = namedtuple("Pair", ["left", "right"])
T = torch.ones(2)


@dataclass
class Record:
    hidden: torch.Tensor
    steps: int


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (True, "bool"),
        (1, "int"),
        (1.0, "float"),
        (None, "None"),
        (T, "Tensor"),
        (nn.Parameter(T), "Tensor"),
        (T.shape, "Size"),
        ((1, 2), "(int, int)"),
        ([1, 2.5], "list[float]"),
        ([None, T], "list[Tensor | None]"),
        ([], "list[unknown]"),
        ([1, "a"], "list[unknown]"),
        ({"a": T}, "dict[str, Tensor]"),
        (OrderedDict(a=1), "dict[str, int]"),
        ({1, 2}, "set[int]"),
        (Pair(T, 1), "(Tensor, int)"),
        (Record(T, 1), "(Tensor, int)"),
        (torch.float32, "dtype"),
        (torch.device("cpu"), "device"),
        (range(3), "iterator[int]"),
        (nn.Linear(1, 1), "Linear"),
        (nn.ModuleList([nn.Linear(1, 1)]), "ModuleList[Linear]"),
        (object(), "unknown"),
    ],
)
def test_types_of_values(value: Any, wanted: str) -> None:
    assert str(type_of(value, Surroundings({}))) == wanted


def test_records_have_names() -> None:
    assert type_of(Record(T, 1), Surroundings({})).names == ("hidden", "steps")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        (Observation(), "unknown"),
        (Observation(types={"NoneType"}, values=[None]), "None"),
        (Observation(types={"NoneType", "Tensor"}, values=[None], sample=T), "Tensor | None"),
        (Observation(types={"int", "float"}, values=[1], sample=1), "float"),
        (Observation(types={"str", "int"}, values=["a", 1], sample="a"), "unknown"),
    ],
)
def test_types_of_observations(seen: Observation, wanted: str) -> None:
    assert str(type_of_observation(seen, Surroundings({}))) == wanted


def annotated(
    x: torch.Tensor,
    a: int | None = None,
    b: list[torch.Tensor] | None = None,
    c: dict[str, int] | None = None,
    d: tuple[int, ...] | None = None,
) -> torch.Tensor:
    return x


def test_an_annotation_says_what_no_call_gave() -> None:
    made = lower(annotated, (T,)).parameters
    assert [str(one.type) for one in made[1:]] == [
        "int | None",
        "list[Tensor] | None",
        "dict[str, int] | None",
        "Size | None",
    ]
