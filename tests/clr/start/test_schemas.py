"""bridge/clr/start/schemas.py: the running torch's schemas as text, and .NET calls operators by nothing else."""

from __future__ import annotations

import pytest
import torch

from bridge.clr.start import schemas

CODES = set("TIFBNSDVLMGX")


def fields(operator: str) -> list[str]:
    """Return the fields of a line after the name: the number of results, then the arguments."""
    line = schemas.text([operator])
    name, *rest = line.split("\t")
    assert name == operator
    return rest


def test_an_operator_is_one_line_of_fields() -> None:
    assert fields("aten::relu") == ["1", "self:T:"]
    assert fields("aten::softmax.int") == ["1", "self:T:", "dim:I:", "dtype:D?:None"]
    assert fields("aten::flatten.using_ints") == ["1", "self:T:", "start_dim:I:0", "end_dim:I:-1"]


@pytest.mark.parametrize(
    ("operator", "argument"),
    [
        ("aten::conv2d", "bias:T?:None"),
        ("aten::conv2d", "stride:I[]:[1,1]"),
        ("aten::conv2d", "groups:I:1"),
        ("aten::view", "size:I[]:"),
        ("aten::max_pool2d", "stride:I[]:[]"),
        ("aten::max_pool2d", "ceil_mode:B:false"),
        ("aten::batch_norm", "eps:F:"),
        ("aten::uniform_", "from:F:0.0"),
        ("aten::normal_", "generator:G?:None"),
        ("aten::add.Tensor", "alpha:N:1"),
        ("aten::zeros", "layout:L?:None"),
        ("aten::zeros", "device:V?:None"),
        ("aten::clone", "memory_format:M?:None"),
        ("aten::gelu", "approximate:S:'none"),
        ("aten::pad", "value:F?:None"),
        ("aten::upsample_nearest2d.vec", "scale_factors:F[]?:"),
        ("aten::sum.dim_IntList", "dim:I[]?:"),
        ("aten::cat", "tensors:T[]:"),
        ("aten::_native_multi_head_attention", "need_weights:B:true"),
    ],
)
def test_types_and_defaults(operator: str, argument: str) -> None:
    assert argument in fields(operator)


def test_results_are_counted() -> None:
    assert [
        fields(name)[0] for name in ("aten::max.dim", "aten::native_batch_norm", "aten::set_data", "aten::equal")
    ] == ["2", "3", "0", "1"]


def test_operators_that_torch_lacks_are_left_out() -> None:
    lines = schemas.text(
        ["aten::relu", "aten::no_such_operator", "aten::softmax.no_such_overload", "nobody::nothing", "aten::neg"]
    ).split("\n")
    assert [line.split("\t")[0] for line in lines] == ["aten::relu", "aten::neg"]
    assert schemas.text(["aten::no_such_operator"]) == ""
    assert schemas.text([]) == ""


def test_every_schema_of_torch_can_be_written() -> None:
    """Not only the ones in use: whatever torch has gives lines that C# can split (Schemas.Read)."""
    names = sorted({name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")})
    text = schemas.text(names)
    lines = text.split("\n")
    assert len(lines) > 2_000
    for line in lines:
        name, returns, *arguments = line.split("\t")
        assert name.startswith("aten::")
        overload = torch._C._get_schema(*(name.split(".", 1) if "." in name else (name, "")))
        assert int(returns) == len(overload.returns)
        assert [argument.split(":", 2)[0] for argument in arguments] == [a.name for a in overload.arguments]
        for argument, declared in zip(arguments, overload.arguments, strict=True):
            _, kind, default = argument.split(":", 2)
            assert kind[0] in CODES
            assert kind[1:] in ("", "?", "[]", "[]?", "?[]", "[][]", "[]?[]")
            assert (default != "") == declared.has_default_value()


def test_every_operator_is_a_line_that_can_be_split() -> None:
    lines = schemas.every().splitlines()
    assert "aten::conv2d\t1\tinput:T:" in "\n".join(lines)
    assert all(line.split("\t")[1].isdigit() for line in lines)
    assert len({line.split("\t")[0] for line in lines}) == len(lines) > 2_000
