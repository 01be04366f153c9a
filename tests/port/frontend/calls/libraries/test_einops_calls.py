"""einops_calls.py: calls of einops and its layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import Tensor, nn

from bridge.port.frontend.calls.libraries import einops_calls
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import BuiltinCall, Construct, Literal, TorchCall, UnsupportedValue
from bridge.port.ir.types import INT, TENSOR
from tests.port.frontend.lowering import found, lower

X = torch.arange(8.0).view(2, 4)


def split(x: Tensor, n: int) -> Tensor:
    """Split a dimension."""
    return rearrange(x, "b (c l) -> b l c", l=n)


def by_names(x: Tensor) -> Tensor:
    """Give all arguments by name."""
    return reduce(reduction="max", tensor=x, pattern="... (h 2) -> ... h")


def stacked(x: Tensor) -> Tensor:
    """Give a list."""
    return rearrange([x, x], "k ... -> ... k")


def collected(x: Tensor) -> Tensor:
    """Give a list that is a variable."""
    parts = []
    for one in (x, x):
        parts.append(one)
    return rearrange(parts, "k ... -> ... k")


def test_a_call_has_the_pattern_and_the_lengths() -> None:
    (call,) = found(lower(split, (X, 2)), BuiltinCall)
    assert (call.name, call.type) == ("einops.rearrange", TENSOR)
    assert [one.value for one in call.arguments if isinstance(one, Literal)] == ["b (c l) -> b l c"]
    assert [(one.name, one.value.type) for one in call.keywords] == [("l", INT)]


def test_arguments_by_name_are_in_the_order_of_the_parameters() -> None:
    (call,) = found(lower(by_names, (X,)), BuiltinCall)
    assert [one.value for one in call.arguments if isinstance(one, Literal)] == ["... (h 2) -> ... h", "max"]
    assert call.arguments[0].type == TENSOR


@pytest.mark.parametrize("function", [stacked, collected])
def test_a_list_is_stacked(function: Callable[[Tensor], Tensor]) -> None:
    (call,) = [one for one in found(lower(function, (X,)), BuiltinCall) if one.name == "einops.rearrange"]
    assert isinstance(call.arguments[0], TorchCall)
    assert call.arguments[0].function is torch.stack


def build(n: int) -> nn.Module:
    """Construct layers."""
    return nn.Sequential(Rearrange("b (c l) -> b l c", l=n), Reduce("... -> 1", "mean"))


def test_a_layer_has_the_pattern_and_the_lengths() -> None:
    first, second = found(lower(build, (2,), constructs=True), Construct)
    assert (first.kind, second.kind) == (Rearrange, Reduce)
    assert [one.name for one in first.arguments] == ["pattern", "l"]
    assert [one.name for one in second.arguments] == ["pattern", "reduction"]


def chosen(x: Tensor) -> Tensor:
    """Choose a pattern."""
    return rearrange(x, "a b -> b a" if len(x) > 1 else "a b -> a b")


def unfit(x: Tensor) -> Tensor:
    """Give a length of no axis where no run does."""
    return x if len(x) == 2 else rearrange(x, "a b -> b a", c=1)


def by_function(x: Tensor) -> Tensor:
    """Reduce by a function."""
    return reduce(x, "... -> 1", max if len(x) > 2 else "sum")


def by_name(x: Tensor, name: str) -> Tensor:
    """Reduce by a name that is no literal."""
    return reduce(x, "... -> 1", name)


def by_any(x: Tensor) -> Tensor:
    """Reduce by any, which C# lacks."""
    return reduce(x, "... -> 1", "any") if len(x) > 2 else reduce(x, "... (h 2) -> ... h", "any")


def by_tensor(x: Tensor) -> Tensor:
    """Give a length that is a tensor."""
    return repeat(x, "a b -> (a 2) (b n) ()", n=torch.tensor(2))  # type: ignore[arg-type]  # as the runs show


@pytest.mark.parametrize(
    ("function", "arguments", "why"),
    [
        (chosen, (X,), "a pattern that is no literal"),
        (by_function, (X,), "a reduction that is none of"),
        (by_name, (X, "sum"), "a reduction that is none of"),
        (by_tensor, (X,), "the length of n, a Tensor"),
    ],
)
def test_refused(function: Callable[..., Any], arguments: tuple[Any, ...], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, arguments)


def test_a_call_that_no_run_reaches_and_einops_refuses_throws() -> None:
    (value,) = found(lower(unfit, (X,)), UnsupportedValue)
    assert "the pattern 'a b -> b a', with the length of c" in value.why


def test_no_other_function_is_known() -> None:
    assert [einops_calls.is_known(one) for one in (rearrange, repeat, reduce)] == [True] * 3
    assert not any(map(einops_calls.is_known, (einsum, torch.reshape, build, None)))
