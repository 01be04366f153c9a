"""A tensor's elements as C# reads and writes them in memory (Tensors/Elements/TensorAccessor.cs, Tensor.ToArray)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge import DotNetError


@pytest.fixture(scope="module")
def elements(build_csharp: Callable[..., Path]) -> bridge.Mirror:
    """Return ``elements(tensor, how)``: Models.Elements of tests/mirror."""
    assembly = build_csharp(sorted((Path(__file__).parents[1] / "mirror").glob("*.cs")), "Models")
    return bridge.load(assembly, "Models.Elements")


def every_dtype() -> list[torch.dtype]:
    return sorted({item for item in vars(torch).values() if isinstance(item, torch.dtype)}, key=str)


def made(dtype: torch.dtype, count: int) -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # experimental and deprecated types say so
        if dtype in (torch.quint8, torch.qint8, torch.qint32, torch.quint4x2, torch.quint2x4):
            return torch._empty_affine_quantized([count], scale=1.0, zero_point=0, dtype=dtype)
        return torch.empty(count, dtype=dtype)


@pytest.mark.parametrize("dtype", every_dtype(), ids=str)
def test_bytes_are_those_of_the_tensor(elements: bridge.Mirror, dtype: torch.dtype) -> None:
    """As long as its memory, whatever its type; writing all of them writes nothing else."""
    tensor = made(dtype, 12)
    length = tensor.untyped_storage().nbytes()
    assert elements(tensor, "bytes") == length
    assert elements(tensor, "size") == tensor.element_size()
    assert elements(tensor, "fill") is tensor
    assert not any(tensor.untyped_storage().tolist())


def test_bytes_of_a_part(elements: bridge.Mirror) -> None:
    base = torch.full((10,), 7, dtype=torch.uint16)
    elements(base[3:5], "fill")
    assert base.tolist() == [7, 7, 7, 0, 0, 7, 7, 7, 7, 7]
    assert elements(torch.empty(0), "bytes") == 0


def test_negative_and_conjugate_views(elements: bridge.Mirror) -> None:
    """``ToArray`` reads what the tensor is; memory itself is refused in PyTorch's words, as ``numpy()`` does."""
    z = torch.tensor([1 + 2j, 3 - 4j])
    negative = z.conj().imag
    assert elements(negative, "is_neg") is True
    assert elements(z.conj(), "is_conj") is True
    assert elements(z, "is_conj") is False
    assert elements(negative, "array") == [-2, 4]
    assert elements(z.conj().imag.double(), "array") == [-2, 4]
    assert torch.equal(elements(negative, "resolved"), torch.tensor([-2.0, 4]))
    assert not elements(z.conj(), "resolved").is_conj()
    for how in ("data", "bytes", "fill"):
        with pytest.raises(DotNetError, match=r"is_neg\(\).*use resolve_neg\(\) first"):
            elements(torch._neg_view(torch.ones(3)), how)
    with pytest.raises(DotNetError, match=r"is_conj\(\).*use resolve_conj\(\) first"):
        elements(z.conj(), "bytes")
    assert z.tolist() == [1 + 2j, 3 - 4j]
    assert elements(negative.clone(), "data") == [-2, 4]


def test_a_tensor_without_memory(elements: bridge.Mirror) -> None:
    """One that only says that it is on the CPU has no elements to read or to write."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.ones(4))
        for how in ("array", "data", "bytes", "fill"):
            with pytest.raises((DotNetError, RuntimeError)):
                elements(fake, how)
    with pytest.raises(DotNetError, match=r"on meta|cpu\(\)"):
        elements(torch.ones(4, device="meta"), "bytes")


@pytest.mark.parametrize("how", ["fill", "element", "elements", "storage", "streamed"])
def test_writing_leaves_a_lazy_clone_alone(elements: bridge.Mirror, how: str) -> None:
    """What two tensors share until one is written is copied first, as NumPy does."""
    whole = torch.ones(4)
    lazy = torch._lazy_clone(whole)
    elements(lazy, how)
    assert whole.tolist() == [1, 1, 1, 1]
    assert lazy[0] != 1


@pytest.mark.parametrize("how", ["array", "one"])
def test_reading_copies_no_lazy_clone(elements: bridge.Mirror, how: str) -> None:
    lazy = torch._lazy_clone(torch.ones(4))
    elements(lazy, how)
    assert torch._C._is_cow_tensor(lazy)
