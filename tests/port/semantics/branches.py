"""Branches on values, shapes, the mode and arguments, early returns, and assignments in conditions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


def rows(number: int) -> Tensor:
    """Return a matrix of that many rows."""
    return torch.arange(number * 2, dtype=torch.float32).view(number, 2)


@probe(call(X), call(-X), call(X * 0))
class OnTraining(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return x * 2
        return x + 1


@probe(call(rows(3)), call(rows(5)), call(rows(1)), call(rows(4)))
class MaxOfShape(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * max(x.shape[0], 4)


@probe(call(rows(3)), call(rows(101)), call(rows(100)))
class IfShape(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[0] > 100:
            x = x[:100]
        return x + 1


@probe(call(rows(3)), call(rows(3)[0]), call(rows(4).view(2, 2, 2)))
class IfRank(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.dim() == 1:
            return x * 2
        elif x.ndim == 2:
            return x + 1
        return x.sum()


@probe(call(rows(3)), call(rows(3).long()), call(rows(3).double()))
class IfDtype(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.dtype == torch.float32:
            return x / 3
        if not x.is_floating_point():
            return x * 2
        return x - 1


@probe(call(X), call(-X), call(torch.zeros(2)))
class EarlyReturn(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 1:
            return x
        x = x * 2
        if x[0] == 0:
            return x - 1
        return x.abs()


@probe(call(X, 2), call(X, -2), call(X, 0))
class AssignedOnEachWay(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        if n > 0:
            y = x + n
        elif n < 0:
            y = x * n
        else:
            y = x
        return y


@probe(call(X, 2), call(X, -2))
class AssignedOnOneWay(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        if n > 0:
            y = x + n
        return y * 2


@probe(call(X, 10), call(X, 3), call(X, -5))
class Walrus(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        if (half := n // 2) > 2:
            x = x + half
        return x, half


@probe(call(X, 10), call(X, 3), call(X, 0))
class WalrusInWhile(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        steps = 0
        while (n := n - 3) > 0:
            steps += n
        return x + n, steps


@probe(call(X, 2), call(X, 1), call(X, -1))
class WalrusBehindAnd(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        y = 5
        if n > 0 and (y := n * 7) > 10:
            x = x + 1
        return x, y


@probe(call(X, "add"), call(X, "mul"), call(X, "none"), call(X, "other"))
class OnText(nn.Module):
    def forward(self, x: Tensor, mode: str) -> Tensor:
        if mode == "add":
            return x + 1
        elif mode in ("mul", "times"):
            return x * 2
        elif mode.startswith("no"):
            return x
        raise ValueError(f"no mode {mode}")


@probe(call(X, "add"), call(X, "mul"), call(X, "none"))
class MatchStatement(nn.Module):
    def forward(self, x: Tensor, mode: str) -> Tensor:
        match mode:
            case "add":
                return x + 1
            case "mul" | "times":
                return x * 2
            case _:
                return x


@probe(call(X), call(-X), call(X * 100))
class AssertOnValue(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.max() < 100, "too large"
        return x + 1


@probe(call(X, 1), call(X, -1))
class RaiseOnArgument(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        if n < 0:
            raise ValueError("negative")
        return x + n


@probe(call(X, 2), call(-X, 1))
class RestThatNoRunReached(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        if n > 0:
            return x * n
        with torch.profiler.profile():
            x = x + 1
        return x


@probe(call(X, 2), call(X, 0), refused="a try")
class TryAndExcept(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        try:
            found = 10 // n
        except ZeroDivisionError:
            found = -1
        return x, found


@probe(call(X, 2), call(X, 0), refused="a try")
class TryAndFinally(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        try:
            if n:
                return x + n, self.calls
        finally:
            self.calls += 1
        return x, self.calls


@probe(call(X), call(-X), call(X * 0))
class NestedValueBranches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        if x[0] > 0:
            if x[1] > 0:
                y = x
            y = y + 1
        elif x[0] < 0:
            y = y - 1
        return y


@probe(call(rows(2), rows(2)), call(rows(2), rows(3)), call(rows(3), rows(3)))
class ComparedShapes(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        if x.shape == y.shape:
            return x + y
        return torch.cat([x, y])


@probe(call(X), call(-X))
class OnConfiguration(nn.Module):
    def __init__(self, bias: bool = False, mode: str = "sum") -> None:
        super().__init__()
        self.bias, self.mode = bias, mode

    def forward(self, x: Tensor) -> Tensor:
        if self.bias:
            x = x + 1
        return x.sum() if self.mode == "sum" else x.mean()


@probe(call(rows(4)), call(rows(5)), call(rows(1)))
class OnOddLength(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.size(0) % 2:
            x = torch.cat([x, x[-1:]])
        return x.view(x.size(0) // 2, -1)


@probe(call(rows(3)), call(rows(101)), call(rows(5)))
class ModeAndShapeBesideMatch(nn.Module):
    def __init__(self, kind: str = "sum") -> None:
        super().__init__()
        self.kind = kind

    def forward(self, x: Tensor) -> Tensor:
        match self.kind:
            case "sum":
                x = x + x.sum()
            case _:
                x = x - 1
        if self.training:
            x = x * 2
        if x.shape[0] > 100:
            x = x[:100]
        return x / max(x.shape[0], 4)
