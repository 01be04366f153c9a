"""dispatch.py: a forward that only chooses a function by settings is that function, for the modules that are there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from bridge.port.observe.dispatch import dispatched
from bridge.port.porting import Port


def doubled(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.halved(x) * 4


def _half(self: Any, x: torch.Tensor) -> torch.Tensor:
    return x / 2


KNOWN: dict[str, Callable[..., Any]] = {"doubled": doubled}


def choosing(kind: type) -> type:
    original_forward = kind.forward  # type: ignore[attr-defined]  # a module
    kind.halved = _half  # type: ignore[attr-defined]  # under another name than its own

    @functools.wraps(original_forward)
    def forward(self, *args, **kwargs):  # type: ignore[no-untyped-def]  # as transformers has it
        function = KNOWN.get(self.way, original_forward)
        return function(self, *args, **kwargs)

    kind.forward = forward  # type: ignore[attr-defined]
    return kind


def counting(kind: type) -> type:
    original_forward = kind.forward  # type: ignore[attr-defined]  # a module

    @functools.wraps(original_forward)
    def forward(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        self.calls += 1
        return original_forward(self, *args, **kwargs)

    kind.forward = forward  # type: ignore[attr-defined]
    return kind


@choosing
class Chooses(nn.Module):
    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


@counting
class Counts(nn.Module):
    calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def replacing(kind: type) -> type:
    original_forward = kind.forward  # type: ignore[attr-defined]  # a module

    @functools.wraps(original_forward)
    def forward(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        return _half(self, *args, **kwargs) * len(args)

    kind.forward = forward  # type: ignore[attr-defined]
    return kind


@replacing
class Replaces(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def test_modules_that_choose_one_function_run_that() -> None:
    assert dispatched([Chooses("doubled"), Chooses("doubled"), Counts(), nn.ReLU()]) == {Chooses: doubled}
    assert dispatched([Chooses("doubled"), Chooses("plain")]) == {}
    assert dispatched([Chooses("plain")]) == {}


def test_the_function_that_is_chosen_becomes_the_forward(ported: Callable[..., Port]) -> None:
    port = ported(functools.partial(Chooses, "doubled"), torch.rand(2, 3))
    assert "return _half(x) * 4;" in port.files["Chooses.cs"]
    assert not port.left


def test_the_source_of_a_forward_that_does_more_is_not_translated(ported: Callable[..., Port]) -> None:
    for kind in (Counts, Replaces):
        port = ported(kind, torch.rand(2, 3))
        assert [one.how for one in port.wrote if one.where == f"{kind.__name__}.forward"] == ["graph"]
