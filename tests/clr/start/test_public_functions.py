"""PyTorch's public functions behind its operators."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest
import torch

from bridge.clr.start import public_functions


def test_a_function_that_was_replaced_before_it_is_looked_up_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool wraps every function of PyTorch's in one of Python's; only those that were Python's before have other arguments."""
    seen = []

    def replace(space: Any, name: str) -> None:
        real = getattr(space, name)

        def replacement(*args: Any, **given: Any) -> Any:
            seen.append(name)
            return real(*args, **given)

        monkeypatch.setattr(
            space, name, functools.wraps(real)(replacement) if inspect.isfunction(real) else replacement
        )

    replace(torch.Tensor, "transpose")
    replace(torch.Tensor, "norm")
    replace(torch, "arange")
    replace(torch.nn.functional, "gelu")
    transpose = public_functions.find(torch.ops.aten.transpose.int)
    arange = public_functions.find(torch.ops.aten.arange.default)
    assert public_functions.find(torch.ops.aten.norm.Scalar) is None
    assert transpose is not None
    assert arange is not None
    assert transpose(torch.ones(2, 3), 0, 1).shape == (3, 2)
    assert arange(3).tolist() == [0, 1, 2]
    gelu = public_functions.find(torch.ops.aten.gelu.default)
    assert gelu is not None
    assert gelu(torch.zeros(1)).tolist() == [0]
    assert seen == ["transpose", "arange", "gelu"]


@pytest.mark.parametrize("name", ["mT", "mH"])
def test_what_is_a_property_in_python_is_read(name: str) -> None:
    """A dispatch mode follows C#'s ``x.mT``."""
    turned = public_functions.find(getattr(torch.ops.aten, name).default)
    assert turned is not None
    x = torch.arange(6.0).view(2, 3)
    assert torch.equal(turned(x), x.t())


def test_a_number_minus_a_tensor_is_the_reflected_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch passes a wrapped number to a kernel in Python as a number, which is not an instance of Tensor."""
    subtract = public_functions.find(torch.ops.aten.sub.Tensor)
    assert subtract is not None
    assert subtract(1.5, torch.ones(2)).tolist() == [0.5, 0.5]
    assert subtract(torch.ones(2), 1.5).tolist() == [-0.5, -0.5]
    monkeypatch.setattr(torch.Tensor, "__rsub__", lambda *operands: operands)
    assert subtract(1.5, 2.5) == (2.5, 1.5)
