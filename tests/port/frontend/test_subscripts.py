"""subscripts.py: items, slices and indices mean what they mean in Python (issue 43, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Item, Slice, Span, TensorIndex, TupleItem
from bridge.port.ir.types import INT, SIZES, TENSOR, Type
from tests.port.frontend.lowering import differences, found, lower

T = torch.arange(24.0).view(2, 3, 4)


def shapes(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    return x.shape[0], x.shape[-1], x.shape[n], x.shape[1:], x.shape[:-1], x.shape[::-1], x.size(-1), x.size()[n]


def lists(values: list[int], n: int) -> tuple[Any, ...]:
    return values[n], values[-1], values[1:], values[:n], values[::2], values[5:]


def texts(s: str, n: int) -> tuple[Any, ...]:
    return s[0], s[n:], s[::-1]


def indices(x: torch.Tensor, n: int, where: torch.Tensor) -> tuple[Any, ...]:
    return x[0], x[:, -1], x[..., 1:], x[None, n], x[:, ::2], x[x > 3], x[where], x[[1, 0]], x[[0], 1:3], x[n, :, None]


def tuples(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    both = (x, n, "a")
    return both[0], both[-1], both[1:], both[:2][1]


def same_types(n: int) -> int:
    return (3, 5, 7)[n]


def dictionary(x: torch.Tensor, key: str) -> torch.Tensor:
    return {"a": x, "b": x * 2}[key]


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (shapes, (T, 1), [(T[0], -1)]),
        (lists, ([1, 2, 3], 1), [([4, 5], -1), ([4, 5], 7)]),
        (texts, ("abc", 1), [("xy", -1)]),
        (indices, (T, 1, torch.tensor([0])), [(T * 2, -1, torch.tensor([1, 1]))]),
        (tuples, (T, 1), [(T[0], 2)]),
        (same_types, (1,), [(-1,), (0,)]),
        (dictionary, (T, "a"), [(T, "b"), (T, "c")]),
    ],
)
def test_a_subscript_gives_what_it_gives_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_an_item_of_sizes_is_an_int_and_a_slice_of_them_sizes() -> None:
    lowered = lower(shapes, (T, 1))
    assert {one.type for one in found(lowered, Item)} == {INT}
    assert {one.type for one in found(lowered, Slice)} == {SIZES}


def test_an_index_of_a_tensor_keeps_its_spans_and_new_axes() -> None:
    index = found(lower(indices, (T, 1, torch.tensor([0]))), TensorIndex)
    assert {one.type for one in index} == {TENSOR}
    assert [type(one).__name__ for one in index[2].indices] == ["Literal", "Span"]
    assert isinstance(index[-1].indices[1], Span)


def test_an_item_of_a_tuple_is_known_by_its_place() -> None:
    places: list[tuple[int, Type]] = [(one.place, one.type) for one in found(lower(tuples, (T, 1)), TupleItem)]
    assert places[0] == (0, TENSOR)
    assert (2, places[1][1]) == places[1]


def other_types(x: torch.Tensor, n: int) -> Any:
    return (x, n)[n]


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        (other_types, (T, 1), "an item of a"),
    ],
)
def test_what_has_no_type_is_refused_by_name(function: Callable[..., Any], given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)
