"""None: optional parameters given or not, variables that are None until a branch, helpers that return nothing."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X, BIG = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([2000.0, 1.0, -5.0])


@probe(call(X), call(BIG), call(-BIG))
class NoneUntilValueBranch(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        extra = None
        if x.max() > 1e3:
            extra = x * 3
        if extra is not None:
            x = x + extra
        return x


@probe(call(X), call(X, torch.ones(3)), call(BIG, mask=torch.zeros(3)))
class OptionalNotGiven(nn.Module):
    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        if mask is not None:
            x = x * mask
        return x + 1


@probe(call(X, torch.ones(3)), call(X), call(BIG, None))
class OptionalGiven(nn.Module):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            return x - 1
        return x * mask


@probe(call(X), call(X, torch.ones(3)), call(X, None, torch.ones(3)), call(X, X, X))
class TwoOptionals(nn.Module):
    def forward(self, x: Tensor, a: Tensor | None = None, b: Tensor | None = None) -> Tensor:
        a = x if a is None else a
        if b is not None:
            a = a + b * 2
        return a


@probe(call(X), call(X, 2.0), call(X, 0.0), call(X, scale=-1.0))
class OptionalFloat(nn.Module):
    def forward(self, x: Tensor, scale: float | None = None) -> Tensor:
        return x if scale is None else x * scale


@probe(call(X), call(X, 2), call(X, 0))
class DefaultOfParameter(nn.Module):
    def forward(self, x: Tensor, n: int = 5) -> tuple[Tensor, int]:
        return x + n, n


@probe(call(X), call(X, True), call(X, flag=False))
class DefaultFlag(nn.Module):
    def forward(self, x: Tensor, flag: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        if flag:
            return x.neg()
        return x + 1


class Changing(nn.Module):
    @staticmethod
    def clear(x: Tensor) -> None:
        x[0] = 0.0

    @staticmethod
    def extend(items: list[int], n: int) -> None:
        if n > 0:
            items.append(n)


@probe(call(X), call(BIG))
class HelperThatReturnsNone(Changing):
    def forward(self, x: Tensor) -> Tensor:
        y = x + 1
        self.clear(y)
        return y * 2


@probe(call(X), call(BIG))
class HelperThatChangesTheArgument(Changing):
    def forward(self, x: Tensor) -> Tensor:
        self.clear(x)
        return x + 1


@probe(call(X, 2), call(X, -2))
class HelperThatAppends(Changing):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        items = [1]
        self.extend(items, n)
        self.extend(items, n - 1)
        return x, len(items) * 10 + items[-1]


@probe(call(X), call(BIG))
class HelperWithoutReturnOnOneWay(nn.Module):
    def peak(self, x: Tensor) -> Tensor | None:
        if x.max() > 100:
            return x.max()
        return None

    def forward(self, x: Tensor) -> Tensor:
        found = self.peak(x)
        if found is not None:
            x = x / found
        return x


@probe(call(X), call(BIG))
class NoneResult(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor | None]:
        return x + 1, None


@probe(call(X, 1), call(X, -1))
class NoneOrNumber(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int | None]:
        found = None
        if n > 0:
            found = n * 2
        return x, found


@probe(call(X), call(X, state=torch.ones(3)))
class OptionalPassedOn(nn.Module):
    def step(self, x: Tensor, state: Tensor | None) -> Tensor:
        return x * 2 if state is None else x + state

    def forward(self, x: Tensor, state: Tensor | None = None) -> Tensor:
        return self.step(self.step(x, state), None)


@probe(call([X, None, X]), call([None, X, None]), call([X, X, X]))
class ListWithNone(nn.Module):
    def forward(self, items: list[Tensor | None]) -> Tensor:
        total = torch.zeros(3)
        for item in items:
            if item is None:
                continue
            total = total + item
        return total


@probe(call(X, None), call(X, (X, X)))
class OptionalTuple(nn.Module):
    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if state is None:
            state = (torch.zeros_like(x), torch.ones_like(x))
        h, c = state
        return x + h, (h + 1, c * 2)


@probe(call(X), call(BIG))
class AttributeThatIsNone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale: float | None = None
        self.shift = 2.0

    def forward(self, x: Tensor) -> Tensor:
        if self.scale is not None:
            x = x * self.scale
        return x + self.shift


def as_dtype(x: Tensor, dtype: torch.dtype | None = None, device: torch.device | None = None) -> Tensor:
    return x.to(device=device, dtype=dtype)


@probe(call(X, 1), call(X, 0), call(X.double(), 0))
class ToPerhapsNone(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        return as_dtype(x), as_dtype(x, torch.float64 if n > 0 else None, x.device)
