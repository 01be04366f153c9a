"""Keyword arguments and defaults in recorded events (P-1)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import bridge
from bridge.runtimes import pytorch
from bridge.runtimes.binding import Binder, defaults_of
from bridge.trace import Event


class Inner(nn.Module):
    def forward(self, a: Any, b: Any = None, *, scale: float = 1.0) -> Any:
        return a * scale if b is None else a + b


class Spread(nn.Module):
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return args[0]


class Outer(nn.Module):
    def __init__(self, inner: nn.Module, how: Any) -> None:
        super().__init__()
        self.inner = inner
        self.how = how

    def forward(self, x: Any) -> Any:
        return self.how(self.inner, x)


def _inner(how: Any, inner: nn.Module | None = None) -> Event:
    model = Outer(inner or Inner(), how)
    with pytorch.record(model) as recording:
        model(torch.ones(2))
    return next(event for event in recording.trace if event.path == "inner" and event.phase == "pre")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda m, x: m(x, x), lambda m, x: m(x, b=x)),
        (lambda m, x: m(x, x), lambda m, x: m(b=x, a=x)),
        (lambda m, x: m(x), lambda m, x: m(x, None)),
        (lambda m, x: m(x), lambda m, x: m(x, b=None, scale=1.0)),
    ],
)
def test_the_same_call_written_otherwise_is_the_same_event(left: Any, right: Any) -> None:
    assert _inner(left) == _inner(right)


@pytest.mark.parametrize(
    ("how", "count"),
    [
        (lambda m, x: m(x), 1),
        (lambda m, x: m(x, x), 2),
        (lambda m, x: m(x, scale=2.0), 3),
        (lambda m, x: m(x, scale=1), 3),
    ],
)
def test_only_trailing_defaults_are_dropped(how: Any, count: int) -> None:
    """An argument between two given ones stays, and 1 is not the default 1.0."""
    assert len(_inner(how).values) == count


def test_defaults_of_a_csharp_forward(build_csharp: Callable[..., Path]) -> None:
    """With the types that Python gives them; what it has no word for is never left out."""
    source = """using static TorchSharp.torch;
    using static TorchSharp.torch.nn;
    namespace Defaults;
    public sealed class M : Module<Tensor, double, float, long, string, bool, Tensor>
    {
        public M() : base("M") => RegisterComponents();
        public override Tensor forward(Tensor x, double a = 2, float b = 0.1f, long c = -3, string d = "é", bool e = true) => x;
    }
    public sealed class N : Module<Tensor, double, Tensor?, System.DayOfWeek, Tensor>
    {
        public N() : base("N") => RegisterComponents();
        public override Tensor forward(Tensor x, double a = double.NaN, Tensor? b = null, System.DayOfWeek c = default) => x;
    }"""
    path = build_csharp({"Defaults.cs": source}, "Defaults")
    nothing = inspect.Parameter.empty
    defaults = defaults_of(bridge.load(path, "Defaults.M"))
    assert defaults == (nothing, 2.0, float(np.float32(0.1)), -3, "é", True)
    assert [type(item) for item in defaults[1:]] == [float, float, int, str, bool]
    assert defaults_of(bridge.load(path, "Defaults.N")) == (nothing, nothing, None, nothing)


def test_a_forward_that_takes_anything_keeps_everything() -> None:
    event = _inner(lambda m, x: m(x, 1, name=2), Spread())
    assert [value.literal for value in event.values] == [None, 1, 2]
    assert defaults_of(Spread()) == ()


def test_a_call_that_does_not_fit_is_recorded_as_it_is() -> None:
    model = Outer(Inner(), lambda m, x: m(x, x, x))
    with pytorch.record(model) as recording, pytest.raises(TypeError):
        model(torch.ones(2))
    assert len(recording.trace.events[-1].values) == 3


@pytest.mark.parametrize("args", [0, 1, 2])
def test_arguments_that_do_not_fit_csharp_are_kept(args: int) -> None:
    model = bridge.load(bridge.sample("Mtcnn.dll"), "Mtcnn.RNet")
    given = (torch.ones(1),) * args
    assert Binder()(model, given, {"unknown": 1}) == (*given, 1)


def test_nothing_is_left_in_the_modules() -> None:
    model = Outer(Inner(), lambda m, x: m(x, b=x))
    with pytorch.record(model):
        assert model.inner._forward_pre_hooks_with_kwargs
    assert not model._forward_pre_hooks_with_kwargs
    assert not model.inner._forward_pre_hooks_with_kwargs
