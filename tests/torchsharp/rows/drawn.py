"""Cases of Operators/TensorMembers/TensorRandom.cs. Both sides draw from the same seed."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import ALL, FLOATS, Inputs, Row, one

EXACT = (torch.float32, torch.float64)


def chance(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape), torch.rand(shape, generator=draw.generator).to(draw.dtype)], []


def rates(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape()).abs().nan_to_num(1.0, 2.0)], []


def trials(draw: Any) -> Inputs:
    shape = draw.shape()
    counts = torch.randint(0, 9, shape, generator=draw.generator)
    return [counts.to(draw.dtype), torch.rand(shape, generator=draw.generator).to(draw.dtype)], []


def rows(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 3))], []


ROWS: dict[str, Row] = {
    "Tensor aten::bernoulli_.float": Row("a.bernoulli_(0.3)", lambda a, n, r: a.bernoulli_(0.3), one, ALL, gradient=False),
    "Tensor aten::bernoulli_.Tensor": Row("a.bernoulli_(b)", lambda a, b, n, r: a.bernoulli_(b), chance, FLOATS, gradient=False),
    "Tensor aten::poisson": Row("a.poisson()", lambda a, n, r: torch.poisson(a), rates, FLOATS, gradient=False),
    "Tensor aten::binomial": Row("a.binomial(b)", lambda a, b, n, r: torch.binomial(a, b), trials, FLOATS, gradient=False),
    "Tensor aten::cauchy_": Row("a.cauchy_(0.5, 2)", lambda a, n, r: a.cauchy_(0.5, 2), one, FLOATS, gradient=False),
    "Tensor aten::exponential_": Row("a.exponential_(2)", lambda a, n, r: a.exponential_(2), one, FLOATS, gradient=False),
    "Tensor aten::geometric_": Row("a.geometric_(0.4)", lambda a, n, r: a.geometric_(0.4), one, FLOATS, gradient=False),
    "Tensor aten::log_normal_": Row("a.log_normal_(0.5, 2)", lambda a, n, r: a.log_normal_(0.5, 2), one, FLOATS, gradient=False),
    "Tensor aten::random_.from": Row("a.random_(1, 5)", lambda a, n, r: a.random_(1, 5), one, (*FLOATS, torch.int64, torch.uint8), gradient=False),
    "Tensor aten::randint_like.low_dtype": Row("a.detach().randint_like(1, 5)", lambda a, n, r: torch.randint_like(a.detach(), 1, 5), one, (*FLOATS, torch.int64), gradient=False),
    "Tensor aten::randn.out": Row("a[..0].detach().clone().randn_out(2, 3)", lambda a, n, r: torch.randn(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::rand.out": Row("a[..0].detach().clone().rand_out(2, 3)", lambda a, n, r: torch.rand(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::randint.out": Row("a[..0].detach().clone().randint_out(9, [2, 3])", lambda a, n, r: torch.randint(9, (2, 3), dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::randperm.out": Row("a[..0].detach().clone().randperm_out(5)", lambda a, n, r: torch.randperm(5, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::ones.out": Row("a[..0].detach().clone().ones(2, 3)", lambda a, n, r: torch.ones(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::zeros.out": Row("a[..0].detach().clone().zeros(2, 3)", lambda a, n, r: torch.zeros(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::empty.out": Row("a[..0].detach().clone().empty(2, 3).zero_()", lambda a, n, r: torch.zeros(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::full.out": Row("a[..0].detach().clone().full([2, 3], 2)", lambda a, n, r: torch.full((2, 3), 2, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::eye.m_out": Row("a[..0].detach().clone().eye(2, 3)", lambda a, n, r: torch.eye(2, 3, dtype=a.dtype), rows, EXACT, gradient=False),
    "Tensor aten::arange.start_out": Row("a[..0].detach().clone().arange_out(0, 5, 2)", lambda a, n, r: torch.arange(0, 5, 2, dtype=a.dtype), rows, EXACT, gradient=False),
}  # fmt: skip
