"""Cases of Operators/TensorMembers/TensorShapes.cs: shapes, parts, indices, conversions, gradients."""

from __future__ import annotations

from typing import Any

import torch
from operator_rows import (
    DEVICES,
    FLOATS,
    NUMBERS,
    Inputs,
    Row,
    into,
    kind,
    one,
    parts,
    plain,
    spread,
    to_type,
    two,
    with_dims,
)


def matrix(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape(2))], [draw.integer(-2, 2)]


def narrowed(draw: Any) -> Inputs:
    shape = draw.shape(1, empty=False)
    dim = draw.integer(-len(shape), len(shape) - 1)
    start = draw.integer(0, shape[dim] - 1)
    return [draw.tensor(*shape)], [dim, start, draw.integer(0, shape[dim] - start)]


def repeats(draw: Any) -> Inputs:
    shape = draw.shape(0, 3)
    return [draw.tensor(*shape)], [draw.integer(0, 3) for _ in range(len(shape) + draw.integer(0, 1))]


def times(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [draw.integer(0, 3), dim]


def counts(draw: Any) -> Inputs:
    size = draw.integer(1, 4)
    return [draw.tensor(size, 3), draw.tensor(size, dtype=torch.int64).abs() % 3], []


def flipped(draw: Any) -> Inputs:
    shape = draw.shape(1)
    return [draw.tensor(*shape)], draw.random.sample(range(len(shape)), draw.integer(1, len(shape)))


def rolled(draw: Any) -> Inputs:
    shape = draw.shape(2)
    return [draw.tensor(*shape)], [draw.integer(-3, 3), draw.integer(-3, 3)]


def cut(draw: Any) -> Inputs:
    shape = draw.shape(1, empty=False)
    return [draw.tensor(*shape)], [draw.integer(1, 4), draw.integer(-len(shape), len(shape) - 1)]


def sizes(draw: Any) -> Inputs:
    given = [draw.integer(0, 3) for _ in range(draw.integer(1, 3))]
    return [draw.tensor(sum(given), 2)], given


def picked(draw: Any) -> Inputs:
    """Draw a tensor, indices along a dimension, and that dimension."""
    shape = draw.shape(1, 3, empty=False)
    dim = draw.integer(-len(shape), len(shape) - 1)
    return [draw.tensor(*shape), draw.tensor(draw.integer(1, 6), dtype=torch.int64) % shape[dim]], [dim]


def placed(draw: Any) -> Inputs:
    """Draw a tensor, indices of its shape along a dimension, and values of that shape."""
    shape = draw.shape(1, 3, empty=False)
    dim = draw.integer(-len(shape), len(shape) - 1)
    # Each place once: where several values meet, which wins is not defined.
    index = torch.rand(shape, generator=draw.generator).argsort(dim)
    return [draw.tensor(*shape), index, draw.tensor(*shape)], [dim]


def rows_placed(draw: Any) -> Inputs:
    shape = draw.shape(1, 3, empty=False)
    index = torch.randperm(shape[0], generator=draw.generator)
    return [draw.tensor(*shape), index, draw.tensor(*shape)], []


def masked(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape), draw.tensor(*shape, dtype=torch.bool)], []


def two_places(draw: Any) -> Inputs:
    count = draw.integer(1, 5)
    return [
        draw.tensor(3, 2, 4),
        draw.tensor(count, dtype=torch.int64) % 3,
        draw.tensor(count, dtype=torch.int64) % 4,
    ], []


def two_places_and_values(draw: Any) -> Inputs:
    tensors, _ = two_places(draw)
    return [*tensors, draw.tensor(1)], []


def like(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [draw.random.choice([-1, *NUMBERS]), draw.integer(0, 1)]


def new(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [
        draw.integer(0, 3),
        draw.integer(1, 3),
        draw.random.choice([-1, *NUMBERS]),
        draw.integer(0, 1),
    ]


def strided(draw: Any) -> Inputs:
    return [draw.tensor(30)], [
        draw.integer(1, 3),
        draw.integer(1, 3),
        draw.integer(1, 4),
        draw.integer(1, 4),
        draw.integer(0, 5),
    ]


def pairs(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape(0, 3), 2)], []


def unfolded(draw: Any) -> Inputs:
    return [draw.tensor(2, draw.integer(4, 9))], [1, draw.integer(1, 4), draw.integer(1, 3)]


def grads(draw: Any) -> Inputs:
    shape = draw.shape(1)
    return [draw.tensor(*shape), draw.tensor(*shape)], []


def _like(name: str, *given: Any) -> Any:
    return lambda a, n, r: getattr(torch, name + "_like")(a, *given, dtype=kind(n[0]), device=DEVICES[n[1]])


def _backward(a: torch.Tensor, b: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
    leaf = a.detach().requires_grad_()
    (leaf * leaf).backward(b)
    (leaf * leaf).sum().backward()
    return leaf.grad + 0


def _kept(a: torch.Tensor, b: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
    middle = a.detach().requires_grad_() * 2
    middle.retain_grad()
    (middle * 1).backward(b)
    assert middle.grad is not None
    return middle.grad


_LIKE = "(Type(0), Place(1))"
_NEW = "([n[0], n[1]], Type(2), Place(3))"
_BACKWARD = "Again(a.detach().requires_grad_(), b)"

ROWS: dict[str, Row] = {
    "Tensor aten::narrow": Row("a.narrow(n[0], n[1], n[2])", spread("narrow"), narrowed),
    "Tensor aten::repeat": Row("a.repeat(n)", lambda a, n, r: a.repeat(tuple(n)), repeats),
    "Tensor aten::tile": Row("a.tile(n)", lambda a, n, r: a.tile(tuple(n)), repeats),
    "Tensor aten::repeat_interleave.self_int": Row("a.repeat_interleave(n[0], n[1])", spread("repeat_interleave"), times),
    "Tensor aten::repeat_interleave.self_int #flat": Row("a.repeat_interleave(n[0])", lambda a, n, r: a.repeat_interleave(n[0]), times),
    "Tensor aten::repeat_interleave.self_Tensor": Row("a.repeat_interleave(b, 0)", lambda a, b, n, r: a.repeat_interleave(b, 0), counts),
    "Tensor aten::flip": Row("a.flip(n)", lambda a, n, r: a.flip(n), flipped),
    "Tensor aten::roll": Row("a.roll(n, new[] { 0L, 1L })", lambda a, n, r: a.roll(n, [0, 1]), rolled),
    "Tensor aten::roll #one": Row("a.roll(n[0])", lambda a, n, r: a.roll(n[0]), rolled),
    **{f"Tensor aten::{name}": Row(f"a.{name}(n[0])", spread(name), matrix) for name in ("tril", "triu")},
    "Tensor aten::diag": Row("a.diag(n[0])", spread("diag"), lambda d: ([d.tensor(*d.random.choice([(4,), (3, 5)]))], [d.integer(-1, 1)])),
    "Tensor aten::as_strided": Row("a.as_strided([n[0], n[1]], [n[2], n[3]], n[4])", lambda a, n, r: a.as_strided(n[:2], n[2:4], n[4]), strided),
    "Tensor aten::unfold": Row("a.unfold(n[0], n[1], n[2])", spread("unfold"), unfolded),
    "Tensor aten::movedim.intlist": Row("a.movedim([0, 1], [n[0], n[1]])", lambda a, n, r: a.movedim((0, 1), tuple(n)), lambda d: ([d.tensor(2, 3, 4)], d.random.sample(range(3), 2))),
    "Tensor aten::unflatten.int": Row("a.unflatten(1, 3, -1)", lambda a, n, r: a.unflatten(1, (3, -1)), lambda d: ([d.tensor(2, 3 * d.integer(1, 4))], [])),
    "Tensor aten::view_as_complex": Row("a.view_as_complex().view_as_real()", lambda a, n, r: torch.view_as_real(torch.view_as_complex(a)), pairs, (torch.float32, torch.float64)),
    "Tensor aten::view_as_real": Row("a.view_as_complex().view_as_real() * 2", lambda a, n, r: torch.view_as_real(torch.view_as_complex(a)) * 2, pairs, (torch.float32, torch.float64)),
    "Tensor aten::numpy_T": Row("a.T", lambda a, n, r: torch.ops.aten.numpy_T(a), lambda d: ([d.tensor(*d.shape(2, 2))], [])),
    "Tensor aten::mT": Row("a.mT", lambda a, n, r: a.mT, matrix),
    "Tensor aten::unsqueeze_": Row("a.unsqueeze_(n[0])", spread("unsqueeze_"), with_dims(1)),
    "Tensor aten::squeeze_": Row("a.squeeze_()", plain("squeeze_"), one),
    "Tensor aten::squeeze_.dim": Row("a.squeeze_(n[0])", spread("squeeze_"), with_dims(1)),
    "Tensor aten::transpose_": Row("a.transpose_(n[0], n[1])", spread("transpose_"), with_dims(2)),
    "Tensor aten::chunk": Row("Joined(a.chunk(n[0], n[1]))", parts("chunk"), cut),
    "Tensor aten::split.Tensor": Row("Joined(a.split(n[0], (int)n[1]))", parts("split"), cut),
    "Tensor aten::split_with_sizes": Row("Joined(a.split(n, 0))", lambda a, n, r: parts("split")(a, n=[n], r=r), sizes),
    "Tensor aten::unbind.int": Row("Joined(a.unbind(n[1]))", lambda a, n, r: parts("unbind")(a, n=n[1:], r=r), cut),
    "Tensor aten::index.Tensor": Row("a.Picked([b, null, c])", lambda a, b, c, n, r: torch.ops.aten.index.Tensor(a, [b, None, c]), two_places),
    "Tensor aten::index_put_": Row("a.Put_([b, null, c], d, n.Length == 0)", lambda a, b, c, d, n, r: torch.ops.aten.index_put_(a, [b, None, c], d, True), two_places_and_values),
    "Tensor aten::index_select": Row("a.index_select(n[0], b)", lambda a, b, n, r: a.index_select(n[0], b), picked),
    "Tensor aten::index_copy_": Row("a.index_copy_(0, b, c)", lambda a, b, c, n, r: a.index_copy_(0, b, c), rows_placed),
    "Tensor aten::index_add": Row("a.index_add(0, b, c, 2)", lambda a, b, c, n, r: a.index_add(0, b, c, alpha=2), rows_placed),
    "Tensor aten::index_add_": Row("a.index_add_(0, b, c, 2)", lambda a, b, c, n, r: a.index_add_(0, b, c, alpha=2), rows_placed),
    "Tensor aten::gather": Row("a.gather(n[0], b)", lambda a, b, c, n, r: a.gather(n[0], b), placed),
    **{f"Tensor aten::{name}.src": Row(f"a.{name}(n[0], b, c)", lambda a, b, c, n, r, name=name: getattr(a, name)(n[0], b, c), placed) for name in ("scatter", "scatter_")},
    **{f"Tensor aten::{name}": Row(f"a.{name}(n[0], b, c)", lambda a, b, c, n, r, name=name: getattr(a, name)(n[0], b, c), placed) for name in ("scatter_add", "scatter_add_")},
    **{f"Tensor aten::{name}.Scalar": Row(f"a.{name}(b, 7)", lambda a, b, n, r, name=name: getattr(a, name)(b, 7), masked) for name in ("masked_fill", "masked_fill_")},
    "Tensor aten::masked_fill.Scalar #infinite": Row("a.masked_fill(b, double.NegativeInfinity)", lambda a, b, n, r: a.masked_fill(b, float("-inf")), masked, FLOATS),
    "Tensor aten::masked_select": Row("a.masked_select(b)", plain("masked_select"), masked),
    "Tensor aten::nonzero": Row("a.nonzero()", plain("nonzero"), one, gradient=False),
    "Tensor aten::set_.source_Tensor": Row("a.set_(b)", plain("set_"), two, (torch.int64, torch.bool), gradient=False),
    "Tensor aten::fill_.Scalar": Row("a.fill_(3)", lambda a, n, r: a.fill_(3), one, gradient=False),
    "Tensor aten::fill_.Scalar #real": Row("a.fill_(0.1)", lambda a, n, r: a.fill_(0.1), one, gradient=False),
    "Tensor aten::to.dtype_layout": Row("a.to((ScalarType)(sbyte)n[0], CPU)", lambda a, n, r: a.to("cpu", NUMBERS[n[0]]), to_type),
    "Tensor aten::to.dtype_layout #type": Row("a.to((ScalarType)(sbyte)n[0])", lambda a, n, r: a.to(NUMBERS[n[0]]), to_type),
    "Tensor aten::to.dtype_layout #device": Row("a.to(CPU, copy: true)", lambda a, n, r: a.to("cpu", copy=True), one),
    "Tensor aten::to.dtype_layout #other": Row("a.to(b)", lambda a, b, n, r: a.to(b), into),
    **{f"Tensor aten::{name}_like": Row(f"a.{name}_like{_LIKE}", _like(name), like, gradient=False) for name in ("zeros", "ones")},
    **{f"Tensor aten::{name}_like": Row(f"a.{name}_like{_LIKE}", _like(name), lambda d: (like(d)[0], [d.random.choice([-1, 5, 6, 7]), 0]), FLOATS, gradient=False) for name in ("rand", "randn")},
    "Tensor aten::empty_like": Row(f"a.empty_like{_LIKE}.zero_()", lambda a, n, r: _like("empty")(a, n=n, r=r).zero_(), like, gradient=False),
    "Tensor aten::full_like": Row("a.full_like(3, Type(0), Place(1))", lambda a, n, r: torch.full_like(a, 3, dtype=kind(n[0]), device=DEVICES[n[1]]), like, gradient=False),
    **{f"Tensor aten::{name}": Row(f"a.{name}{_NEW}", lambda a, n, r, name=name: getattr(a, name)(n[:2], dtype=kind(n[2]), device=DEVICES[n[3]]), new, gradient=False) for name in ("new_zeros", "new_ones")},
    "Tensor aten::new_empty": Row("a.new_empty([n[0], n[1]], Type(2), Place(3)).zero_()", lambda a, n, r: a.new_zeros(n[:2], dtype=kind(n[2]), device=DEVICES[n[3]]), new, gradient=False),
    "Tensor aten::new_full": Row("a.new_full([n[0], n[1]], 1, Type(2), Place(3))", lambda a, n, r: a.new_full(n[:2], 1, dtype=kind(n[2]), device=DEVICES[n[3]]), new, gradient=False),
    "Tensor aten::_backward": Row(_BACKWARD, _backward, grads, (torch.float32, torch.float64), gradient=False),
    "Tensor bridge::grad": Row("Graded(a.detach().requires_grad_(), b)", lambda a, b, n, r: (2 * a * b).detach(), grads, (torch.float32, torch.float64), gradient=False),
    "Tensor bridge::set_grad": Row("Given(a.detach(), b)", lambda a, b, n, r: b.detach(), grads, FLOATS, gradient=False),
    "Tensor aten::retain_grad": Row("Kept(a.detach().requires_grad_(), b)", _kept, grads, FLOATS, gradient=False),
}  # fmt: skip
