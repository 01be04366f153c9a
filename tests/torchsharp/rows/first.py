"""Cases of the rows that the first modules needed (Operators/TensorMembers/Tensor.cs, Torch.cs)."""

from __future__ import annotations

import torch
from operator_rows import (
    FLOATS,
    NUMBERS,
    ONE,
    Row,
    conv,
    expanded,
    factory,
    filled,
    flat,
    into,
    kind,
    linear,
    made,
    norm,
    one,
    padded,
    permuted,
    plain,
    pool,
    prelu,
    products,
    ranged,
    said,
    same,
    selected,
    sliced,
    softmax,
    spread,
    to_type,
    two,
    typed,
    viewed,
    with_dims,
)
from torch.nn import functional as F

UNARY = ("relu", "relu_", "sigmoid", "tanh", "exp", "neg", "reciprocal", "abs", "sqrt", "max", "min", "all")
BINARY = ("mul", "mul_", "div", "eq", "gt", "lt")
FACTORIES = ("zeros", "ones", "rand", "randn")
#: Results without a gradient, by nature.
WITHOUT_GRADIENT = {
    *("alias", "is_leaf", "is_neg", "is_conj", "detach", "zero_", "fill_", "uniform_", "normal_", "set_data", "diff", "eq", "gt", "lt", "equal", "all"),
}  # fmt: skip

_FACTORY = "([n[0], n[1]], Type(2), Place(3))"
_CONV = "functional.conv2d(a, b, c, [n[0], n[1]], [n[2], n[3]], [n[4], n[5]], n[6])"
_POOL = "functional.max_pool2d(a, [n[0], n[1]], [n[2], n[3]], [n[4], n[5]], [n[6], n[7]], n[8] == 1)"

ROWS: dict[str, Row] = {
    # Two rows that nobody may call: they are what these two properties run.
    "Tensor aten::alias": said("requires_grad"),
    "Tensor aten::is_leaf": said("is_leaf"),
    "Tensor aten::is_neg": said("is_neg()"),
    "Tensor aten::is_conj": said("is_conj()"),
    "Tensor aten::resolve_neg": Row("a.resolve_neg()", plain("resolve_neg"), one),
    "Tensor aten::resolve_conj": Row("a.resolve_conj()", plain("resolve_conj"), one),
    "Tensor aten::clone": Row("a.clone()", plain("clone"), one),
    "Tensor aten::detach": Row("a.detach()", plain("detach"), one),
    "Tensor aten::contiguous": Row("a.contiguous()", plain("contiguous"), one),
    "Tensor aten::copy_": Row("a.copy_(b)", plain("copy_"), into),
    "Tensor aten::set_data": Row("Assigned(a, b)", lambda a, b, n, r: torch.ops.aten.set_data(a, b) or a, same),
    "Tensor aten::zero_": Row("a.zero_()", plain("zero_"), one),
    "Tensor aten::fill_.Tensor": Row("a.fill_(b)", lambda a, b, n, r: torch.ops.aten.fill_.Tensor(a, b), filled),
    "Tensor aten::uniform_": Row("a.uniform_(r[0], r[1])", lambda a, n, r: a.uniform_(*r), one, FLOATS, reals=(-1.5, 2.25)),
    "Tensor aten::normal_": Row("a.normal_(r[0], r[1])", lambda a, n, r: a.normal_(*r), one, FLOATS, reals=(0.5, 3.0)),
    "Tensor aten::view": Row("a.view(n)", spread("view"), viewed),
    "Tensor aten::reshape": Row("a.reshape(n)", spread("reshape"), viewed),
    "Tensor aten::flatten.using_ints": Row("a.flatten(n[0], n[1])", spread("flatten"), ranged),
    "Tensor aten::permute": Row("a.permute(n)", spread("permute"), permuted),
    "Tensor aten::transpose.int": Row("a.transpose(n[0], n[1])", spread("transpose"), with_dims(2)),
    "Tensor aten::t": Row("a.t()", plain("t"), flat),
    "Tensor aten::unsqueeze": Row("a.unsqueeze(n[0])", spread("unsqueeze"), with_dims(1)),
    "Tensor aten::squeeze": Row("a.squeeze()", plain("squeeze"), one),
    "Tensor aten::squeeze.dim": Row("a.squeeze(n[0])", spread("squeeze"), with_dims(1)),
    "Tensor aten::expand": Row("a.expand(n)", spread("expand"), expanded),
    "Tensor aten::slice.Tensor": Row("a.slice(n[0], n[1], n[2], n[3])", lambda a, n, r: torch.ops.aten.slice.Tensor(a, *n), sliced),
    "Tensor aten::select.int": Row("a.select(n[0], n[1])", lambda a, n, r: torch.ops.aten.select.int(a, *n), selected),
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one) for name in UNARY},
    "Tensor aten::prelu": Row("a.prelu(b)", plain("prelu"), prelu, FLOATS),
    "Tensor aten::softmax.int": Row("a.softmax(n[0], Type(1))", lambda a, n, r: torch.softmax(a, n[0], dtype=kind(n[1])), softmax),
    "Tensor aten::matmul": Row("a.matmul(b)", plain("matmul"), products),
    **{f"Tensor aten::{name}.Tensor": Row(f"a.{name}(b)", plain(name), two) for name in BINARY},
    # The only way to subtract integers that takes no Scalar.
    "Tensor aten::diff #itself": Row("a.diff(2, n[0])", lambda a, n, r: a.diff(2, n[0]), with_dims(1)),
    "Tensor aten::diff": Row("a.sub(b)", plain("sub"), two, (torch.int64, torch.int32, torch.uint8)),
    "Tensor aten::sum": Row("a.sum(Type(0))", lambda a, n, r: a.sum(dtype=kind(n[0])), typed),
    "Tensor aten::mean": Row("a.mean()", plain("mean"), one, FLOATS),
    "Tensor aten::equal": Row("ones([a.Equals(b) ? 1 : 0])", lambda a, b, n, r: torch.ones(int(a.equal(b))), same),
    "Tensor aten::to.dtype": Row("a.to_type((ScalarType)(sbyte)n[0])", lambda a, n, r: a.to(NUMBERS[n[0]]), to_type),
    **{
        f"torch aten::{name}{'.generator' * name.startswith('rand')}": Row(name + _FACTORY, made(getattr(torch, name)), factory, ONE)
        for name in FACTORIES
    },
    "torch aten::empty.memory_format": Row(
        "empty" + _FACTORY + ".zero_()", lambda n, r: made(torch.empty)(n=n, r=r).zero_(), factory, ONE
    ),
    "functional aten::linear": Row("functional.linear(a, b, c)", lambda a, b, c, n, r: F.linear(a, b, c), linear),
    "functional aten::prelu": Row("functional.prelu(a, b)", lambda a, b, n, r: F.prelu(a, b), prelu, FLOATS),
    "functional aten::softmax.int": Row(
        "functional.softmax(a, n[0], Type(1))", lambda a, n, r: F.softmax(a, n[0], dtype=kind(n[1])), softmax
    ),
    "functional aten::conv2d": Row(_CONV, lambda a, b, c, n, r: F.conv2d(a, b, c, n[:2], n[2:4], n[4:6], n[6]), conv, FLOATS),
    "functional aten::conv2d.padding": Row(
        "functional.conv2d_padding(a, b, c, null, n[2] == 1 ? Padding.Same : Padding.Valid, [n[4], n[5]], n[6])",
        lambda a, b, c, n, r: F.conv2d(a, b, c, 1, "same" if n[2] == 1 else "valid", n[4:6], n[6]), conv, FLOATS,
    ),
    "functional aten::pad": Row(
        'functional.Pad(a, n, (n[0] % 3) switch { 0 => "reflect", 1 => "replicate", _ => "circular" })',
        lambda a, n, r: F.pad(a, tuple(n), ("reflect", "replicate", "circular")[n[0] % 3]), padded, FLOATS,
    ),
    "functional aten::max_pool2d": Row(_POOL, lambda a, n, r: F.max_pool2d(a, n[:2], n[2:4], n[4:6], n[6:8], bool(n[8])), pool, FLOATS),
    "functional aten::batch_norm": Row(
        "functional.batch_norm(a, b, c, d, e, n[0] == 1, r[0], r[1])",
        lambda a, b, c, d, e, n, r: torch.batch_norm(a, d, e, b, c, bool(n[0]), r[0], r[1], True), norm, FLOATS, reals=(0.25, 1e-3),
    ),
}  # fmt: skip
