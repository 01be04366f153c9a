"""Cases of the rows that modules run on (Operators/Functional/Functional.cs)."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import FLOATS, Inputs, Row, images, one, plain, with_dims
from torch.nn import functional as F


def flagged(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape(2, 4))], [draw.integer(0, 1)]


def line(draw: Any) -> Inputs:
    """Draw [N, C, L] or [C, L], a weight, and stride, padding, dilation, groups."""
    return _blocks(draw, 1, 12)


def volume(draw: Any) -> Inputs:
    return _blocks(draw, 3, 6)


def _blocks(draw: Any, rank: int, size: int) -> Inputs:
    groups, of, to = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    sizes = [draw.integer(size - 2, size) for _ in range(rank)]
    leading = [draw.integer(1, 3)] if draw.integer(0, 2) else []
    weight = draw.tensor(groups * to, of, *(draw.integer(1, 3) for _ in range(rank)))
    bias = draw.tensor(groups * to) if draw.integer(0, 1) else None
    numbers = [draw.integer(1, 2), draw.integer(0, 2), draw.integer(1, 2), groups]
    return [draw.tensor(*leading, groups * of, *sizes), weight, bias], numbers


def transposed(draw: Any) -> Inputs:
    groups, of, to = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    bias = draw.tensor(groups * to) if draw.integer(0, 1) else None
    numbers = [draw.integer(1, 3), draw.integer(0, 1), draw.integer(0, 1), draw.integer(1, 2), groups]
    return [
        images(draw, groups * of),
        draw.tensor(groups * of, to, draw.integer(1, 3), draw.integer(2, 3)),
        bias,
    ], numbers


def lines(draw: Any) -> Inputs:
    leading = [draw.integer(1, 3)] if draw.integer(0, 2) else []
    numbers = [draw.integer(2, 3), draw.integer(1, 3), draw.integer(0, 1), draw.integer(1, 2), draw.integer(0, 1)]
    return [draw.tensor(*leading, draw.integer(1, 3), draw.integer(6, 9))], numbers


def average(draw: Any) -> Inputs:
    numbers = [
        draw.integer(2, 3),
        draw.integer(1, 3),
        draw.integer(0, 1),
        draw.integer(0, 1),
        draw.integer(0, 1),
        draw.integer(-2, 5),
    ]
    return [images(draw, draw.integer(1, 3))], numbers


def adaptive(draw: Any) -> Inputs:
    return [images(draw, draw.integer(1, 3))], [draw.integer(1, 6), draw.integer(1, 6)]


def layers(draw: Any) -> Inputs:
    shape = draw.shape(1, empty=False)
    size = shape[draw.integer(0, len(shape) - 1) :]
    affine = [draw.tensor(*size) if draw.integer(0, 2) else None for _ in range(2)]
    return [draw.tensor(*shape), *affine], list(size)


def grouped(draw: Any) -> Inputs:
    groups, of = draw.integer(1, 3), draw.integer(1, 2)
    affine = [draw.tensor(groups * of), draw.tensor(groups * of)] if draw.integer(0, 2) else [None, None]
    return [draw.tensor(draw.integer(1, 3), groups * of, *draw.shape(1, 2, empty=False)), *affine], [groups]


def table(draw: Any) -> Inputs:
    rows = draw.integer(3, 6)
    words = torch.randint(
        0, rows, draw.shape(), generator=draw.generator, dtype=draw.random.choice([torch.int64, torch.int32])
    )
    return [draw.tensor(rows, draw.integer(1, 4)), words], [draw.integer(-1, rows - 1), draw.integer(0, 1)]


def renormalized(draw: Any) -> Inputs:
    """Return only the rows: PyTorch takes 64-bit integers here in every version."""
    tensors, _ = table(draw)
    return [tensors[0], tensors[1].to(torch.int64)], []  # type: ignore[union-attr]


_BLOCK = "(a, b, c, {0}, {1}, {2}, n[3])"
_NAMED = "n[1] == 1 ? Padding.Same : Padding.Valid"
_CONV1D = _BLOCK.format("n[0]", "n[1]", "n[2]")
_CONV3D = _BLOCK.format("[n[0], 1, n[0]]", "[n[1], n[1], 0]", "[1, n[2], n[2]]")

ROWS: dict[str, Row] = {
    "functional aten::sigmoid": Row("functional.sigmoid(a)", plain("sigmoid"), one),
    "functional aten::tanh": Row("functional.tanh(a)", plain("tanh"), one),
    **{f"functional aten::{name}_": Row(f"functional.{name}(a, true)", plain(f"{name}_"), one) for name in ("sigmoid", "tanh")},
    "functional aten::silu": Row("functional.silu(a)", lambda a, n, r: F.silu(a), one),
    "functional aten::silu_": Row("functional.silu(a, true)", lambda a, n, r: F.silu(a, inplace=True), one),
    "functional aten::gelu": Row("functional.gelu(a)", lambda a, n, r: F.gelu(a), one),
    "functional aten::gelu_": Row(
        "functional.gelu(a, TorchSharp.Modules.GELU.Approximate.tanh, true)",
        lambda a, n, r: torch.ops.aten.gelu_(a, approximate="tanh"), one,
    ),
    "functional aten::log_softmax.int": Row("functional.log_softmax(a, n[0])", lambda a, n, r: F.log_softmax(a, n[0]), with_dims(1)),
    "functional aten::dropout": Row(
        "functional.dropout(a, r[0], n[0] == 1)", lambda a, n, r: F.dropout(a, r[0], bool(n[0])), flagged, FLOATS, (0.3,)
    ),
    "functional aten::dropout_": Row(
        "functional.dropout(a, r[0], n[0] == 1, true)", lambda a, n, r: F.dropout(a, r[0], bool(n[0]), True), flagged, FLOATS, (0.6,)
    ),
    "functional aten::feature_dropout": Row(
        "functional.dropout2d(a, r[0], n[0] == 1)", lambda a, n, r: torch.feature_dropout(a, r[0], bool(n[0])), flagged, FLOATS, (0.3,)
    ),
    "functional aten::feature_dropout_": Row(
        "functional.dropout2d(a, r[0], n[0] == 1, true)",
        lambda a, n, r: torch.feature_dropout_(a, r[0], bool(n[0])), flagged, FLOATS, (0.6,),
    ),
    "functional aten::conv1d": Row("functional.conv1d" + _CONV1D, lambda a, b, c, n, r: F.conv1d(a, b, c, *n), line, FLOATS),
    "functional aten::conv1d.padding": Row(
        f"functional.conv1d_padding(a, b, c, null, {_NAMED}, n[2], n[3])",
        lambda a, b, c, n, r: F.conv1d(a, b, c, 1, "same" if n[1] == 1 else "valid", n[2], n[3]), line, FLOATS,
    ),
    "functional aten::conv3d": Row(
        "functional.conv3d" + _CONV3D,
        lambda a, b, c, n, r: F.conv3d(a, b, c, (n[0], 1, n[0]), (n[1], n[1], 0), (1, n[2], n[2]), n[3]), volume, FLOATS,
    ),
    "functional aten::conv3d.padding": Row(
        f"functional.conv3d_padding(a, b, c, null, {_NAMED}, [n[2], 1, 1], n[3])",
        lambda a, b, c, n, r: F.conv3d(a, b, c, 1, "same" if n[1] == 1 else "valid", (n[2], 1, 1), n[3]), volume, FLOATS,
    ),
    "functional aten::conv_transpose2d.input": Row(
        "functional.conv_transpose2d(a, b, c, [n[0], n[0]], [n[1], 0], [n[2], 0], [1, n[3]], n[4])",
        lambda a, b, c, n, r: F.conv_transpose2d(a, b, c, n[0], (n[1], 0), (n[2], 0), n[4], (1, n[3])), transposed, FLOATS,
    ),
    "functional aten::max_pool1d": Row(
        "functional.max_pool1d(a, n[0], n[1], n[2], n[3], n[4] == 1)",
        lambda a, n, r: F.max_pool1d(a, *n[:4], ceil_mode=bool(n[4])), lines, FLOATS,
    ),
    "functional aten::avg_pool2d": Row(
        "functional.avg_pool2d(a, [n[0], 2], [n[1], 1], [n[2], 0], n[3] == 1, n[4] == 1, n[5] < 0 ? null : n[5])",
        lambda a, n, r: F.avg_pool2d(a, (n[0], 2), (n[1], 1), (n[2], 0), bool(n[3]), bool(n[4]), None if n[5] < 0 else n[5]),
        average, FLOATS,
    ),
    "functional aten::adaptive_avg_pool2d": Row(
        "functional.adaptive_avg_pool2d(a, (n[0], n[1]))", lambda a, n, r: F.adaptive_avg_pool2d(a, tuple(n)), adaptive, FLOATS
    ),
    "functional aten::layer_norm": Row(
        "functional.layer_norm(a, n, b, c, r[0])", lambda a, b, c, n, r: F.layer_norm(a, tuple(n), b, c, r[0]), layers, FLOATS, (1e-3,)
    ),
    "functional aten::group_norm": Row(
        "functional.group_norm(a, n[0], b, c, r[0])", lambda a, b, c, n, r: F.group_norm(a, n[0], b, c, r[0]), grouped, FLOATS, (1e-3,)
    ),
    "functional aten::embedding": Row(
        "functional.Embedding(b, a, n[0], n[1] == 1, false)", lambda a, b, n, r: torch.embedding(a, b, n[0], bool(n[1])), table, FLOATS
    ),
    "functional aten::embedding_renorm_": Row(
        "functional.Renorm(b, a.detach(), r[0], r[1])",
        lambda a, b, n, r: torch.embedding_renorm_(a.detach(), b, *r), renormalized, FLOATS, (1.0, 1.5), gradient=False,
    ),
}  # fmt: skip
