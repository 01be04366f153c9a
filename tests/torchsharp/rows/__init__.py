"""The cases of the operator table: what a case is and how its inputs are drawn. Loaded by conftest as ``operator_rows``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
ALL = (*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool)
#: Element types by libtorch's numbers.
NUMBERS = {
    0: torch.uint8, 3: torch.int32, 4: torch.int64, 5: torch.float16,
    6: torch.float32, 7: torch.float64, 11: torch.bool, 15: torch.bfloat16,
}  # fmt: skip
DEVICES = ("cpu", "meta")
ONE = (torch.float32,)
Inputs = tuple[Sequence[torch.Tensor | None], Sequence[int]]


@dataclass(frozen=True)
class Row:
    """One row's case: the C# expression, PyTorch's ``counterpart(a, b, …, n=numbers, r=reals)``, and what they get.

    ``gradient`` is false where the result has none by nature.
    """

    code: str
    counterpart: Callable[..., torch.Tensor]
    inputs: Callable[[Any], Inputs]
    dtypes: tuple[torch.dtype, ...] = ALL
    reals: tuple[float, ...] = ()
    gradient: bool = True


def one(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], []


def two(draw: Any) -> Inputs:
    return draw.pair(), []


def same(draw: Any) -> Inputs:
    """Draw two tensors of one shape, equal every second time."""
    first = draw.tensor(*draw.shape())
    return [first, first.clone() if draw.integer(0, 1) else draw.tensor(*first.shape)], []


def into(draw: Any) -> Inputs:
    """Draw a target, and a source that broadcasts to it, sometimes of another dtype."""
    target, source = draw.pair()
    return [target, source.to(torch.float32) if draw.integer(0, 1) else source], []


def with_dims(count: int, low: int = 1) -> Callable[[Any], Inputs]:
    """Draw a tensor and ``count`` of its dimensions, some negative."""

    def make(draw: Any) -> Inputs:
        shape = draw.shape(low)
        rank = max(len(shape), 1)
        return [draw.tensor(*shape)], [draw.integer(-rank, rank - 1) for _ in range(count)]

    return make


def typed(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [draw.random.choice([-1, *NUMBERS])]


def to_type(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [draw.random.choice([*NUMBERS])]


def factory(draw: Any) -> Inputs:
    return [], [draw.integer(0, 4), draw.integer(1, 4), draw.random.choice([-1, 5, 6, 7, 15]), draw.integer(0, 1)]


def viewed(draw: Any) -> Inputs:
    """Draw 24 elements and sizes, the last of which do not fit."""
    return [draw.tensor(2, 3, 4)], draw.random.choice([[6, 4], [-1], [4, 6], [2, 12], [5, 5]])


def expanded(draw: Any) -> Inputs:
    return [draw.tensor(draw.random.choice([1, 3]), 1)], [draw.integer(0, 2), 3, draw.integer(1, 4)]


def flat(draw: Any) -> Inputs:
    """Draw a tensor of up to three dimensions; t() refuses three."""
    return [draw.tensor(*draw.shape(0, 3))], []


def filled(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape()), draw.tensor()], []


def ranged(draw: Any) -> Inputs:
    tensors, (first, last) = with_dims(2, 1)(draw)
    rank = tensors[0].dim()
    return tensors, sorted((first % rank, last % rank))


def permuted(draw: Any) -> Inputs:
    shape = draw.shape(1)
    order = list(range(len(shape)))
    draw.random.shuffle(order)
    return [draw.tensor(*shape)], order


def sliced(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.integer(-3, 3), draw.integer(-3, 9), draw.integer(1, 3)]


def selected(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.integer(-1, 0)]


def products(draw: Any) -> Inputs:
    rows, middle, columns, batch = (draw.integer(1, 5) for _ in range(4))
    left = draw.random.choice([(middle,), (rows, middle), (batch, rows, middle)])
    right = draw.random.choice([(middle,), (middle, columns), (batch, middle, columns)])
    return [draw.tensor(*left), draw.tensor(*right)], []


def prelu(draw: Any) -> Inputs:
    shape = draw.shape(2)
    return [draw.tensor(*shape), draw.tensor(draw.random.choice([1, shape[1]]))], []


def softmax(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.random.choice([-1, 6, 7])]


def linear(draw: Any) -> Inputs:
    inside, outside = draw.integer(1, 6), draw.integer(1, 6)
    bias = draw.tensor(outside) if draw.integer(0, 1) else None
    return [draw.tensor(*draw.shape(0, 3), inside), draw.tensor(outside, inside), bias], []


def images(draw: Any, channels: int) -> torch.Tensor:
    """Draw [N, C, H, W] or [C, H, W]."""
    return draw.tensor(
        *([draw.integer(1, 3)] if draw.integer(0, 2) else []), channels, draw.integer(6, 9), draw.integer(6, 9)
    )


def conv(draw: Any) -> Inputs:
    groups, of, to = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    kernel = (draw.integer(1, 3), draw.integer(1, 3))
    bias = draw.tensor(groups * to) if draw.integer(0, 1) else None
    numbers = [
        draw.integer(1, 2),
        draw.integer(1, 2),
        draw.integer(0, 2),
        draw.integer(0, 2),
        draw.integer(1, 2),
        draw.integer(1, 2),
        groups,
    ]
    return [images(draw, groups * of), draw.tensor(groups * to, of, *kernel), bias], numbers


def pool(draw: Any) -> Inputs:
    sizes = [
        draw.integer(2, 3),
        draw.integer(2, 3),
        draw.integer(1, 3),
        draw.integer(1, 3),
        draw.integer(0, 1),
        draw.integer(0, 1),
    ]
    return [images(draw, draw.integer(1, 3))], [*sizes, draw.integer(1, 2), draw.integer(1, 2), draw.integer(0, 1)]


def norm(draw: Any) -> Inputs:
    channels = draw.integer(1, 3)
    training = draw.integer(0, 1)
    statistics: list[torch.Tensor | None] = [draw.tensor(channels), draw.tensor(channels).abs()]
    affine: list[torch.Tensor | None] = [draw.tensor(channels), draw.tensor(channels)]
    if training and draw.integer(0, 1):
        statistics = [None, None]
    if draw.integer(0, 1):
        affine = [None, None]
    return [draw.tensor(draw.integer(2, 3), channels, 3, 4), *statistics, *affine], [training]


def padded(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 2), draw.integer(1, 2), draw.integer(4, 6), draw.integer(4, 6))], [
        draw.integer(0, 3) for _ in range(4)
    ]


def kind(number: int) -> torch.dtype | None:
    return None if number < 0 else NUMBERS[number]


def made(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda *, n, r: function(n[0], n[1], dtype=kind(n[2]), device=DEVICES[n[3]])


def plain(name: str) -> Callable[..., torch.Tensor]:
    """Return the method of that name called with all tensors."""
    return lambda a, *rest, n, r: getattr(a, name)(*rest)


def spread(name: str) -> Callable[..., torch.Tensor]:
    """Return the method of that name called with the numbers."""
    return lambda a, n, r: getattr(a, name)(*n)


def joined(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """Join several results with different weights (the C# expressions' ``Joined``)."""
    return torch.cat([part.reshape(-1).to(torch.float64) * (at + 1) for at, part in enumerate(parts)])


def parts(name: str) -> Callable[..., torch.Tensor]:
    """Return all results of the method of that name called with the numbers."""
    return lambda a, n, r: joined(getattr(a, name)(*n))


def said(name: str) -> Row:
    """Return a boolean property or method as the size of a tensor."""

    def value(tensor: torch.Tensor) -> int:
        found = getattr(tensor, name.removesuffix("()"))
        return int(found() if name.endswith("()") else found)

    def counterpart(a: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
        return torch.ones(value(a), value(a * 2.0))

    return Row(f"ones([a.{name} ? 1 : 0, (a * 2.0).{name} ? 1 : 0])", counterpart, one)
