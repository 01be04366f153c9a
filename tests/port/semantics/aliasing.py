"""Aliases: operators in place and out of place, writes through views and slices, identity of tensors and lists."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.arange(12, dtype=torch.float32).view(3, 4) - 3


@probe(call(X), call(-X))
class AugmentedIsInPlace(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = x * 1
        z = y
        z += 1
        return y, z


@probe(call(X), call(-X))
class AssignedIsOutOfPlace(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = x * 1
        z = y
        z = z + 1
        return y, z


@probe(call(X), call(-X))
class ArgumentChangedInPlace(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x -= 2
        x.mul_(3)
        return x


@probe(call(X), call(-X))
class WriteThroughView(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        flat = y.view(-1)
        flat[2] = 100.0
        flat[3:5] += 7
        return y


@probe(call(X, 1), call(X, -1), call(X, 0))
class SliceWrites(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        y = x.clone()
        y[n:] = 0
        y[:, n] = y[:, 0] + 1
        y[0, ::2] *= 5
        return y


@probe(call(X), call(-X))
class MaskedWrite(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        y[y > 2] = -1
        y[y < 0] += 10
        return y


@probe(call(X), call(X.double()), call(X.long()), refused="the identity of tensors")
class FloatIsTheSame(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, bool]:
        y = x.float()
        return y + 1, y is x


@probe(call(X), call(X.double()))
class WriteAfterFloat(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = x.float()
        y += 1
        return x, y


@probe(call(X), call(X.t()))
class WriteAfterContiguous(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.contiguous()
        y[0] = 9
        return x + 1


@probe(call(X, X), call(X, X + 1), refused="the identity of tensors")
class IdentityOfArguments(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, bool]:
        if x is y:
            return x * 2, True
        return x + y, False


@probe(call([1, 2]), call([]))
class TwoNamesOfList(nn.Module):
    def forward(self, items: list[int]) -> tuple[list[int], int]:
        other = items
        other.append(5)
        copied = list(items)
        copied.append(6)
        return items, len(copied)


@probe(call([1, 2]), call([]))
class AugmentedList(nn.Module):
    def forward(self, items: list[int]) -> tuple[list[int], list[int]]:
        other = items
        other += [3]
        third = items
        third = third + [4]
        return items, third


@probe(call([X, X + 1]), call([X]))
class ListOfTensorsIsShared(nn.Module):
    def forward(self, items: list[Tensor]) -> Tensor:
        for item in items:
            item += 1
        return items[0] * 2


@probe(call(X), call(-X))
class ReturnsItsArgument(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x[0]


@probe(call(X), call(-X))
class ExpandedAndCloned(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        row = x[0].expand(3, 4).clone()
        row[1] = 0
        return row, x[0]


@probe(call(X), call(-X))
class ConditionalAlias(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x if x.sum() > 0 else x.clone()
        y.add_(1)
        return x


@probe(call(X), call(-X), refused="out: Tensor")
class OutArgument(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        torch.add(x, 1, out=y)
        return y


@probe(call(X), call(-X))
class InplaceLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = x * 1
        z = self.relu(y)
        return y + z


@probe(call({"a": X}), call({"a": -X, "b": X}))
class DictionaryIsChanged(nn.Module):
    def forward(self, found: dict[str, Tensor]) -> int:
        found["a"] = found["a"] + 1
        found["new"] = found["a"]
        return len(found)
