"""Cases of the factories and joins of Operators/TorchFunctions/Torch.cs and of Operators/Functional (nn.functional)."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import DEVICES, FLOATS, ONE, Inputs, Row, joined, kind
from torch.nn import functional as F

#: PyTorch's names of what becomes of a loss.
REDUCTIONS = ("none", "mean", "sum")
HALF_FREE = (torch.float32, torch.float64)


def ranged(draw: Any) -> Inputs:
    start = draw.integer(-5, 5)
    return [], [
        start,
        start + draw.integer(0, 9),
        draw.integer(1, 3),
        draw.random.choice([-1, 3, 6]),
        draw.integer(0, 1),
    ]


def sized(draw: Any) -> Inputs:
    return [], [draw.integer(0, 4), draw.integer(1, 4), draw.random.choice([-1, 3, 4, 6, 7]), draw.integer(0, 1)]


def same_but(draw: Any) -> Inputs:
    """Draw three tensors that differ in one dimension only, and that dimension."""
    shape = list(draw.shape(1, 3))
    dim = draw.integer(-len(shape), len(shape) - 1)
    made = []
    for _ in range(3):
        shape[dim] = draw.integer(0, 3)
        made.append(draw.tensor(*shape))
    return made, [dim]


def alike(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape) for _ in range(3)], [draw.integer(-len(shape) - 1, len(shape))]


def conditions(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape, dtype=torch.bool), draw.tensor(*shape), draw.tensor(*shape)], []


def lines(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 4)), draw.tensor(draw.integer(1, 4))], []


def ordered(draw: Any) -> Inputs:
    return [draw.tensor(6).sort().values, draw.tensor(4)], []


def products(draw: Any) -> Inputs:
    rows, inner, columns = (draw.integer(1, 4) for _ in range(3))
    return [draw.tensor(rows, columns), draw.tensor(rows, inner), draw.tensor(inner, columns)], []


def single(draw: Any) -> Inputs:
    return [draw.tensor(2, 3, 4), draw.tensor(2, 4, 5)], []


def classes(draw: Any) -> Inputs:
    count, of = draw.integer(1, 5), draw.integer(2, 4)
    return [
        draw.tensor(count, of),
        torch.randint(0, of, (count,), generator=draw.generator),
        draw.tensor(of).abs() + 0.1,
    ], [draw.integer(0, 2)]


def targets(draw: Any) -> Inputs:
    shape = draw.shape(1)
    return [draw.tensor(*shape), draw.tensor(*shape).sigmoid()], [draw.integer(0, 2)]


def attention(draw: Any) -> Inputs:
    heads, queries, keys, width = (draw.integer(1, 4) for _ in range(4))
    return [
        draw.tensor(2, heads, queries, width),
        draw.tensor(2, heads, keys, width),
        draw.tensor(2, heads, keys, width),
        draw.tensor(queries, keys),
    ], [draw.integer(0, 1)]


def labels(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape(1), dtype=torch.int64).abs()], [draw.random.choice([-1, 12])]


def sampled(spatial: int) -> Any:
    """Draw a signal, picture or volume, its new size, and align_corners."""
    return lambda draw: (
        [draw.tensor(1, 2, *(draw.integer(2, 4) for _ in range(spatial)))],
        [draw.integer(0, 1), *(draw.integer(1, 6) for _ in range(spatial))],
    )


def _reduced(function: Any) -> Any:
    return lambda a, b, n, r: function(a, b, reduction=REDUCTIONS[n[0]])


def _sampled(mode: str) -> Any:
    return lambda a, n, r: F.interpolate(
        a, tuple(n[1:]), mode=mode, align_corners=None if mode == "nearest" else bool(n[0])
    )


_REDUCTION = "(Reduction)(int)n[0]"
_SIZE = "System.Linq.Enumerable.ToArray(System.Linq.Enumerable.Skip(n, 1))"
SAMPLING = {"linear1d": "Linear", "bilinear2d": "Bilinear", "bicubic2d": "Bicubic", "trilinear3d": "Trilinear"}

ROWS: dict[str, Row] = {
    "torch aten::arange.start_step": Row("arange(n[0], n[1], n[2], Type(3), Place(4))", lambda n, r: torch.arange(*n[:3], dtype=kind(n[3]), device=DEVICES[n[4]]), ranged, ONE, gradient=False),
    "torch aten::arange.start_step #real": Row("arange(0, n[1] + 20, 0.3)", lambda n, r: torch.arange(0, n[1] + 20, 0.3), ranged, ONE, gradient=False),
    "torch aten::arange.start_step #stop": Row("arange(n[1] + 5)", lambda n, r: torch.arange(n[1] + 5), ranged, ONE, gradient=False),
    "torch aten::arange.start_step #stop real": Row("arange(7.5)", lambda n, r: torch.arange(7.5), ranged, ONE, gradient=False),
    "torch aten::linspace": Row("linspace(n[0], n[1] + 0.1, n[2] + 5)", lambda n, r: torch.linspace(n[0], n[1] + 0.1, n[2] + 5), ranged, ONE, gradient=False),
    "torch aten::full": Row("full([n[0], n[1]], 3, Type(2), Place(3))", lambda n, r: torch.full(n[:2], 3, dtype=kind(n[2]), device=DEVICES[n[3]]), sized, ONE, gradient=False),
    "torch aten::full #real": Row("full(n[0], n[1], 0.1)", lambda n, r: torch.full(n[:2], 0.1), sized, ONE, gradient=False),
    "torch aten::full #truth": Row("full(n[0], true)", lambda n, r: torch.full(n[:1], True, dtype=torch.int64), sized, ONE, gradient=False),
    "torch aten::eye.m": Row("eye(n[0], n[1], Type(2), Place(3))", lambda n, r: torch.eye(n[0], n[1], dtype=kind(n[2]), device=DEVICES[n[3]]), sized, ONE, gradient=False),
    "torch aten::randint.low_generator": Row("randint(-2, 9, [n[0], n[1]], Type(2))", lambda n, r: torch.randint(-2, 9, tuple(n[:2]), dtype=kind(n[2])), sized, ONE, gradient=False),
    "torch aten::randperm.generator": Row("randperm(n[1])", lambda n, r: torch.randperm(n[1]), sized, ONE, gradient=False),
    "torch aten::polar": Row("polar(a, b).view_as_real()", lambda a, b, n, r: torch.view_as_real(torch.polar(a, b)), lambda d: ([t := d.tensor(*d.shape()), t + 1], []), HALF_FREE),
    "torch aten::cat": Row("cat([a, b, c], n[0])", lambda a, b, c, n, r: torch.cat([a, b, c], n[0]), same_but),
    "torch aten::cat #list": Row("concat(new System.Collections.Generic.List<Tensor> { a, b, c }, n[0])", lambda a, b, c, n, r: torch.cat([a, b, c], n[0]), same_but),
    "torch aten::stack": Row("stack([a, b, c], n[0])", lambda a, b, c, n, r: torch.stack([a, b, c], n[0]), alike),
    "torch aten::einsum": Row('einsum("bij,bjk->bik", a, b)', lambda a, b, n, r: torch.einsum("bij,bjk->bik", a, b), single, FLOATS),
    "torch aten::where.self": Row("where(a, b, c)", lambda a, b, c, n, r: torch.where(a, b, c), conditions),
    "torch aten::where": Row("Joined(where(a))", lambda a, b, c, n, r: joined(torch.where(a)), conditions, ONE, gradient=False),
    "torch aten::meshgrid.indexing": Row('Joined(meshgrid([a, b], "xy"))', lambda a, b, n, r: joined(torch.meshgrid(a, b, indexing="xy")), lines),
    "torch aten::searchsorted.Tensor": Row("searchsorted(a, b, right: true)", lambda a, b, n, r: torch.searchsorted(a, b, right=True), ordered, (*HALF_FREE, torch.int64), gradient=False),
    "torch aten::addmm": Row("addmm(a, b, c, 2, 0.5f)", lambda a, b, c, n, r: torch.addmm(a, b, c, beta=2, alpha=0.5), products, HALF_FREE),
    "torch bridge::manual_seed": Row("Seeded(n[0])", lambda n, r: torch.manual_seed(n[0]) and torch.rand(3), sized, ONE, gradient=False),
    "torch bridge::device_count": Row("ones([cuda.device_count(), cuda.is_available() ? 1 : 0])", lambda n, r: torch.ones(torch.cuda.device_count(), int(torch.cuda.is_available())), sized, ONE, gradient=False),
    "functional aten::cross_entropy_loss": Row(f"functional.cross_entropy(a, b, c.detach(), reduction: {_REDUCTION}, label_smoothing: 0.1)", lambda a, b, c, n, r: F.cross_entropy(a, b, c.detach(), reduction=REDUCTIONS[n[0]], label_smoothing=0.1), classes, HALF_FREE),
    "functional aten::nll_loss_nd": Row(f"functional.nll_loss(a, b, c.detach(), {_REDUCTION})", lambda a, b, c, n, r: F.nll_loss(a, b, c.detach(), reduction=REDUCTIONS[n[0]]), classes, HALF_FREE),
    "functional aten::mse_loss": Row(f"functional.mse_loss(a, b, {_REDUCTION})", _reduced(F.mse_loss), targets, FLOATS),
    "functional aten::l1_loss": Row(f"functional.l1_loss(a, b, {_REDUCTION})", _reduced(F.l1_loss), targets, FLOATS),
    "functional aten::binary_cross_entropy_with_logits": Row(f"functional.binary_cross_entropy_with_logits(a, b, reduction: {_REDUCTION})", _reduced(F.binary_cross_entropy_with_logits), targets, FLOATS),
    "functional aten::scaled_dot_product_attention": Row("n[0] == 1 ? functional.scaled_dot_product_attention(a, b, c, is_casual: true) : functional.scaled_dot_product_attention(a, b, c, d)", lambda a, b, c, d, n, r: F.scaled_dot_product_attention(a, b, c, is_causal=True) if n[0] else F.scaled_dot_product_attention(a, b, c, d), attention, HALF_FREE),
    "functional aten::one_hot": Row("functional.one_hot(a, n[0])", lambda a, n, r: F.one_hot(a, n[0]), labels, ONE, gradient=False),
    "functional aten::linalg_vector_norm": Row("functional.normalize(a, 2, 1)", lambda a, n, r: F.normalize(a, 2, 1), lambda d: ([d.tensor(*d.shape(2))], []), FLOATS),
    "functional aten::pad #value": Row("functional.pad(a, (n[1], n[0]), value: 2.5)", lambda a, n, r: F.pad(a, (n[1], n[0]), value=2.5), sampled(1)),
    "functional aten::pad #mode": Row("functional.pad(a, n, PaddingModes.Replicate)", lambda a, n, r: F.pad(a, tuple(n), "replicate"), sampled(1), FLOATS),
    **{f"functional aten::upsample_nearest{rank}d.vec": Row(f"functional.interpolate(a, {_SIZE})", _sampled("nearest"), sampled(rank), FLOATS) for rank in (1, 2, 3)},
    **{f"functional aten::upsample_{name}.vec": Row(f"functional.interpolate(a, {_SIZE}, mode: InterpolationMode.{mode}, align_corners: n[0] == 1)", _sampled(name[:-2]), sampled(int(name[-2])), HALF_FREE) for name, mode in SAMPLING.items()},
    "functional aten::upsample_nearest2d.vec #factor": Row("functional.interpolate(a, scale_factor: [1.7, 2.0])", lambda a, n, r: F.interpolate(a, scale_factor=(1.7, 2.0)), sampled(2), FLOATS),
    "functional aten::upsample_bilinear2d.vec #factor": Row("functional.interpolate(a, scale_factor: [1.7], mode: InterpolationMode.Bilinear, recompute_scale_factor: true)", lambda a, n, r: F.interpolate(a, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), sampled(2), HALF_FREE),
}  # fmt: skip
