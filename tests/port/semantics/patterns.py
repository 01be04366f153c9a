"""Patterns of einops: lengths that fit and that do not, dimensions of any number, reductions, layers."""

from __future__ import annotations

import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe


def grid(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return a tensor of that shape whose elements differ."""
    return torch.arange(torch.Size(shape).numel(), dtype=dtype).view(shape) - 3


@probe(call(grid(3, 6), 2), call(grid(3, 6), 3), call(grid(1, 6), 4), call(grid(3, 6), 0), call(grid(2, 6, 1), 2))
class SplitByPattern(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return rearrange(x, "b (c l) -> b l c", l=n)


@probe(
    call(grid(2, 3)), call(grid(2, 3, 4)), call(grid(2, 3, 4, 5)), call(grid(3)), call(grid(2, 3, dtype=torch.int64))
)
class RestByPattern(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return rearrange(x, "a ... b -> b (...) a")


@probe(call(grid(1, 3)), call(grid(1)), call(grid(2, 3)))
class OneByPattern(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return rearrange(x, "1 ... -> ...")


@probe(call(grid(2, 3)), call(grid(1, 1)))
class SameByPattern(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = rearrange(x, "a b -> a b")
        y += 1
        return rearrange(y, "a b -> b a")


@probe(call(grid(2, 3), grid(2, 3)), call(grid(4), grid(4)), call(grid(4), grid(3)))
class StackedByPattern(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return rearrange([x, y * 2, x], "k ... -> ... k")


@probe(call(grid(1, 2, 3), 2), call(grid(1, 2, 3), 5), call(grid(2, 2, 3), 2))
class TokenByPattern(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return repeat(x, "() n d -> b n d", b=n)


@probe(call(grid(2, 3), 2), call(grid(1, 1), 3), call(grid(2, 3, dtype=torch.int32), 1))
class RepeatedByPattern(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return repeat(x, "a b -> (a 2) (b n) ()", n=n)


@probe(call(grid(2, 4)), call(grid(4)), call(grid(2, 3)), call(grid(2, 2, 6, dtype=torch.int64)))
class ReducedByPattern(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        found = [reduce(x, "... (h 2) -> ... h", "max"), reduce(x, "... (h 2) -> ... h", "min")]
        found.append(reduce(x, "... (h 2) -> ... h", "sum"))
        found.append(reduce(x, "... (h 2) -> ... h", "prod"))
        return [*found, reduce(x, "... -> 1", "sum")]


@probe(call(grid(2, 4)), call(grid(3)), call(grid(2, 4, dtype=torch.int64)))
class MeanByPattern(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return reduce(x, "... -> 1", "mean")


@probe(call(grid(3, 6)), call(grid(1, 2)), call(grid(3, 5)))
class LayersByPattern(nn.Module):
    def __init__(self, length: int = 2) -> None:
        super().__init__()
        self.net = nn.Sequential(Rearrange("b (c l) -> b l c", l=length), nn.ReLU())
        self.last = Reduce("... -> 1", "mean")

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.net(x)
        return x, self.last(x)
