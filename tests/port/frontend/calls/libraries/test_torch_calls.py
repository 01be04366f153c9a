"""torch_calls.py, torch_schemas.py: PyTorch's names for arguments, and results by its schemas (issue 43, section 2)."""

from __future__ import annotations

import importlib.util
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Item, Literal, Property, TorchCall, TupleLiteral
from bridge.port.ir.types import BOOL, DEVICE, FLOAT, INT, PACKED, SIZES, TENSOR, ListOf, TupleOf, Type
from tests.port.frontend.lowering import differences, found, lower

T = torch.arange(1.0, 7.0).view(2, 3)

#: Calls of ``x``: the names of their arguments, and the type of their result.
_CALLS: list[tuple[str, tuple[str, ...], Type]] = [
    ("x.view(3, -1)", ("size",), TENSOR),
    ("x.view((3, -1))", ("size",), TENSOR),
    ("x.permute(1, 0)", ("dims",), TENSOR),
    ("x.expand(2, -1)", ("size",), TENSOR),
    ("x.transpose(0, 1)", ("dim0", "dim1"), TENSOR),
    ("x.sum(1, True)", ("dim", "keepdim"), TENSOR),
    ("x.mean(axis=-1)", ("dim",), TENSOR),
    ("x.max()", (), TENSOR),
    ("x.max(1)", ("dim",), TupleOf((TENSOR, TENSOR), ("values", "indices"))),
    ("torch.max(x, x)", ("input", "other"), TENSOR),
    ("x.sort(descending=True)", ("descending",), TupleOf((TENSOR, TENSOR), ("values", "indices"))),
    ("x.topk(2)", ("k",), TupleOf((TENSOR, TENSOR), ("values", "indices"))),
    ("x.chunk(2, dim=0)", ("chunks", "dim"), ListOf(TENSOR)),
    ("x.split([1, 2], 1)", ("split_size", "dim"), ListOf(TENSOR)),
    ("x.dim()", (), INT),
    ("x.numel()", (), INT),
    ("x.is_contiguous()", (), BOOL),
    ("x.to(torch.float64)", ("dtype",), TENSOR),
    ("x.clamp(min=2)", ("min",), TENSOR),
    ("x.masked_fill(x > 2, 0.0)", ("mask", "value"), TENSOR),
    ("torch.cat([x, x], 1)", ("tensors", "dim"), TENSOR),
    ("torch.cat((x, x), dim=-1)", ("tensors", "dim"), TENSOR),
    ("torch.where(x > 2, x, 0.0)", ("condition", "input", "other"), TENSOR),
    ("torch.zeros(2, 3)", ("size",), TENSOR),
    ("torch.arange(3, device=x.device)", ("end", "device"), TENSOR),
    ("torch.full((2,), 1.5)", ("size", "fill_value"), TENSOR),
    ('torch.einsum("ij,kj->ik", x, x)', ("equation", "operands"), TENSOR),
    ("torch.linalg.norm(x, dim=1)", ("input", "dim"), TENSOR),
    ("F.softmax(x, dim=-1)", ("input", "dim"), TENSOR),
    ("F.max_pool2d(x[None], 2)", ("input", "kernel_size"), TENSOR),
    ("F.pad(x, (1, 1))", ("input", "pad"), TENSOR),
    ('torch.device("cpu")', ("type",), DEVICE),
    ("torch.std_mean(x)", ("input",), TupleOf((TENSOR, TENSOR))),
    ("torch.allclose(x, x)", ("input", "other"), BOOL),
    ("torch.repeat_interleave(x, 2, dim=0)", ("input", "repeats", "dim"), TENSOR),
    ("torch.Tensor.view(x, -1)", ("size",), TENSOR),
    ("torch.tensor([1.0, 2.0])", ("data",), TENSOR),
    ("nn.utils.rnn.pack_padded_sequence(x[None], [2], batch_first=True)", ("input", "lengths", "batch_first"), PACKED),
]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    """Return a module with a function for each call, for functions are read from their source."""
    lines = ["import torch", "import torch.nn.functional as F", "from torch import nn"]
    lines += [f"def call_{number}(x):\n    return {call}" for number, (call, _, _) in enumerate(_CALLS)]
    file = tmp_path_factory.mktemp("calls") / "torch_calls_of_a_test.py"
    file.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("number", range(len(_CALLS)), ids=[call for call, _, _ in _CALLS])
def test_arguments_have_the_names_of_pytorch_and_results_the_types_of_its_schemas(
    calls: types.ModuleType, number: int
) -> None:
    _, names, result = _CALLS[number]
    lowered = lower(getattr(calls, f"call_{number}"), (T,))
    first = found(lowered, TorchCall)[0]
    assert tuple(one.name for one in first.arguments) == names
    assert first.type == result
    assert set(names) <= set(first.parameters) or not first.parameters


def sizes(x: torch.Tensor) -> torch.Tensor:
    b, n = x.shape
    return x.view(b, n, 1).expand(*x.shape, 2).reshape(x.size(0), -1)


def several(x: torch.Tensor, n: int) -> tuple[Any, ...]:
    return torch.stack([x, x]), x.sum().item(), x.tolist(), torch.meshgrid(x[0], x[0], indexing="ij"), x.repeat(n, 1)


def not_reached(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 3:
        x = F.relu(torch.cat([x, x.flip(0)], dim=1)).chunk(2, dim=1)[0]
    return x


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (sizes, (T,), [(torch.rand(4, 2),)]),
        (several, (T, 2), [(torch.rand(3, 4), 1)]),
        (not_reached, (T, 1), [(T, 4)]),
    ],
)
def test_a_call_gives_what_it_gives_in_python_on_inputs_that_no_run_saw(
    function: Callable[..., Any], seen: tuple[Any, ...], tried: list[tuple[Any, ...]]
) -> None:
    assert differences(function, (seen,), tuple(tried)) == []


def test_ints_in_a_row_are_one_list_of_sizes() -> None:
    first = found(lower(sizes, (T,)), TorchCall)[-1]
    assert first.function is torch.Tensor.view
    assert isinstance(first.arguments[0].value, TupleLiteral)
    assert first.arguments[0].value.type == SIZES


def test_the_size_of_a_tensor_is_read_of_its_shape() -> None:
    sizes_read = [one for one in found(lower(sizes, (T,)), Item) if isinstance(one.value, Property)]
    assert [one.index.value for one in sizes_read] == [0]


def an_item(x: torch.Tensor) -> Any:
    return x.sum().item()


@pytest.mark.parametrize(("x", "result"), [(T, FLOAT), (T.long(), INT), (T[0, 0] > 0, INT)])
def test_an_item_is_an_int_or_a_float_by_the_dtype(x: torch.Tensor, result: Type) -> None:
    assert found(lower(an_item, (x,)), TorchCall)[0].type == result


def traced(x: torch.Tensor) -> bool:
    return torch.jit.is_tracing() or torch.compiler.is_compiling()


def test_nothing_is_traced_or_compiled() -> None:
    lowered = lower(traced, (T,))
    assert found(lowered, TorchCall) == []
    assert [one.value for one in found(lowered, Literal)] == [False]


def numpy(x: torch.Tensor) -> Any:
    return x.numpy()


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [(numpy, (T,), "'x.numpy\\(\\)' gives a value of type ndarray")],
)
def test_what_has_no_type_is_refused_by_name(function: Callable[..., Any], given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        lower(function, given)


def sized_by_tensors(x: torch.Tensor) -> torch.Tensor:
    half = torch.div(x.shape[0], 2, rounding_mode="trunc")
    shape = (2, half, 1)
    return x.view(2, half, -1) + x.new_ones((1, half, 1)) + torch.zeros(size=shape)


def test_a_size_may_be_a_tensor_of_one_int() -> None:
    lowered = lower(sized_by_tensors, (torch.ones(4, 2),))
    assert len([one for one in found(lowered, TorchCall) if one.function is torch.Tensor.item]) == 3
    assert differences(sized_by_tensors, ((torch.ones(4, 2),),), ((torch.ones(6, 2),),)) == []


def spread(x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    return x + torch.Tensor(*sizes)


def test_items_of_unknown_number_are_not_left_out() -> None:
    with pytest.raises(Untranslatable, match=r"arguments that are spread: 'torch.Tensor\(\*sizes\)'"):
        lower(spread, (T, [2, 3]))
