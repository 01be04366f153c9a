"""Tensors/Elements/Tensor.Indexing.cs: x[…] with numbers, ranges, ellipsis, new dimensions, tensors and masks is PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge import DotNetError

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool)

#: C# index, and the same in Python; b is a mask of x's first dimensions, c holds places in the first, d a mask of the last.
INDICES: dict[str, Callable[..., Any]] = {
    "1": lambda b, c, d: 1,
    "-1": lambda b, c, d: -1,
    "1, 2": lambda b, c, d: (1, 2),
    "TensorIndex.Colon, TensorIndex.Slice((1, 3))": lambda b, c, d: (slice(None), slice(1, 3)),
    "new TensorIndex[] { 1, (0, 2) }": lambda b, c, d: (1, slice(0, 2)),
    "new long[] { 1, 2 }": lambda b, c, d: (1, 2),
    "0, 1, 2": lambda b, c, d: (0, 1, 2),
    "^1": lambda b, c, d: -1,
    "^1, ^2": lambda b, c, d: (-1, -2),
    "1..": lambda b, c, d: slice(1, None),
    "..^1": lambda b, c, d: slice(None, -1),
    "0..2": lambda b, c, d: slice(0, 2),
    "..": lambda b, c, d: slice(None),
    ".., 1..3": lambda b, c, d: (slice(None), slice(1, 3)),
    "1, 1..": lambda b, c, d: (1, slice(1, None)),
    ".., .., ^2..": lambda b, c, d: (slice(None), slice(None), slice(-2, None)),
    "1..1": lambda b, c, d: slice(1, 1),
    "2..9": lambda b, c, d: slice(2, 9),
    "(0, 2)": lambda b, c, d: slice(0, 2),
    "(null, -1), (1, null)": lambda b, c, d: (slice(None, -1), slice(1, None)),
    "TensorIndex.Slice(0, null, 2)": lambda b, c, d: slice(0, None, 2),
    "TensorIndex.Slice(step: 3), TensorIndex.Slice(1, -1)": lambda b, c, d: (slice(None, None, 3), slice(1, -1)),
    "TensorIndex.Colon, 1": lambda b, c, d: (slice(None), 1),
    "TensorIndex.Ellipsis": lambda b, c, d: ...,
    "TensorIndex.Ellipsis, 0": lambda b, c, d: (..., 0),
    "TensorIndex.Ellipsis, TensorIndex.Slice(1, 3)": lambda b, c, d: (..., slice(1, 3)),
    "1, TensorIndex.Ellipsis, 0": lambda b, c, d: (1, ..., 0),
    "TensorIndex.Ellipsis, TensorIndex.None": lambda b, c, d: (..., None),
    "TensorIndex.None": lambda b, c, d: None,
    "TensorIndex.Null, 1": lambda b, c, d: (None, 1),
    "TensorIndex.Colon, TensorIndex.None, 1": lambda b, c, d: (slice(None), None, 1),
    "TensorIndex.None, 1..3": lambda b, c, d: (None, slice(1, 3)),
    "TensorIndex.Bool(true)": lambda b, c, d: True,
    "TensorIndex.Bool(false)": lambda b, c, d: False,
    "b": lambda b, c, d: b,
    "c": lambda b, c, d: c,
    "c, 1": lambda b, c, d: (c, 1),
    "c, c": lambda b, c, d: (c, c),
    "c.to_type(int32)": lambda b, c, d: c.to(torch.int32),
    "c[0]": lambda b, c, d: c[0],
    "c, d.nonzero().flatten()[0]": lambda b, c, d: (c, d.nonzero().flatten()[0]),
    "TensorIndex.Ellipsis, TensorIndex.Tensor(d)": lambda b, c, d: (..., d),
    "TensorIndex.Colon, TensorIndex.Tensor(c)": lambda b, c, d: (slice(None), c),
    "TensorIndex.Colon, TensorIndex.Colon, TensorIndex.Tensor(d)": lambda b, c, d: (slice(None), slice(None), d),
    "TensorIndex.Tensor(b), 1..": lambda b, c, d: (b, slice(1, None)),
    "TensorIndex.Tensor(b), TensorIndex.None": lambda b, c, d: (b, None),
    "TensorIndex.Tensor(c), TensorIndex.None, TensorIndex.Tensor(c)": lambda b, c, d: (c, None, c),
    "1..3, TensorIndex.Tensor(c)": lambda b, c, d: (slice(1, 3), c),
    "TensorIndex.Tensor(c), 0, TensorIndex.Slice(1, 3)": lambda b, c, d: (c, 0, slice(1, 3)),
}  # fmt: skip
#: What may be assigned: C# value, and the same in Python.
VALUES: dict[str, Any] = {"3": 3, "e": None}


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    rows = {f"get {index}": f"a[{index}]" for index in INDICES}
    rows |= {f"set {index} = {value}": f"Put(a, x => x[{index}] = {value})" for index in INDICES for value in VALUES}
    return expressions({**rows, "too many": "a[0, 0, 0, 0]", "backwards": "a[TensorIndex.Slice(0, 3, -1)]"})


def inputs(dtype: torch.dtype) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    x = torch.randint(0, 2 if dtype == torch.bool else 9, (4, 3, 5), generator=generator).to(dtype)
    mask = torch.rand((4, 3), generator=generator) > 0.5
    last = torch.rand((5,), generator=generator) > 0.3
    return [x, mask, torch.tensor([2, 0, 1]), last]


@pytest.mark.parametrize("index", INDICES)
def test_what_is_read_equals_pytorch(index: str, run: Any, bits_equal: Any) -> None:
    for dtype in DTYPES:
        for turned in (False, True):
            x, *rest = inputs(dtype)
            x = x.transpose(0, 1).contiguous().transpose(0, 1) if turned else x
            wanted = dtype.is_floating_point
            ours, theirs = (x.clone().requires_grad_(wanted) for _ in range(2))
            result = run(f"get {index}", [ours, *rest])
            expected = theirs[INDICES[index](*rest)]
            assert bits_equal(result, expected)
            # A view stays a view of the same storage, a copy is a copy.
            assert (result.untyped_storage().data_ptr() == ours.untyped_storage().data_ptr()) == (
                expected.untyped_storage().data_ptr() == theirs.untyped_storage().data_ptr()
            ) or not expected.numel()
            if wanted:
                assert result.grad_fn is not None
                result.sum().backward()
                expected.sum().backward()
                assert bits_equal(ours.grad, theirs.grad)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("index", INDICES)
def test_what_is_written_equals_pytorch(index: str, value: str, run: Any, bits_equal: Any) -> None:
    for dtype in DTYPES:
        x, *rest = inputs(dtype)
        shape = x[INDICES[index](*rest)].shape
        # One leading dimension too many is dropped; another type is converted, but not beside an index that is a tensor.
        numbers = torch.arange(shape.numel(), dtype=torch.float64).reshape(1, *shape)
        for given in (numbers, numbers.to(dtype)):
            ours, theirs = x.clone(), x.clone()
            try:
                theirs[INDICES[index](*rest)] = given if value == "e" else VALUES[value]
            except RuntimeError:
                with pytest.raises(DotNetError, match="dtypes match"):
                    run(f"set {index} = {value}", [ours, *rest, given])
                continue
            assert run(f"set {index} = {value}", [ours, *rest, given]) is ours
            assert bits_equal(ours, theirs), (dtype, index)


def test_gradients_flow_through_what_is_written(run: Any) -> None:
    x, value = torch.zeros(4, 3, 5, requires_grad=True), torch.ones(3, 5, requires_grad=True)
    result = run("set 1 = e", [x * 1, *inputs(torch.float32)[1:], value])
    (result * 2).sum().backward()
    assert x.grad is not None
    assert value.grad is not None
    assert x.grad[1].sum() == 0
    assert x.grad[0].sum() == 30
    assert value.grad.sum() == 30


@pytest.mark.parametrize(
    ("name", "text"), [("too many", "3 dimensions, 4 were indexed"), ("backwards", "greater than zero")]
)
def test_a_wrong_index_is_named(name: str, text: str, run: Any) -> None:
    with pytest.raises(DotNetError, match=text):
        run(name, inputs(torch.float32))
