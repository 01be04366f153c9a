"""Cases of reductions, sums so far and sorting."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import ALL, FLOATS, Inputs, Row, joined, kind, one, plain, spread, typed, with_dims

SORTABLE = (torch.float32, torch.float64, torch.int64, torch.uint8)


def dims(draw: Any) -> Inputs:
    shape = draw.shape(1, empty=False)
    count = draw.integer(1, len(shape))
    return [draw.tensor(*shape)], draw.random.sample(range(-len(shape), 0), count)


def dim(draw: Any) -> Inputs:
    """Draw a tensor without a size of 0, one of its dimensions and a boolean."""
    shape = draw.shape(1, empty=False)
    return [draw.tensor(*shape)], [draw.integer(-len(shape), len(shape) - 1), draw.integer(0, 1)]


def dim_and_type(draw: Any) -> Inputs:
    tensors, (at,) = with_dims(1)(draw)
    return tensors, [at, draw.random.choice([-1, 6, 7])]


def largest(draw: Any) -> Inputs:
    shape = draw.shape(1, empty=False)
    at = draw.integer(-len(shape), len(shape) - 1)
    return [draw.tensor(*shape)], [draw.integer(1, shape[at]), at, draw.integer(0, 1)]


def weights(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 3), 6).abs().nan_to_num(1, 1, 1) + 0.1], [draw.integer(1, 4)]


def chances(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape()).sigmoid().nan_to_num(0.5)], []


def _with_dim(name: str) -> Any:
    return lambda a, n, r: getattr(a, name)(n[0], bool(n[1]))


def _along(name: str, dtypes: tuple[torch.dtype, ...] = ALL, *, gradient: bool = True) -> Row:
    return Row(f"a.{name}(n[0], n[1] == 1)", _with_dim(name), dim, dtypes, gradient=gradient)


ROWS: dict[str, Row] = {
    "Tensor aten::sum.dim_IntList": Row("a.sum(n)", lambda a, n, r: a.sum(n), dims),
    "Tensor aten::sum.dim_IntList #one": Row("a.sum(n[0], n[1] == 1, float64)", lambda a, n, r: a.sum(n[0], bool(n[1]), dtype=torch.float64), dim),
    "Tensor aten::mean.dim": Row("a.mean(n, true)", lambda a, n, r: a.mean(n, True), dims, FLOATS),
    "Tensor aten::prod": Row("a.prod(Type(0))", lambda a, n, r: a.prod(dtype=kind(n[0])), typed),
    "Tensor aten::prod.dim_int": _along("prod"),
    "Tensor aten::std": Row("a.std()", plain("std"), one, FLOATS),
    "Tensor aten::std.dim": Row("a.std(n[0], n[1] == 1, true)", lambda a, n, r: a.std(n[0], bool(n[1]), True), dim, FLOATS),
    "Tensor aten::var": Row("a.var(false)", lambda a, n, r: a.var(False), one, FLOATS),
    "Tensor aten::var.dim": Row("a.var(n)", lambda a, n, r: a.var(n), dims, FLOATS),
    "Tensor aten::norm.Scalar": Row("a.norm()", lambda a, n, r: torch.ops.aten.norm.Scalar(a, 2.0), one, FLOATS),
    "Tensor aten::norm.ScalarOpt_dim": Row("a.norm((int)n[0], n[1] == 1, 1)", lambda a, n, r: torch.ops.aten.norm.ScalarOpt_dim(a, 1.0, [n[0]], bool(n[1])), dim, FLOATS),
    **{f"Tensor aten::{name}.dim": Row(f"Joined(a.{name}(n[0], n[1] == 1))", lambda a, n, r, name=name: joined(getattr(a, name)(n[0], bool(n[1]))), dim) for name in ("max", "min")},
    **{f"Tensor aten::{name}": Row(f"a.{name}(n, true)", lambda a, n, r, name=name: getattr(a, name)(n, True), dims) for name in ("amax", "amin")},
    **{f"Tensor aten::{name} #out": Row(f"a.detach().{name}(n, true, zeros(n.Length == 0 ? [] : [0L], a.dtype))", lambda a, n, r, name=name: getattr(a.detach(), name)(n, True), dims, gradient=False) for name in ("amax", "amin")},
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one, gradient=False) for name in ("argmax", "argmin")},
    **{f"Tensor aten::{name} #dim": _along(name, gradient=False) for name in ("argmax", "argmin")},
    "Tensor aten::argsort": Row("a.argsort(n[0], n[1] == 1)", lambda a, n, r: torch.argsort(a, n[0], bool(n[1])), dim, SORTABLE, gradient=False),
    "Tensor aten::sort.stable": Row("Joined(a.sort(n[0], n[1] == 1, true))", lambda a, n, r: joined(torch.sort(a, dim=n[0], descending=bool(n[1]), stable=True)), dim, SORTABLE),
    "Tensor aten::topk": Row("Joined(a.topk((int)n[0], (int)n[1], n[2] == 1))", lambda a, n, r: joined(a.topk(n[0], n[1], bool(n[2]))), largest, SORTABLE),
    **{f"Tensor aten::{name}": Row(f"a.{name}(n[0], Type(1))", lambda a, n, r, name=name: getattr(a, name)(n[0], dtype=kind(n[1])), dim_and_type) for name in ("cumsum", "cumprod")},
    "Tensor aten::logsumexp": _along("logsumexp", FLOATS),
    "Tensor aten::logcumsumexp": Row("a.logcumsumexp(n[0])", spread("logcumsumexp"), with_dims(1), FLOATS),
    "Tensor aten::logcumsumexp #torch": Row("logcumsumexp(a, n[0])", lambda a, n, r: torch.logcumsumexp(a, n[0]), with_dims(1), FLOATS),
    "Tensor aten::all.dim": _along("all", gradient=False),
    "Tensor aten::any.dim": _along("any", gradient=False),
    "Tensor aten::any": Row("a.any()", plain("any"), one, gradient=False),
    "Tensor aten::multinomial": Row("a.multinomial(n[0])", lambda a, n, r: a.multinomial(*n), weights, FLOATS, gradient=False),
    "Tensor aten::bernoulli": Row("a.bernoulli()", plain("bernoulli"), chances, FLOATS),
}  # fmt: skip
