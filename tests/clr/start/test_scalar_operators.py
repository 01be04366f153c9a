"""bridge/clr/start/scalar_operators.py: operators of ours in place of those that take a Scalar."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

import operators
from bridge.clr.start import scalar_operators

OPERATORS = Path(__file__).resolve().parents[3] / "dotnet" / "src" / "Bridge.Torch" / "Operators"


def table() -> list[str]:
    """Return the operators of the table, each once."""
    written = {
        name
        for file in OPERATORS.rglob("*.cs")
        for name in re.findall(r'\[Aten\("([^"]+)"', file.read_text(encoding="utf-8"))
    }
    return sorted(written | {row.aten for row in operators.rows()})


def argument_kinds(name: str) -> set[str]:
    """Return the types of an operator's arguments; none where this torch lacks it: 2.15 has no aten::cholesky."""
    base, _, overload = name.partition(".")
    schemas = [schema for schema in torch._C._jit_get_schemas_for_operator(base) if schema.overload_name == overload]
    return {str(argument.real_type) for schema in schemas for argument in schema.arguments}


def test_all_of_the_tables_that_take_a_number_have_three() -> None:
    known = set(scalar_operators.define(table()))
    taking = [
        name for name in table() if name.startswith("aten::") and any("number" in kind for kind in argument_kinds(name))
    ]
    assert len(taking) > 15
    for name in taking:
        base, _, overload = name.removeprefix("aten::").partition(".")
        assert {f"bridge::{base}__{overload or 'default'}__{kind}" for kind in "fib"} <= known
    assert not any("number" in kind for name in known for kind in argument_kinds(name))


def test_defining_twice_changes_nothing_and_what_this_torch_lacks_is_left_out() -> None:
    first = scalar_operators.define(["aten::pow.Tensor_Scalar"])
    assert scalar_operators.define(["aten::pow.Tensor_Scalar", "aten::no_such_operator", "aten::relu"]) == first


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
@pytest.mark.parametrize(("kind", "number"), [("f", 0.3), ("i", 2), ("b", True)])
def test_a_replacement_is_the_real_operator(dtype: torch.dtype, kind: str, number: Any) -> None:
    scalar_operators.define(["aten::mul.Scalar"])
    replacement = getattr(torch.ops.bridge, f"mul__Scalar__{kind}")
    wanted = dtype.is_floating_point
    ours, theirs = (torch.arange(6).to(dtype).requires_grad_(wanted) for _ in range(2))
    result, expected = replacement(ours, number), torch.ops.aten.mul.Scalar(theirs, number)
    assert result.dtype == expected.dtype
    assert torch.equal(result, expected)
    assert type(result.grad_fn) is type(expected.grad_fn)
    if wanted:
        result.sum().backward()
        assert ours.grad is not None


def test_a_replacement_that_changes_its_argument_gives_it_back() -> None:
    scalar_operators.define(["aten::clamp_"])
    x = torch.arange(4.0)
    assert torch.ops.bridge.clamp___default__f(x, None, 1.5) is x
    assert x.tolist() == [0, 1, 1.5, 1.5]


@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")  # from libtorch; torch 2.13 prints it
def test_modes_and_transforms_see_the_real_operator() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    scalar_operators.define(["aten::pow.Tensor_Scalar"])
    x = torch.ones(2)
    with Mode():
        torch.ops.bridge.pow__Tensor_Scalar__i(x, 2)
    assert seen == ["aten.pow.Tensor_Scalar"]
    doubled = torch.vmap(lambda x: torch.ops.bridge.pow__Tensor_Scalar__i(x, 2))(torch.arange(3.0))
    assert doubled.tolist() == [0, 1, 4]
