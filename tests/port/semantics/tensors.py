"""Tensors: indices, slices, shapes as numbers, dtypes, arguments whose spelling matters."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe


def grid(*shape: int) -> Tensor:
    """Return a tensor of that shape whose elements differ."""
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).view(shape) - 3


X = grid(3, 4)


@probe(call(X, 1), call(X, -1), call(X, -3), call(X, 3))
class RowByVariable(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x[n]


@probe(call(X, 1), call(X, -1), call(X, 0), call(X, 9), call(X, -9))
class SliceByVariable(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        return x[n:], x[:, :n]


@probe(call(X), call(grid(5, 2)), call(grid(1, 1)))
class SlicesAtTheEnd(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x[-2:], x[..., :-1], x[:, -1]


@probe(call(X), call(grid(1, 6)))
class ListAndSlice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x[[0], 1:4]


@probe(call(X, 2), call(X, 1), call(grid(7, 3), 3))
class SliceWithStep(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        return x[::n], x[:, 1::2]


@probe(call(X), call(-X), call(X * 0))
class MaskedIndex(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x[x > 0], x[x[:, 0] > 0]


@probe(call(X), call(grid(2, 2, 2)))
class NoneAndEllipsis(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x[None, ..., None], x[..., 0]


@probe(call(X, torch.tensor([2, 0])), call(X, torch.tensor([-1])), call(X, torch.tensor([5])))
class IndexTensor(nn.Module):
    def forward(self, x: Tensor, i: Tensor) -> Tensor:
        return x[i] + x[:, i].sum()


@probe(call(X), call(grid(6, 1)), call(grid(2, 10)))
class ShapesAsNumbers(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int, float]:
        rows, columns = x.shape
        return x.view(columns, rows) / columns, rows * columns, rows / columns


@probe(call(X), call(grid(2, 2)), call(grid(8, 3)))
class PaddedToMultiple(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        lacking = -x.shape[1] % 4
        return F.pad(x, (0, lacking))


@probe(call(grid(1, 1, 2, 3)), call(grid(2, 2, 1, 1)))
class PaddedOnAllSides(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.pad(x, (1, 1, 1, 1))


@probe(call(grid(1, 2, 6, 5)), call(grid(2, 1, 4, 4)))
class PooledToOne(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AdaptiveMaxPool2d((1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(x)


@probe(call(grid(1, 2, 6, 5)), call(grid(2, 1, 4, 4)), refused="adaptive_avg_pool2d")
class PooledToHalfASize(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((2, None))

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(x)


@probe(call(X), call(X.long()), call(X.double()))
class ScalarsKeepTheDtype(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x + 1, x * 2.0, 1 / x


@probe(call(X), call(X.double()))
class DtypeOfAnother(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.ones(2, dtype=x.dtype), torch.zeros(3).type_as(x)


@probe(call(X), call(-X))
class BooleanDtype(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mask = torch.ones(3, 4, dtype=torch.bool)
        mask[0] = False
        return x.masked_fill(~mask, 0.0), mask & (x > 0)


@probe(call(X), call(grid(3, 4, 2)[..., 0]))
class MaxWithIndices(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, places = x.max(dim=1)
        return values, places, torch.topk(x, 2).indices


@probe(call(X), call(grid(5, 4)), call(grid(1, 4)))
class SplitInParts(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, int]:
        a, b = x.chunk(2, dim=1)
        return a * b, torch.cat(x.split(2)[::-1]), len(x.split(2))


@probe(call(X), call(-X))
class Data(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.data + x.detach()


@probe(call(X), call(grid(2, 5)))
class LogSoftmaxWithoutDim(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.log_softmax(x)


@probe(call(X, X + 1), call(-X, X))
class Reductions(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return F.mse_loss(x, y, reduction="none"), F.kl_div(x, y.softmax(1), reduction="batchmean")


@probe(call(X), call(-X))
class Variables(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.autograd.Variable(x.new_ones(4)) + x


@probe(call(X), call(grid(1, 4)), call(grid(4, 4)))
class Cells(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru, self.lstm = nn.GRUCell(4, 4), nn.LSTMCell(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h, _ = self.lstm(self.gru(x))
        return h


@probe(call(X, 1), call(X, -1), call(X, 0), call(X, 5))
class DimensionByVariable(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x.sum(dim=n, keepdim=True)


@probe(call(X), call(grid(4, 4)), call(grid(2, 8)))
class FlattenAndReshape(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x.reshape(-1, 2), x.flatten()[:: x.size(-1)]


@probe(call(X), call(grid(5, 1)))
class TensorOfNumbers(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return torch.tensor([1, 2, x.shape[0]]), torch.tensor(0.5) * x, torch.arange(x.size(0)) / 2


@probe(call(X), call(-X))
class NegationAndPower(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return -(x**2), (-x) ** 2 - 2**x


@probe(call(X), call(X / 2), call(-X - 0.5))
class RoundedTensors(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (x / 2).round(), x.long() // 2, torch.div(x, 2, rounding_mode="trunc")


@probe(call(X), call(torch.full((3, 4), float("nan"))))
class ComparedTensors(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, bool, bool]:
        return x != x, bool((x > 2).any()), torch.equal(x, x.clone())


@probe(call(X, [0, 1]), call(X, [1]), call(X, []))
class ListOfDimensions(nn.Module):
    def forward(self, x: Tensor, dims: list[int]) -> Tensor:
        return x.sum(dims) if dims else x


@probe(call(X, "i j -> j i"), call(grid(2, 5), "i j -> i"))
class EinsumByArgument(nn.Module):
    def forward(self, x: Tensor, formula: str) -> Tensor:
        return torch.einsum(formula.replace(" ", ""), x)


@probe(
    call(X, torch.tensor([[0, 2], [1, 1]])),
    call(X, torch.tensor(1)),
    call(X, torch.tensor([], dtype=torch.long)),
    call(X, torch.tensor([0, -1])),
    call(X, torch.tensor([3])),
)
class RowsByEmbedding(nn.Module):
    def forward(self, x: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        return F.embedding(rows, x), F.embedding(rows, x, padding_idx=-1)


@probe(call(X), call(grid(5, 1)))
class BuiltinDtypes(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return torch.zeros(3, dtype=bool), torch.ones(x.shape[0], dtype=int), x.to(float)


@probe(call(X), call(X.t()), call(grid(2, 3, 4).transpose(0, 1)))
class Strides(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int, int]:
        y = x if x.stride(1) == 1 else x.contiguous()
        return y, x.stride(-1), sum(x.stride())


@probe(call([X, X + 1]), call([X]), call([]), refused="a number here")
class LossFromZero(nn.Module):
    def forward(self, items: list[Tensor]) -> Tensor | float:
        loss = 0.0
        for item in items:
            loss += item.mean()
        return loss
