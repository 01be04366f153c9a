"""The default type and device of factories: C# and Python have the same (Tensors/Creation/DefaultDtypeAndDevice.cs)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import bridge

X = torch.ones(1, 2)


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)


def types(model: bridge.Mirror) -> set[torch.dtype]:
    return {tensor.dtype for tensor in model(X, "made")}


@pytest.mark.parametrize("how", ["double", "double tensor"])
def test_a_type_that_csharp_sets_is_pythons_too(load: Callable[..., Any], how: str) -> None:
    model = load("Defaults")
    model(X, how)
    assert torch.get_default_dtype() is torch.ones(1).dtype is torch.float64
    assert types(model) == {load("ByDefault").first.weight.dtype} == {torch.float64}


def test_python_undoes_what_csharp_set(load: Callable[..., Any]) -> None:
    model = load("Defaults")
    model(X, "double")
    torch.set_default_dtype(torch.float32)
    assert types(model) == {load("ByDefault").first.weight.dtype} == {torch.float32}
    assert model(X, "names")[0] == "Float32"


def test_a_type_that_python_sets_is_csharps_too(load: Callable[..., Any]) -> None:
    model = load("Defaults")
    torch.set_default_dtype(torch.float16)
    assert types(model) == {load("ByDefault").first.weight.dtype} == {torch.float16}
    assert model(X, "names")[0] == "Float16"


def test_a_device_that_csharp_sets_is_pythons_too(load: Callable[..., Any]) -> None:
    """Until Python sets another: nothing of it outlives that."""
    model = load("Defaults")
    model(X, "meta")
    assert torch.get_default_device() == torch.ones(1).device == torch.device("meta")
    assert {tensor.device.type for tensor in model(X, "made")} == {"meta"}
    assert load("ByDefault").first.weight.is_meta
    torch.set_default_device(None)
    assert {tensor.device.type for tensor in model(X, "made")} == {"cpu"}
    assert not load("ByDefault").first.weight.is_meta
    assert model(X, "names")[1] == "cpu"
