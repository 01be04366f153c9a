"""Cases of the losses, the folding and the dropouts of Operators/Functional."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from operator_rows import Inputs, Row
from torch.nn import functional as F

HALF_FREE = (torch.float32, torch.float64)
REDUCTIONS = ("none", "mean", "sum")
_REDUCTION = "(Reduction)(int)n[0]"


def _real(draw: Any, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=draw.generator, dtype=torch.float64).to(draw.dtype)


def probable(draw: Any) -> Inputs:
    return [_real(draw, 3, 4).sigmoid(), _real(draw, 3, 4).sigmoid()], [draw.integer(0, 2)]


def signed(draw: Any) -> Inputs:
    return [_real(draw, 3, 4), _real(draw, 3, 4).sign()], [draw.integer(0, 2)]


def compared(draw: Any) -> Inputs:
    return [_real(draw, 3, 4), _real(draw, 3, 4), _real(draw, 3).sign()], [draw.integer(0, 2)]


def ranked(draw: Any) -> Inputs:
    return [_real(draw, 3), _real(draw, 3), _real(draw, 3).sign()], [draw.integer(0, 2)]


def labelled(draw: Any) -> Inputs:
    return [_real(draw, 3, 4), torch.randint(0, 4, (3,), generator=draw.generator)], [draw.integer(0, 2)]


def marked(draw: Any) -> Inputs:
    return [_real(draw, 3, 4), torch.tensor([[1, 3, -1, 0]]).repeat(3, 1)], [draw.integer(0, 2)]


def triple(draw: Any) -> Inputs:
    return [_real(draw, 3, 4) for _ in range(3)], [draw.integer(0, 2)]


def picture(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 2), 2, 5, 6)], [draw.integer(1, 2), draw.integer(0, 1)]


def columns(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 2), 8, 20)], []


def channels(draw: Any) -> Inputs:
    return [_real(draw, 2, 3, 5), _real(draw, 3), _real(draw, 3)], [draw.integer(0, 1)]


def _loss(code: str, function: Any, **given: Any) -> Any:
    """Return a loss with ``code`` after its two or three inputs, up to the reduction."""

    def run(*inputs: Any, n: Any, r: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*inputs, reduction=REDUCTIONS[n[0]], **given)

    return f"functional.{code}, reduction: {_REDUCTION})", run


ROWS: dict[str, Row] = {
    "functional aten::binary_cross_entropy": Row(*_loss("binary_cross_entropy(a, b.detach()", lambda a, b, reduction: F.binary_cross_entropy(a, b.detach(), reduction=reduction)), probable, HALF_FREE),
    "functional aten::poisson_nll_loss": Row(*_loss("poisson_nll_loss(a, b, full: true", F.poisson_nll_loss, full=True, eps=float(torch.tensor(1e-8))), probable, HALF_FREE),
    "functional aten::cosine_embedding_loss": Row(*_loss("cosine_embedding_loss(a, b, c, 0.2", F.cosine_embedding_loss, margin=0.2), compared, HALF_FREE),
    "functional aten::hinge_embedding_loss": Row(*_loss("hinge_embedding_loss(a, b", F.hinge_embedding_loss, margin=0.0), signed, HALF_FREE),
    "functional aten::huber_loss": Row(*_loss("huber_loss(a, b, 0.7", F.huber_loss, delta=0.7), signed, HALF_FREE),
    "functional aten::margin_ranking_loss": Row(*_loss("margin_ranking_loss(a, b, c, 0.3", F.margin_ranking_loss, margin=0.3), ranked, HALF_FREE),
    "functional aten::multilabel_margin_loss": Row(*_loss("multi_label_margin_loss(a, b", F.multilabel_margin_loss), marked, HALF_FREE),
    "functional aten::multi_margin_loss": Row(*_loss("multi_margin_loss(a, b, 2, 0.8", F.multi_margin_loss, p=2, margin=0.8), labelled, HALF_FREE),
    "functional aten::kl_div": Row(*_loss("kl_div(a.log(), b.log()", lambda a, b, reduction: F.kl_div(a.log(), b.log(), reduction=reduction, log_target=True)), probable, HALF_FREE),
    "functional aten::soft_margin_loss": Row(*_loss("soft_margin_loss(a, b.detach()", lambda a, b, reduction: F.soft_margin_loss(a, b.detach(), reduction=reduction)), signed, HALF_FREE),
    "functional aten::triplet_margin_loss": Row(*_loss("triplet_margin_loss(a, b, c, 0.9, 1, swap: true", F.triplet_margin_loss, margin=0.9, p=1, swap=True), triple, HALF_FREE),
    "functional aten::im2col": Row("functional.unfold(a, 2, n[0], n[1], n[0])", lambda a, n, r: F.unfold(a, 2, n[0], n[1], n[0]), picture, HALF_FREE),
    "functional aten::im2col #pair": Row("functional.unfold(a, (2, 3), padding: (n[1], 0))", lambda a, n, r: F.unfold(a, (2, 3), padding=(n[1], 0)), picture, HALF_FREE),
    "functional aten::col2im": Row("functional.fold(a, (5, 6), (2, 2))", lambda a, n, r: F.fold(a, (5, 6), (2, 2)), columns, HALF_FREE),
    "functional aten::instance_norm": Row("functional.instance_norm(a, weight: b, bias: c, eps: 1e-4)", lambda a, b, c, n, r: F.instance_norm(a, weight=b, bias=c, eps=1e-4), channels, HALF_FREE),
    "functional aten::alpha_dropout": Row("functional.alpha_dropout(a, 0.4, n[0] == 1)", lambda a, b, c, n, r: F.alpha_dropout(a, 0.4, bool(n[0])), channels, HALF_FREE),
    "functional aten::alpha_dropout_": Row("functional.alpha_dropout(a, 0.4, n[0] == 1, inplace: true)", lambda a, b, c, n, r: F.alpha_dropout(a, 0.4, bool(n[0]), inplace=True), channels, HALF_FREE),
    "functional aten::feature_alpha_dropout": Row("functional.feature_alpha_dropout(a, 0.4, n[0] == 1)", lambda a, b, c, n, r: F.feature_alpha_dropout(a, 0.4, bool(n[0])), channels, HALF_FREE),
    "functional aten::feature_alpha_dropout_": Row("functional.feature_alpha_dropout(a, 0.4, n[0] == 1, inplace: true)", lambda a, b, c, n, r: F.feature_alpha_dropout(a, 0.4, bool(n[0]), inplace=True), channels, HALF_FREE),
    "functional aten::feature_dropout #3d": Row("functional.dropout3d(a, 0.4, n[0] == 1)", lambda a, b, c, n, r: torch.feature_dropout(a, 0.4, bool(n[0])), channels, HALF_FREE),
    "functional aten::upsample_nearest2d.vec #named": Row("functional.upsample_nearest2d(a, [7L, 9L])", lambda a, n, r: F.interpolate(a, (7, 9)), picture, HALF_FREE),
    "functional aten::upsample_nearest1d.vec #named": Row("functional.upsample_nearest1d(a, null, 1.5)", lambda a, b, c, n, r: F.interpolate(a, scale_factor=1.5), channels, HALF_FREE),
}  # fmt: skip
