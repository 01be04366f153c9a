"""Cases of the activations, the pooling and the sampling of Operators/Functional."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import FLOATS, ONE, Inputs, Row, joined, one, same
from torch.nn import functional as F

HALF_FREE = (torch.float32, torch.float64)
_BOTH = "Joined({})"


def pooled(rank: int) -> Any:
    """Draw [N, C, …] or [C, …]; window, stride, padding, ceil_mode, count_include_pad."""

    def make(draw: Any) -> Inputs:
        leading = [draw.integer(1, 2)] if draw.integer(0, 2) else []
        sizes = [draw.integer(5, 7) for _ in range(rank)]
        numbers = [draw.integer(2, 3), draw.integer(1, 3), draw.integer(0, 1), draw.integer(0, 1), draw.integer(0, 1)]
        return [draw.tensor(*leading, draw.integer(1, 3), *sizes)], numbers

    return make


def halves(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 3), 2 * draw.integer(1, 3))], []


def transposed(rank: int) -> Any:
    def make(draw: Any) -> Inputs:
        inputs, outputs, groups = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
        image = draw.tensor(draw.integer(1, 2), inputs * groups, *(draw.integer(3, 4) for _ in range(rank)))
        weight = draw.tensor(inputs * groups, outputs, *(draw.integer(1, 3) for _ in range(rank)))
        bias = draw.tensor(outputs * groups) if draw.integer(0, 1) else None
        return [image, weight, bias], [draw.integer(2, 3), draw.integer(0, 1), draw.integer(0, 1), 1, groups]

    return make


def spoken(draw: Any) -> Inputs:
    """Draw log probabilities [T, N, C], targets [N, S], and their lengths."""
    steps, batch = draw.integer(6, 8), draw.integer(1, 3)
    scores = torch.randn(steps, batch, 4, generator=draw.generator, dtype=draw.dtype).log_softmax(2)
    targets = torch.randint(1, 4, (batch, 3), generator=draw.generator)
    return [scores, targets, torch.full((batch,), steps), torch.full((batch,), 2)], []


def points(draw: Any) -> Inputs:
    picture = torch.randn(2, 2, 4, 5, generator=draw.generator, dtype=draw.dtype)
    grid = torch.rand(2, 3, 3, 2, generator=draw.generator, dtype=draw.dtype) * 3 - 1.5
    return [picture, grid], [draw.integer(0, 1)]


def matrices(draw: Any) -> Inputs:
    return [torch.randn(2, 2, 3, generator=draw.generator, dtype=draw.dtype)], [draw.integer(0, 1)]


def shuffled(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 2), 4 * draw.integer(1, 2), 2 * draw.integer(1, 2), 2)], []


def pairs(draw: Any) -> Inputs:
    return [draw.tensor(3, 2), draw.tensor(3, 4), draw.tensor(5, 2, 4), draw.tensor(5)], []


def _pool(function: Any, *, counted: bool = True) -> Any:
    def run(a: Any, n: Any, r: Any) -> Any:
        if counted:
            return function(a, n[0], n[1], n[2], bool(n[3]), bool(n[4]))
        return function(a, n[0], n[1], n[2], 1, bool(n[3]))

    return run


def _each(value: int, rank: int) -> str:
    return "[" + ", ".join([f"n[{value}]"] * rank) + "]"


def _activation(name: str, call: str, function: Any, *, inplace: bool = True) -> dict[str, Row]:
    """Return the row and its in-place row, if any."""
    rows = {f"functional aten::{name}": Row(f"functional.{call})", lambda a, n, r: function(a), one, FLOATS)}
    if inplace:
        rows[f"functional aten::{name}_"] = Row(
            f"functional.{call}, inplace: true)", lambda a, n, r: function(a, inplace=True), one, FLOATS
        )
    return rows


_MAX = "functional.max_pool{0}d_with_indices(a, {1}, {2}, {3}, ceil_mode: n[3] == 1)"


def _found(rank: int) -> Row:
    function = getattr(F, f"max_pool{rank}d_with_indices")
    code = _BOTH.format(_MAX.format(rank, _each(0, rank), _each(1, rank), _each(2, rank)))
    return Row(code, lambda a, n, r: joined(function(a, n[0], n[1], n[2], 1, bool(n[3]))), pooled(rank), HALF_FREE)


def _largest(rank: int) -> Row:
    name = f"adaptive_max_pool{rank}d"
    function = getattr(F, name)
    return Row(f"functional.{name}(a, {_each(0, rank)})", lambda a, n, r: function(a, n[0]), pooled(rank), HALF_FREE)


ROWS: dict[str, Row] = {
    **_activation("relu", "relu(a", F.relu),
    **_activation("relu6", "relu6(a", F.relu6),
    **_activation("hardsigmoid", "hardsigmoid(a", F.hardsigmoid),
    **_activation("hardswish", "hardswish(a", F.hardswish),
    **_activation("mish", "mish(a", F.mish),
    **_activation("selu", "selu(a", F.selu),
    **_activation("elu", "elu(a, 0.7", lambda a, inplace=False: F.elu(a, 0.7, inplace)),
    **_activation("hardtanh", "hardtanh(a, -0.5, 0.7", lambda a, inplace=False: F.hardtanh(a, -0.5, 0.7, inplace)),
    **_activation("threshold", "threshold(a, 0.1, 20", lambda a, inplace=False: F.threshold(a, 0.1, 20, inplace)),
    **_activation("softplus", "softplus(a, 2, 1", lambda a: F.softplus(a, 2, 1), inplace=False),
    **_activation("softshrink", "softshrink(a, 0.3", lambda a: F.softshrink(a, 0.3), inplace=False),
    **_activation("hardshrink", "hardshrink(a, 0.3", lambda a: F.hardshrink(a, 0.3), inplace=False),
    **_activation("log_sigmoid", "logsigmoid(a", F.logsigmoid, inplace=False),
    "functional aten::relu #ambiguous": Row("functional.relu(x: a)", lambda a, n, r: F.relu(a), one),
    "functional aten::gelu #alone": Row("functional.gelu(a)", lambda a, n, r: F.gelu(a), one, FLOATS),
    "functional aten::sigmoid #alone": Row("functional.sigmoid(a)", lambda a, n, r: torch.sigmoid(a), one, FLOATS),
    "functional aten::glu": Row("functional.glu(a, 1)", lambda a, n, r: F.glu(a, 1), halves, HALF_FREE),
    "functional aten::avg_pool1d": Row("functional.avg_pool1d(a, n[0], n[1], n[2], n[3] == 1, n[4] == 1)", _pool(F.avg_pool1d), pooled(1), HALF_FREE),
    "functional aten::avg_pool2d #number": Row("functional.avg_pool2d(a, n[0], stride: n[1], padding: n[2], ceil_mode: n[3] == 1, count_include_pad: n[4] == 1)", _pool(F.avg_pool2d), pooled(2), HALF_FREE),
    "functional aten::avg_pool2d #pair": Row("functional.avg_pool2d(a, (n[0], n[0]), (n[1], n[1]), (n[2], n[2]), n[3] == 1, n[4] == 1)", _pool(F.avg_pool2d), pooled(2), HALF_FREE),
    "functional aten::avg_pool3d": Row(f"functional.avg_pool3d(a, {_each(0, 3)}, {_each(1, 3)}, {_each(2, 3)}, n[3] == 1, n[4] == 1)", _pool(F.avg_pool3d), pooled(3), HALF_FREE),
    "functional aten::max_pool2d #number": Row("functional.max_pool2d(a, n[0], n[1], n[2], ceil_mode: n[3] == 1)", _pool(F.max_pool2d, counted=False), pooled(2), HALF_FREE),
    "functional aten::max_pool3d": Row(f"functional.max_pool3d(a, {_each(0, 3)}, {_each(1, 3)}, {_each(2, 3)}, ceil_mode: n[3] == 1)", _pool(F.max_pool3d, counted=False), pooled(3), HALF_FREE),
    "functional aten::max_pool1d_with_indices": Row(_BOTH.format(_MAX.format(1, "n[0]", "n[1]", "n[2]")), lambda a, n, r: joined(F.max_pool1d_with_indices(a, n[0], n[1], n[2], 1, bool(n[3]))), pooled(1), HALF_FREE),
    **{f"functional aten::max_pool{rank}d_with_indices": _found(rank) for rank in (2, 3)},
    "functional aten::adaptive_avg_pool1d": Row("functional.adaptive_avg_pool1d(a, n[0])", lambda a, n, r: F.adaptive_avg_pool1d(a, n[0]), pooled(1), HALF_FREE),
    "functional aten::adaptive_avg_pool3d": Row("functional.adaptive_avg_pool3d(a, (n[0], n[1], n[0]))", lambda a, n, r: F.adaptive_avg_pool3d(a, (n[0], n[1], n[0])), pooled(3), HALF_FREE),
    "functional aten::adaptive_max_pool1d": Row("functional.adaptive_max_pool1d(a, n[0])", lambda a, n, r: F.adaptive_max_pool1d(a, n[0]), pooled(1), HALF_FREE),
    **{f"functional aten::adaptive_max_pool{rank}d": _largest(rank) for rank in (2, 3)},
    "functional aten::conv_transpose1d": Row("functional.conv_transpose1d(a, b, c, n[0], n[1], n[2], n[3], n[4])", lambda a, b, c, n, r: F.conv_transpose1d(a, b, c, n[0], n[1], n[2], n[4], n[3]), transposed(1), HALF_FREE),
    "functional aten::conv_transpose3d.input": Row(f"functional.conv_transpose3d(a, b, c, {_each(0, 3)}, {_each(1, 3)}, {_each(2, 3)}, groups: n[4])", lambda a, b, c, n, r: F.conv_transpose3d(a, b, c, n[0], n[1], n[2], n[4]), transposed(3), HALF_FREE),
    "functional aten::cosine_similarity": Row("functional.cosine_similarity(a, b, 0, 1e-6)", lambda a, b, n, r: F.cosine_similarity(a, b, 0, 1e-6), lambda d: ([d.tensor(3, 4), d.tensor(3, 4)], []), HALF_FREE),
    "functional aten::pairwise_distance": Row("functional.pairwise_distance(a, b, 1.5)", lambda a, b, n, r: F.pairwise_distance(a, b, 1.5), lambda d: ([d.tensor(3, 4), d.tensor(3, 4)], []), HALF_FREE),
    "functional aten::bilinear": Row("functional.bilinear(a, b, c, d)", lambda a, b, c, d, n, r: F.bilinear(a, b, c, d), pairs, HALF_FREE),
    "functional aten::smooth_l1_loss": Row("functional.smooth_l1_loss(a, b, Reduction.Sum, 0.5)", lambda a, b, n, r: F.smooth_l1_loss(a, b, reduction="sum", beta=0.5), same, HALF_FREE),
    "functional aten::ctc_loss.Tensor": Row("functional.ctc_loss(a, b, c, d, zero_infinity: true)", lambda a, b, c, d, n, r: F.ctc_loss(a, b, c, d, zero_infinity=True), spoken, HALF_FREE),
    "functional aten::grid_sampler": Row("functional.grid_sample(a, b, padding_mode: GridSamplePaddingMode.Border, align_corners: n[0] == 1)", lambda a, b, n, r: F.grid_sample(a, b, "bilinear", "border", bool(n[0])), points, HALF_FREE),
    "functional aten::grid_sampler #nearest": Row("functional.grid_sample(a, b, GridSampleMode.Nearest, GridSamplePaddingMode.Reflection)", lambda a, b, n, r: F.grid_sample(a, b, "nearest", "reflection", False), points, HALF_FREE),
    "functional aten::affine_grid_generator": Row("functional.affine_grid(a, [2L, 1L, 3L, 4L], n[0] == 1)", lambda a, n, r: F.affine_grid(a, [2, 1, 3, 4], bool(n[0])), matrices, HALF_FREE),
    "functional aten::pixel_shuffle": Row("functional.pixel_shuffle(a, 2)", lambda a, n, r: F.pixel_shuffle(a, 2), shuffled, FLOATS),
    "functional aten::pixel_unshuffle": Row("functional.pixel_unshuffle(a, 2)", lambda a, n, r: F.pixel_unshuffle(a, 2), shuffled, FLOATS),
    "functional aten::pad #span": Row("functional.pad(a, new System.ReadOnlySpan<long>([n[0], n[1]]), value: 2.5)", lambda a, n, r: F.pad(a, (n[0], n[1]), value=2.5), pooled(1), ONE),
}  # fmt: skip
