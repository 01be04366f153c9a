"""Loops: ranges with changed bounds, variables after the loop, else, break and continue, lists that grow meanwhile."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call(X, 3), call(X, 0), call(X, -2), call(X, 6))
class RangeWithChangedBound(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        for _ in range(n):
            n = n - 1
            x = x + n
        return x, n


@probe(call(X, 3), call(X, 0), call(X, 5))
class ChangedLoopVariable(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        for i in range(n):
            i = i * 2
            x = x + i
        return x


@probe(call(X, 3), call(X, 1), call(X, 5))
class LoopVariableAfterTheLoop(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        for i in range(n):
            x = x + 1
        return x, i


@probe(call(X, 3), call(X, 0), call(X, -1))
class LoopVariableSetBefore(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        i = 7
        for i in range(n):
            x = x * 2
        return x, i


@probe(call(X, 3), call(X, 6), call(X, 0))
class RangeOfGrowingLength(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        items = [n]
        for k in range(len(items) + 2):
            items.append(items[k] - 1)
        return x, sum(items)


@probe(call(X, 3), call(X, 1), call(X, 0))
class GrowingListInLoop(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        items = [n]
        for item in items:
            if item > 0:
                items.append(item - 1)
        return x, len(items)


@probe(call(X, [1, 2, 3, 4]), call(X, [2, 2, 1]), call(X, []))
class RemovalInLoopOverCopy(nn.Module):
    def forward(self, x: Tensor, items: list[int]) -> tuple[Tensor, list[int]]:
        for item in items[:]:
            if item % 2 == 0:
                items.remove(item)
        return x, items


@probe(call(X, 10, -3), call(X, 10, 3), call(X, -4, -1), call(X, 2, 0))
class RangeWithVariableStep(nn.Module):
    def forward(self, x: Tensor, n: int, step: int) -> tuple[Tensor, int]:
        total = 0
        for i in range(n, 0, step):
            total = total * 3 + i
        return x, total


@probe(call(X, 4), call(X, 0), call(X, 9))
class RangeDown(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        for i in range(n - 1, -1, -2):
            x = x * 2 + i
        return x


@probe(call(X, 5), call(X, 0), call(X, 20))
class WhileElse(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        while n > 0:
            n = n - 4
            if n == 1:
                break
        else:
            x = x + 100
        return x + n


@probe(call(X, 5), call(X, 2), call(X, 0))
class ForElse(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        for i in range(n):
            if i == 3:
                x = x * 2
                break
        else:
            x = x + 100
        return x


@probe(call(X, 6), call(X, 0), call(X, 11))
class BreakAndContinue(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        total = 0
        for i in range(n):
            if i % 3 == 1:
                continue
            if i > 7:
                break
            total += i
        return x + total, total


@probe(call(X), call(X * 100), call(-X))
class WhileOnValue(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        steps = 0
        while x.abs().max() > 1 and steps < 20:
            x = x / 2
            steps += 1
        return x, steps


@probe(call(torch.rand(3, 2)), call(torch.rand(1, 2)), call(torch.rand(6, 2)), call(torch.rand(0, 2)))
class LoopOverLength(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(2)
        for k in range(x.size(0)):
            state = state * 0.5 + x[k]
        return state


@probe(call(torch.rand(3, 2)), call(torch.rand(5, 2)), call(torch.rand(1, 2)))
class LoopOverTensor(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        total = torch.zeros(2)
        for row in x:
            total = total + row * row.sum()
        return total


@probe(call(X, [1, 2, 3]), call(X, [-5]), call(X, []))
class EnumerateFromStart(nn.Module):
    def forward(self, x: Tensor, items: list[int]) -> tuple[Tensor, int]:
        total = 0
        for number, item in enumerate(items, start=2):
            total += number * item
        return x, total


@probe(call([1, 2, 3], [4, 5, 6]), call([1], [4, 5]), call([], [1]), call([1, 2, 3], [9]))
class ZipOfUnequalLengths(nn.Module):
    def forward(self, a: list[int], b: list[int]) -> list[int]:
        found = []
        for one, other in zip(a, b):
            found.append(one * 10 + other)
        return found


@probe(call([1, 2, 3], [4, 5, 6]), call([1], [4, 5]), call([], []))
class ZipStrict(nn.Module):
    def forward(self, a: list[int], b: list[int]) -> int:
        return sum(one * other for one, other in zip(a, b, strict=True))


@probe(call(X, 3), call(X, 1), call(X, 0))
class NestedLoopsWithBreak(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        found = 0
        for i in range(n + 2):
            for j in range(n + 2):
                if i * j > n:
                    break
                found += i + j
        return x, found


@probe(call(X, [3, 1, 2]), call(X, [5]), call(X, []))
class ReversedAndSorted(nn.Module):
    def forward(self, x: Tensor, items: list[int]) -> tuple[Tensor, int, list[int]]:
        total = 0
        for item in reversed(items):
            total = total * 10 + item
        return x, total, sorted(items)


@probe(call(X, 4), call(X, 1), call(X, 0))
class WhileTrue(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        while True:
            if n <= 0:
                return x
            x = x + n
            n -= 2


@probe(call(X, 4), call(X, 0), call(X, 7))
class ShadowedByComprehension(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        i = 100
        squares = [i * i for i in range(n)]
        return x + sum(squares), i


@probe(call(X, 2), call(X, 0), call(X, 4))
class TargetIsAnItem(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, list[int]]:
        last = [0, 0]
        for last[1] in range(n):
            last[0] += 1
        return x, last


@probe(call(X, 3), call(X, 0), call(X, 1))
class UnpackedInLoop(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        total = 0
        for k, (a, b) in enumerate([(1, 2), (3, n), (n, 5)]):
            total += k * a - b
        return x, total


@probe(call(X, 5), call(X, 2), call(X, 0))
class LoopOverModules(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))

    def forward(self, x: Tensor, n: int) -> Tensor:
        for k, layer in enumerate(self.layers):
            if k >= n:
                break
            x = layer(x)
        return x
