"""Leaves of arguments and results as trace values, whoever records and whoever listens."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import nn

import bridge
from bridge.runtimes import dotnet, pytorch
from bridge.runtimes.recording import elements, trace_value

QUANTIZED = (torch.quint8, torch.qint8, torch.qint32)


def every_dtype() -> list[torch.dtype]:
    return sorted({item for item in vars(torch).values() if isinstance(item, torch.dtype)}, key=str)


def made(dtype: torch.dtype) -> torch.Tensor:
    """Return three elements, 0, 1 and 2 if the dtype has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # experimental and deprecated types say so
        if dtype in (torch.quint4x2, torch.quint2x4):
            return torch._empty_affine_quantized([3], scale=1.0, zero_point=0, dtype=dtype)
        if dtype in QUANTIZED:
            return torch.quantize_per_tensor(torch.arange(3.0), 1.0, 0, dtype)
        try:
            return torch.arange(3).to(dtype)
        except (RuntimeError, NotImplementedError):
            return torch.arange(3 * dtype.itemsize, dtype=torch.uint8).view(dtype)


@pytest.mark.parametrize("dtype", every_dtype(), ids=str)
def test_elements_of_every_dtype(dtype: torch.dtype) -> None:
    tensor = made(dtype)
    found = elements(tensor)
    name = str(dtype)[6:]
    if name in ("quint4x2", "quint2x4") or (name.strip("uint").isdigit() and not hasattr(np, name)):
        assert found is None  # PyTorch cannot copy them
        return
    assert found is not None
    assert found.shape == (3,)
    if dtype not in (torch.bool, torch.float8_e8m0fnu) and not str(dtype).startswith(("torch.bits", "torch.float4")):
        assert found.tolist() == [0, 1, 2]


def test_elements_of_every_layout() -> None:
    z = torch.tensor([[1 + 2j, 0], [0, 3 - 4j]])
    dense = torch.tensor([[1.0, 0], [0, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(elements(dense.to_sparse()), dense.numpy())  # type: ignore[arg-type]
        assert np.array_equal(elements(dense.to_sparse_csr()), dense.numpy())  # type: ignore[arg-type]
    assert elements(z.conj().imag).tolist() == [[-2, 0], [0, 4]]  # type: ignore[union-attr]
    assert elements(z.conj())[1, 1] == 3 + 4j  # type: ignore[index]
    assert elements(torch.ones(2, device="meta")) is None


def test_what_only_says_that_it_is_a_tensor_is_an_object() -> None:
    x = torch.ones(2)
    for wrong in (Mock(spec=torch.Tensor), weakref.proxy(x)):
        assert trace_value(wrong, "digest").kind == "object"


@pytest.mark.dotnet
@pytest.mark.parametrize("values", ["none", "digest", "full"])
def test_every_dtype_is_recorded_alike(recorded: Callable[[str], bridge.Mirror], values: Any) -> None:
    """In PyTorch and in .NET, and nothing raises inside the user's call."""
    model, counterpart = recorded("Same"), nn.Sequential(nn.Identity())
    for dtype in every_dtype():
        x = made(dtype)
        with dotnet.record(model, values=values) as ours, pytorch.record(counterpart, values=values) as theirs:
            assert model(x) is x
            assert counterpart(x) is x
        assert [event.values for event in ours.trace] == [event.values for event in theirs.trace], dtype


@pytest.mark.dotnet
@pytest.mark.parametrize("values", ["none", "digest"])
def test_a_trace_does_not_depend_on_who_listens(recorded: Callable[[str], bridge.Mirror], values: Any) -> None:
    """Dictionaries, narrow and unsigned numbers, and what does not fit: the same values with a hook and without."""
    model, x = recorded("Kinds"), torch.ones(2)

    def run() -> list[Any]:
        with dotnet.record(model, values=values) as recording:
            model(x)
        return [(event.path, event.phase, event.values) for event in recording.trace]

    bare = run()
    handle = model.child.register_forward_hook(lambda *_: None)
    assert run() == bare
    handle.remove()
    model.child.register_forward_pre_hook(lambda *_: None)
    assert run() == bare
    kinds = [value.kind if value.literal is None else value.literal for value in bare[1][2]]
    assert kinds == ["tensor", "tensor", -3, 7, 1, 2, 8, "object", 9, 0.5, "none", "text", True, -1, 2.5]
    assert [value.literal for value in bare[2][2][2:]] == [-3, 7, None, 4]


@pytest.mark.dotnet
def test_trailing_defaults_are_left_out_whoever_listens(recorded: Callable[[str], bridge.Mirror]) -> None:
    """P-1: C# states them in every call, in Python nobody would: with a hook, without, and called from Python, one event."""
    model, x = recorded("Defaults"), torch.ones(2)

    def run() -> list[Any]:
        with dotnet.record(model) as recording:
            model(x)
        return [(event.path, event.phase, event.values) for event in recording.trace]

    bare = run()
    given = [[value.literal or value.kind for value in event[2]] for event in bare if event[1] == "pre"]
    assert given == [
        ["tensor"],
        ["tensor"],
        ["tensor", "tensor"],
        ["tensor", "none", 4],
        ["tensor", "none", 3, 1.0, "none"],
        [],
        ["tensor"],
    ]
    for path in ("child", "only"):
        model.get_submodule(path).register_forward_hook(lambda *_: None)
        assert run() == bare
    alone = recorded("Defaults.Child")
    with dotnet.record(alone) as recording:
        alone(x)
        alone(x, None, 3)
        alone(x, n=3)
        alone(x, y=None, n=4)
    assert [
        [value.literal or value.kind for value in event.values] for event in recording.trace if event.phase == "pre"
    ] == [
        ["tensor"],
        ["tensor"],
        ["tensor"],
        ["tensor", "none", 4],
    ]
