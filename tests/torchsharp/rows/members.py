"""Cases of Operators/TensorMembers/TensorActivations.cs, TensorLinearAlgebra.cs, TensorParts.cs and TensorStatistics.cs."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import ALL, FLOATS, Inputs, Row, joined, one, plain, spread, two
from operator_rows.math import square, three, vectors
from operator_rows.reductions import SORTABLE, dim
from operator_rows.shapes import matrix

EXACT = (torch.float32, torch.float64)


def _finite(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.nan_to_num(0.5, 2.0, -2.0)


def halves(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 3), 2 * draw.integer(1, 3))], [-1]


def grid(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 4), draw.integer(1, 4))], []


def squares(draw: Any) -> Inputs:
    size = draw.integer(1, 4)
    return [_finite(draw.tensor(size, size)) + 3 * torch.eye(size, dtype=draw.dtype)], []


def definite(draw: Any) -> Inputs:
    (made,), _ = squares(draw)
    assert made is not None
    return [made @ made.mT + torch.eye(len(made), dtype=made.dtype)], []


def solved(draw: Any) -> Inputs:
    (made,), _ = definite(draw)
    assert made is not None
    return [_finite(draw.tensor(len(made), 2)), torch.linalg.cholesky(made)], []


def reflectors(draw: Any) -> Inputs:
    (made,), _ = squares(draw)
    assert made is not None
    found, scale = torch.geqrf(made)
    return [found, scale, _finite(draw.tensor(len(made), 3))], []


def matrix_vector(draw: Any) -> Inputs:
    rows, columns = draw.integer(1, 5), draw.integer(1, 5)
    return [draw.tensor(rows, columns), draw.tensor(columns)], []


def addmm(draw: Any) -> Inputs:
    rows, inner, columns = (draw.integer(1, 4) for _ in range(3))
    return [draw.tensor(rows, columns), draw.tensor(rows, inner), draw.tensor(inner, columns)], []


def addmv(draw: Any) -> Inputs:
    rows, columns = draw.integer(1, 4), draw.integer(1, 4)
    return [draw.tensor(rows), draw.tensor(rows, columns), draw.tensor(columns)], []


def addr(draw: Any) -> Inputs:
    rows, columns = draw.integer(1, 4), draw.integer(1, 4)
    return [draw.tensor(rows, columns), draw.tensor(rows), draw.tensor(columns)], []


def _batches(draw: Any, *, own: bool) -> Inputs:
    batch, rows, inner, columns = (draw.integer(1, 4) for _ in range(4))
    result = (batch, rows, columns) if own else (rows, columns)
    return [draw.tensor(*result), draw.tensor(batch, rows, inner), draw.tensor(batch, inner, columns)], []


def addbmm(draw: Any) -> Inputs:
    return _batches(draw, own=False)


def baddbmm(draw: Any) -> Inputs:
    return _batches(draw, own=True)


def complex_parts(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 4), 2).contiguous()], []


def _positions(draw: Any, count: int, below: int) -> torch.Tensor:
    return torch.randint(0, below, (count,), generator=draw.generator)


def taken(draw: Any) -> Inputs:
    made = draw.tensor(*draw.shape(1, empty=False))
    return [made, _positions(draw, draw.integer(1, 4), made.numel())], []


def along(draw: Any) -> Inputs:
    rows, columns = draw.integer(1, 4), draw.integer(1, 4)
    return [draw.tensor(rows, columns), _positions(draw, columns, rows).reshape(1, columns)], []


def copied(draw: Any) -> Inputs:
    rows = draw.integer(2, 5)
    return [draw.tensor(rows, 3), torch.randperm(rows, generator=draw.generator)[:2], draw.tensor(2, 3)], []


def picked(draw: Any) -> Inputs:
    rows = draw.integer(2, 5)
    return [draw.tensor(rows, 3), _positions(draw, 2, rows)], []


def masked(draw: Any) -> Inputs:
    made = draw.tensor(3, draw.integer(1, 4))
    return [made, draw.tensor(*made.shape, dtype=torch.bool), draw.tensor(*made.shape)], []


def diagonals(draw: Any) -> Inputs:
    size = draw.integer(1, 4)
    return [draw.tensor(size, size + draw.integer(0, 2)), draw.tensor(size)], []


def last_row(draw: Any) -> Inputs:
    rows, columns = draw.integer(1, 4), draw.integer(1, 4)
    return [draw.tensor(rows, columns), draw.tensor(columns)], []


def middle_rows(draw: Any) -> Inputs:
    columns = draw.integer(1, 4)
    return [draw.tensor(4, columns), draw.tensor(2, columns)], []


def channels(draw: Any) -> Inputs:
    return [draw.tensor(2, 2 * draw.integer(1, 3), 2, 2)], []


def vector(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 5))], []


def cube(draw: Any) -> Inputs:
    return [draw.tensor(4, 4, 4)], []


def single(draw: Any) -> Inputs:
    return [draw.tensor(1)], []


def filled_one(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape(1, empty=False))], []


def quantiles(draw: Any) -> Inputs:
    tensors, (at, _) = dim(draw)
    return [*tensors, torch.tensor([0.25, 0.5], dtype=draw.dtype)], [at]


def finite(draw: Any) -> Inputs:
    return [_finite(draw.tensor(*draw.shape()))], []


def naturals(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 8)).abs()], []


def same_shape(draw: Any) -> Inputs:
    made = draw.tensor(*draw.shape(1, empty=False))
    return [made, draw.tensor(*made.shape)], []


def countable(draw: Any) -> Inputs:
    """Draw elements of few values, so that some repeat."""
    made = draw.tensor(*draw.shape(1, empty=False))
    made = made.nan_to_num(0.0, 1.0, -1.0).round() if made.is_floating_point() else made
    return [made + 0], [draw.integer(-made.dim(), made.dim() - 1)]


ROWS: dict[str, Row] = {
    "Tensor aten::relu6": Row("a.relu6()", lambda a, n, r: torch.ops.aten.relu6(a), one, FLOATS),
    "Tensor aten::relu6_": Row("a.relu6_()", lambda a, n, r: torch.ops.aten.relu6_(a), one, FLOATS),
    "Tensor aten::hardsigmoid": Row("a.hardsigmoid()", lambda a, n, r: torch.ops.aten.hardsigmoid(a), one, FLOATS),
    "Tensor aten::hardsigmoid_": Row("a.hardsigmoid_()", lambda a, n, r: torch.ops.aten.hardsigmoid_(a), one, FLOATS),
    "Tensor aten::hardswish": Row("a.hardswish()", lambda a, n, r: torch.ops.aten.hardswish(a), one, FLOATS),
    "Tensor aten::hardswish_": Row("a.hardswish_()", lambda a, n, r: torch.ops.aten.hardswish_(a), one, FLOATS),
    "Tensor aten::selu": Row("a.selu()", lambda a, n, r: torch.ops.aten.selu(a), one, FLOATS),
    "Tensor aten::selu_": Row("a.selu_()", lambda a, n, r: torch.ops.aten.selu_(a), one, FLOATS),
    "Tensor aten::silu_": Row("a.silu_()", lambda a, n, r: torch.ops.aten.silu_(a), one, FLOATS),
    "Tensor aten::log_sigmoid": Row("a.log_sigmoid()", lambda a, n, r: torch.ops.aten.log_sigmoid(a), one, FLOATS),
    "Tensor aten::gelu": Row("a.gelu(TorchSharp.Modules.GELU.Approximate.tanh)", lambda a, n, r: torch.ops.aten.gelu(a, approximate="tanh"), one, FLOATS),
    "Tensor aten::gelu #exact": Row("a.gelu()", lambda a, n, r: torch.ops.aten.gelu(a), one, FLOATS),
    "Tensor aten::gelu_": Row("a.gelu_(TorchSharp.Modules.GELU.Approximate.tanh)", lambda a, n, r: torch.ops.aten.gelu_(a, approximate="tanh"), one, FLOATS),
    "Tensor aten::gelu_ #exact": Row("a.gelu_()", lambda a, n, r: torch.ops.aten.gelu_(a), one, FLOATS),
    "Tensor aten::glu": Row("a.glu(n[0])", lambda a, n, r: torch.nn.functional.glu(a, n[0]), halves, FLOATS),
    "Tensor aten::hardtanh": Row("a.hardtanh(-0.5, 1)", lambda a, n, r: torch.ops.aten.hardtanh(a, -0.5, 1), one, FLOATS),
    "Tensor aten::threshold": Row("a.threshold(0.1, -2)", lambda a, n, r: torch.ops.aten.threshold(a, 0.1, -2), one, FLOATS),
    "Tensor aten::leaky_relu": Row("a.leaky_relu(0.2)", lambda a, n, r: torch.ops.aten.leaky_relu(a, 0.2), one, FLOATS),
    "Tensor aten::elu": Row("a.elu(0.5, 1.5, 2)", lambda a, n, r: torch.ops.aten.elu(a, 0.5, 1.5, 2.0), one, FLOATS),
    "Tensor aten::elu #alone": Row("a.elu(0.5)", lambda a, n, r: torch.ops.aten.elu(a, 0.5), one, FLOATS),
    "Tensor aten::rrelu": Row("a.rrelu(0.1, 0.3)", lambda a, n, r: torch.ops.aten.rrelu(a, 0.1, 0.3), one, FLOATS),
    "Tensor aten::hardtanh_": Row("a.hardtanh_(-0.5, 1)", lambda a, n, r: torch.ops.aten.hardtanh_(a, -0.5, 1), one, FLOATS),
    "Tensor aten::threshold_": Row("a.threshold_(0.1, -2)", lambda a, n, r: torch.ops.aten.threshold_(a, 0.1, -2), one, FLOATS),
    "Tensor aten::leaky_relu_": Row("a.leaky_relu_(0.2)", lambda a, n, r: torch.ops.aten.leaky_relu_(a, 0.2), one, FLOATS),
    "Tensor aten::elu_": Row("a.elu_(0.5, 1.5, 2)", lambda a, n, r: torch.ops.aten.elu_(a, 0.5, 1.5, 2.0), one, FLOATS),
    "Tensor aten::elu_ #alone": Row("a.elu_(0.5)", lambda a, n, r: torch.ops.aten.elu_(a, 0.5), one, FLOATS),
    "Tensor aten::rrelu_": Row("a.rrelu_(0.1, 0.3)", lambda a, n, r: torch.ops.aten.rrelu_(a, 0.1, 0.3), one, FLOATS),
    "Tensor aten::softplus": Row("a.softplus(2, 3)", lambda a, n, r: torch.ops.aten.softplus(a, 2.0, 3.0), one, FLOATS),
    "Tensor aten::trace": Row("a.trace()", plain("trace"), grid, FLOATS),
    "Tensor aten::det": Row("a.det()", plain("det"), squares, EXACT),
    "Tensor aten::logdet": Row("a.logdet()", plain("logdet"), squares, EXACT),
    "Tensor aten::inverse": Row("a.inverse()", plain("inverse"), squares, EXACT),
    "Tensor aten::matrix_exp": Row("a.matrix_exp()", plain("matrix_exp"), squares, EXACT),
    "Tensor aten::matrix_power": Row("a.matrix_power(3)", lambda a, n, r: a.matrix_power(3), squares, EXACT),
    "Tensor aten::linalg_pinv": Row("a.pinverse()", lambda a, n, r: torch.linalg.pinv(a, 1e-15), squares, EXACT),
    "Tensor aten::cholesky": Row("a.cholesky()", lambda a, n, r: torch.ops.aten.cholesky(a), definite, EXACT),
    "Tensor aten::cholesky_inverse": Row("a.cholesky_inverse(true)", lambda a, n, r: torch.cholesky_inverse(a, True), definite, EXACT),
    "Tensor aten::cholesky_solve": Row("a.cholesky_solve(b)", lambda a, b, n, r: torch.cholesky_solve(a, b), solved, EXACT),
    "Tensor aten::geqrf": Row("Joined(a.geqrf())", lambda a, n, r: joined(torch.geqrf(a)), squares, EXACT, gradient=False),
    "Tensor aten::ormqr": Row("a.ormqr(b, c)", plain("ormqr"), reflectors, EXACT),
    "Tensor aten::mv": Row("a.mv(b)", plain("mv"), matrix_vector, (*FLOATS, torch.int64)),
    "Tensor aten::vdot": Row("a.vdot(b)", plain("vdot"), vectors, (*FLOATS, torch.int64)),
    "Tensor aten::inner": Row("a.inner(b)", plain("inner"), vectors, (*FLOATS, torch.int64)),
    "Tensor aten::kron": Row("a.kron(b)", plain("kron"), two, ALL),
    "Tensor aten::tensordot": Row("a.tensordot(b, [1], [0])", lambda a, b, n, r: torch.tensordot(a, b, ([1], [0])), square, (*FLOATS, torch.int64)),
    "Tensor aten::addmm": Row("a.addmm(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addmm(b, c, beta=0.5, alpha=2.0), addmm, FLOATS),
    "Tensor aten::addmm_": Row("a.addmm_(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addmm_(b, c, beta=0.5, alpha=2.0), addmm, FLOATS),
    "Tensor aten::addmv": Row("a.addmv(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addmv(b, c, beta=0.5, alpha=2.0), addmv, FLOATS),
    "Tensor aten::addmv_": Row("a.addmv_(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addmv_(b, c, beta=0.5, alpha=2.0), addmv, FLOATS),
    "Tensor aten::addr": Row("a.addr(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addr(b, c, beta=0.5, alpha=2.0), addr, FLOATS),
    "Tensor aten::addr_": Row("a.addr_(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addr_(b, c, beta=0.5, alpha=2.0), addr, FLOATS),
    "Tensor aten::addbmm": Row("a.addbmm(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addbmm(b, c, beta=0.5, alpha=2.0), addbmm, FLOATS),
    "Tensor aten::addbmm_": Row("a.addbmm_(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.addbmm_(b, c, beta=0.5, alpha=2.0), addbmm, FLOATS),
    "Tensor aten::baddbmm": Row("a.baddbmm(b, c, 0.5f, 2)", lambda a, b, c, n, r: a.baddbmm(b, c, beta=0.5, alpha=2.0), baddbmm, FLOATS),
    "Tensor aten::addcdiv": Row("a.addcdiv(b, c, 0.5)", lambda a, b, c, n, r: a.addcdiv(b, c, value=0.5), three, FLOATS),
    "Tensor aten::addcdiv_": Row("a.addcdiv_(b, c, 0.5)", lambda a, b, c, n, r: a.addcdiv_(b, c, value=0.5), three, FLOATS),
    "Tensor aten::addcmul": Row("a.addcmul(b, c, 0.5)", lambda a, b, c, n, r: a.addcmul(b, c, value=0.5), three, FLOATS),
    "Tensor aten::addcmul_": Row("a.addcmul_(b, c, 0.5)", lambda a, b, c, n, r: a.addcmul_(b, c, value=0.5), three, FLOATS),
    "Tensor aten::dist": Row("a.dist(b)", lambda a, b, n, r: a.dist(b, 2.0), two, FLOATS),
    "Tensor aten::renorm": Row("a.renorm(2, 0, 1.5f)", lambda a, n, r: a.renorm(2.0, 0, 1.5), grid, FLOATS),
    "Tensor aten::ravel": Row("a.ravel()", plain("ravel"), one, ALL),
    "Tensor aten::fliplr": Row("a.fliplr()", lambda a, n, r: torch.ops.aten.fliplr(a), grid, ALL),
    "Tensor aten::flipud": Row("a.flipud()", lambda a, n, r: torch.ops.aten.flipud(a), grid, ALL),
    "Tensor aten::atleast_1d": Row("a.atleast_1d()", lambda a, n, r: torch.ops.aten.atleast_1d(a), one, ALL),
    "Tensor aten::atleast_2d": Row("a.atleast_2d()", lambda a, n, r: torch.ops.aten.atleast_2d(a), one, ALL),
    "Tensor aten::atleast_3d": Row("a.atleast_3d()", lambda a, n, r: torch.ops.aten.atleast_3d(a), one, ALL),
    "Tensor aten::adjoint": Row("a.adjoint()", plain("adjoint"), grid, ALL),
    "Tensor aten::argwhere": Row("a.argwhere()", plain("argwhere"), one, ALL, gradient=False),
    "Tensor aten::matrix_H": Row("a.H", lambda a, n, r: a.H, grid, FLOATS),
    "Tensor aten::mH": Row("a.mH", lambda a, n, r: a.mH, grid, FLOATS),
    "Tensor aten::real": Row("a.real", lambda a, n, r: a.real, one, FLOATS),
    "Tensor aten::imag": Row("view_as_complex(a).imag", lambda a, n, r: torch.view_as_complex(a).imag, complex_parts, EXACT),
    "Tensor aten::real #complex": Row("view_as_complex(a).real", lambda a, n, r: torch.view_as_complex(a).real, complex_parts, EXACT),
    "Tensor aten::detach_": Row("a.detach_()", plain("detach_"), one, FLOATS, gradient=False),
    "Tensor aten::take": Row("a.take(b)", plain("take"), taken, ALL),
    "Tensor aten::take_along_dim": Row("a.take_along_dim(b, 0)", lambda a, b, n, r: torch.take_along_dim(a, b, 0), along, ALL),
    "Tensor aten::take_along_dim #flat": Row("a.take_along_dim(b.reshape(-1))", lambda a, b, n, r: torch.take_along_dim(a, b.reshape(-1)), along, ALL),
    "Tensor aten::index_copy": Row("a.index_copy(0, b, c)", lambda a, b, c, n, r: a.index_copy(0, b, c), copied, ALL),
    "Tensor aten::index_fill.int_Scalar": Row("a.index_fill(0, b, 1)", lambda a, b, n, r: a.index_fill(0, b, 1), picked, ALL),
    "Tensor aten::masked_scatter": Row("a.masked_scatter(b, c)", plain("masked_scatter"), masked, ALL),
    "Tensor aten::index_fill_.int_Scalar": Row("a.index_fill_(0, b, 1)", lambda a, b, n, r: a.index_fill_(0, b, 1), picked, ALL),
    "Tensor aten::masked_scatter_": Row("a.masked_scatter_(b, c)", plain("masked_scatter_"), masked, ALL),
    "Tensor aten::tril_": Row("a.tril_(n[0])", spread("tril_"), matrix, ALL),
    "Tensor aten::triu_": Row("a.triu_(n[0])", spread("triu_"), matrix, ALL),
    "Tensor aten::diag_embed": Row("a.diag_embed(n[0])", lambda a, n, r: torch.diag_embed(a, n[0]), matrix, ALL),
    "Tensor aten::diagflat": Row("a.diagflat(n[0])", lambda a, n, r: torch.diagflat(a, n[0]), matrix, ALL),
    "Tensor aten::diagonal": Row("a.diagonal(n[0])", lambda a, n, r: a.diagonal(n[0]), matrix, ALL),
    "Tensor aten::diagonal_scatter": Row("a.diagonal_scatter(b)", lambda a, b, n, r: a.diagonal_scatter(b), diagonals, ALL),
    "Tensor aten::select_scatter": Row("a.select_scatter(b, 0, -1)", lambda a, b, n, r: a.select_scatter(b, 0, -1), last_row, ALL),
    "Tensor aten::slice_scatter": Row("a.slice_scatter(b, 0, 1, 3)", lambda a, b, n, r: a.slice_scatter(b, 0, 1, 3), middle_rows, ALL),
    "Tensor aten::rot90": Row("a.rot90(n[0])", lambda a, n, r: torch.rot90(a, n[0]), matrix, ALL),
    "Tensor aten::channel_shuffle": Row("a.channel_shuffle(2)", lambda a, n, r: torch.ops.aten.channel_shuffle(a, 2), channels, FLOATS),
    "Tensor aten::vander": Row("a.vander(3, true)", lambda a, n, r: torch.vander(a, 3, True), vector, (*FLOATS, torch.int64), gradient=False),
    "Tensor aten::where.self": Row("a.where(a == b, b)", lambda a, b, n, r: a.where(a == b, b), two, ALL),
    "Tensor aten::tensor_split.sections": Row("Joined(a.tensor_split(2))", lambda a, n, r: joined(a.tensor_split(2)), cube, ALL),
    "Tensor aten::tensor_split.indices": Row("Joined(a.tensor_split([1, 2]))", lambda a, n, r: joined(a.tensor_split([1, 2])), cube, ALL),
    "Tensor aten::tensor_split.tensor_indices_or_sections": Row("Joined(a.tensor_split(tensor(new[] { 1L, 3L })))", lambda a, n, r: joined(a.tensor_split([1, 3])), cube, ALL),
    "Tensor aten::hsplit.int": Row("Joined(a.hsplit(2))", lambda a, n, r: joined(a.hsplit(2)), cube, ALL),
    "Tensor aten::hsplit.array": Row("Joined(a.hsplit(1, 3))", lambda a, n, r: joined(a.hsplit([1, 3])), cube, ALL),
    "Tensor aten::vsplit.int": Row("Joined(a.vsplit(2))", lambda a, n, r: joined(a.vsplit(2)), cube, ALL),
    "Tensor aten::vsplit.array": Row("Joined(a.vsplit(1, 3))", lambda a, n, r: joined(a.vsplit([1, 3])), cube, ALL),
    "Tensor aten::dsplit.int": Row("Joined(a.dsplit(2))", lambda a, n, r: joined(a.dsplit(2)), cube, ALL),
    "Tensor aten::dsplit.array": Row("Joined(a.dsplit(1, 3))", lambda a, n, r: joined(a.dsplit([1, 3])), cube, ALL),
    "Tensor aten::is_pinned": Row("ones([a.is_pinned() ? 1 : 0])", lambda a, n, r: torch.ones(int(a.is_pinned())), one, FLOATS, gradient=False),
    "Tensor aten::is_nonzero": Row("ones([a.is_nonzero() ? 1 : 0])", lambda a, n, r: torch.ones(int(a.is_nonzero())), single, ALL, gradient=False),
    "Tensor aten::median": Row("a.median()", plain("median"), filled_one, SORTABLE),
    "Tensor aten::nanmedian": Row("a.nanmedian()", plain("nanmedian"), filled_one, SORTABLE),
    "Tensor aten::nansum": Row("a.nansum()", plain("nansum"), one, ALL),
    "Tensor aten::msort": Row("a.msort()", plain("msort"), filled_one, SORTABLE),
    "Tensor aten::corrcoef": Row("a.corrcoef()", plain("corrcoef"), grid, EXACT),
    "Tensor aten::cov": Row("a.cov(0)", lambda a, n, r: a.cov(correction=0), grid, EXACT),
    "Tensor aten::aminmax": Row("Joined(a.aminmax(n[0], true))", lambda a, n, r: joined(torch.aminmax(a, dim=n[0], keepdim=True)), dim, ALL),
    "Tensor aten::count_nonzero": Row("a.count_nonzero()", plain("count_nonzero"), one, ALL, gradient=False),
    "Tensor aten::count_nonzero.dim_IntList": Row("a.count_nonzero([n[0]])", lambda a, n, r: a.count_nonzero([n[0]]), dim, ALL, gradient=False),
    "Tensor aten::quantile": Row("a.quantile(b, n[0], true)", lambda a, b, n, r: a.quantile(b, n[0], True), quantiles, EXACT),
    "Tensor aten::nanquantile": Row("a.nanquantile(b, n[0], true)", lambda a, b, n, r: a.nanquantile(b, n[0], True), quantiles, EXACT),
    "Tensor aten::mode": Row("a.mode(n[0]).values", lambda a, n, r: a.mode(n[0]).values, dim, SORTABLE),
    "Tensor aten::kthvalue": Row("Joined(a.kthvalue(1, n[0]))", lambda a, n, r: joined(a.kthvalue(1, n[0])), dim, SORTABLE),
    "Tensor aten::nanmean": Row("a.nanmean((int)n[0], true)", lambda a, n, r: a.nanmean(n[0], True), dim, FLOATS),
    "Tensor aten::std_mean": Row("Joined(a.std_mean(false))", lambda a, n, r: joined(torch.std_mean(a, False)), one, FLOATS),
    "Tensor aten::std_mean.dim": Row("Joined(a.std_mean(n[0], n[1] == 1, true))", lambda a, n, r: joined(torch.std_mean(a, n[0], bool(n[1]), True)), dim, FLOATS),
    "Tensor aten::var_mean": Row("Joined(a.var_mean(false))", lambda a, n, r: joined(torch.var_mean(a, False)), one, FLOATS),
    "Tensor aten::var_mean.dim": Row("Joined(a.var_mean(n[0], n[1] == 1, true))", lambda a, n, r: joined(torch.var_mean(a, n[0], bool(n[1]), True)), dim, FLOATS),
    "Tensor aten::cummax": Row("Joined(a.cummax(n[0]))", lambda a, n, r: joined(a.cummax(n[0])), dim, SORTABLE),
    "Tensor aten::cummin": Row("Joined(a.cummin(n[0]))", lambda a, n, r: joined(a.cummin(n[0])), dim, SORTABLE),
    "Tensor aten::histc": Row("a.histc(4, -1, 1)", lambda a, n, r: a.histc(4, -1, 1), finite, EXACT, gradient=False),
    "Tensor aten::bincount": Row("a.bincount(null, 4)", lambda a, n, r: a.bincount(minlength=4), naturals, (torch.int64, torch.uint8), gradient=False),
    "Tensor aten::trapezoid.dx": Row("a.trapezoid(0.5, n[0])", lambda a, n, r: torch.trapezoid(a, dx=0.5, dim=n[0]), dim, FLOATS),
    "Tensor aten::trapezoid.x": Row("a.trapezoid(b)", lambda a, b, n, r: torch.trapezoid(a, b), same_shape, FLOATS),
    "Tensor aten::cumulative_trapezoid.dx": Row("a.cumulative_trapezoid(0.5, n[0])", lambda a, n, r: torch.cumulative_trapezoid(a, dx=0.5, dim=n[0]), dim, FLOATS),
    "Tensor aten::cumulative_trapezoid.x": Row("a.cumulative_trapezoid(b)", lambda a, b, n, r: torch.cumulative_trapezoid(a, b), same_shape, FLOATS),
    "Tensor aten::_unique2": Row("Joined(a.unique(true, true, true))", lambda a, n, r: joined(a.unique(True, True, True)), countable, SORTABLE, gradient=False),
    "Tensor aten::unique_dim": Row("Joined(a.unique(true, true, true, (int)n[0]))", lambda a, n, r: joined(a.unique(True, True, True, n[0])), countable, SORTABLE, gradient=False),
    "Tensor aten::unique_consecutive": Row("Joined(a.unique_consecutive(true, true))", lambda a, n, r: joined(a.unique_consecutive(True, True)), countable, SORTABLE, gradient=False),
}  # fmt: skip
