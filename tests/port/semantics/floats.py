"""Floats: rounding, truncation, remainders, infinities, nan and comparisons with it."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])
NAN, INF = float("nan"), float("inf")


@probe(call(X, 2.5), call(X, 3.5), call(X, -2.5), call(X, 0.5), call(X, -0.5), call(X, 2.4))
class RoundHalfToEven(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, int]:
        return x * round(f), round(f)


@probe(call(X, 2.675), call(X, -1.005), call(X, 0.125), call(X, 1e10))
class RoundToDigits(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float]:
        return x, round(f, 2)


@probe(call(X, 2.7), call(X, -2.7), call(X, -0.5), call(X, NAN), call(X, INF))
class IntOfFloat(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, int]:
        return x + int(f), int(f)


@probe(call(X, 7.5), call(X, -7.5), call(X, 0.0), call(X, -0.5))
class FloorDivisionOfFloats(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float]:
        return x, f // 2


@probe(call(X, 7.5), call(X, -7.5), call(X, 0.0), call(X, -1e-3))
class RemainderOfFloats(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float, float]:
        return x, f % 2.0, f % -2.0


@probe(call(X, 1.5), call(X, -1.5), call(X, NAN), call(X, INF))
class FloorAndCeil(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, int, int]:
        return x, math.floor(f), math.ceil(f)


@probe(call(X, 1.0), call(X, NAN), call(X, -INF))
class ComparisonsWithNan(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, bool, bool, bool, bool]:
        return x, f == f, f != f, f < 1.0, not f >= 1.0


@probe(call(X, 1.0), call(X, NAN), call(X, 5.0))
class BranchOnNan(nn.Module):
    def forward(self, x: Tensor, f: float) -> Tensor:
        if f < 2.0:
            return x + 1
        elif f >= 2.0:
            return x + 2
        return x + 3


@probe(call(X, 1.0, 2.0), call(X, NAN, 2.0), call(X, 2.0, NAN))
class MaxOfNan(nn.Module):
    def forward(self, x: Tensor, a: float, b: float) -> tuple[Tensor, float, float]:
        return x, max(a, b), min(a, b)


@probe(call(X, 4.0), call(X, 0.0), call(X, 2.0))
class SquareRoot(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float, float]:
        return x / math.sqrt(f + 1), f**0.5, f**-1.5 if f else 0.0


@probe(call(X, 4.0), call(X, 0.0), call(X, -1.0))
class MathRaises(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float]:
        return x, math.log(f) + math.sqrt(f)


@probe(call(X, 4.0), call(X, 0.0), call(X, -2.0))
class DivisionByZeroRaises(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float]:
        return x, 1.0 / f


@probe(call(X, 2.0), call(X, -2.0), call(X, 0.5))
class FloatsAreIntegers(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, bool, bool]:
        return x, f == int(f), f.is_integer()


@probe(call(X, 3), call(X, -3), call(X, 0))
class FloatOfInteger(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, float, float]:
        return x, float(n), n * 1.0 / 3


@probe(call(X, "1.5"), call(X, "-2"), call(X, "1e3"), call(X, "x"))
class FloatOfText(nn.Module):
    def forward(self, x: Tensor, s: str) -> tuple[Tensor, float]:
        return x, float(s)


@probe(call(X, 0.0), call(X, 1.0), call(X, -1.0))
class AccumulateFromZero(nn.Module):
    def forward(self, x: Tensor, f: float) -> Tensor:
        loss = 0.0
        for i in range(3):
            loss += x.mean() * (i + f)
        return loss


@probe(call(X), call(-X), call(torch.tensor([1e20, 1.0])))
class SumOfItems(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, float]:
        total = 0.0
        for k in range(x.shape[0]):
            total += x[k].item()
        return x, total


@probe(call(X), call(X / 3), call(torch.tensor([NAN, 2.0])))
class ListOfItems(nn.Module):
    def forward(self, x: Tensor) -> list[float]:
        found = []
        for k in range(x.shape[0]):
            found.append(x[k].item())
        return found


@probe(call(X), call(torch.tensor([NAN, 1.0])), call(torch.tensor([0.0, -5.0])))
class ChoiceByValue(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum().item() > 0:
            return x * 2
        return x - 2


@probe(call(X, 1.5), call(X, -1.5), call(X, 1e300))
class SumAndPowerOverflow(nn.Module):
    def forward(self, x: Tensor, f: float) -> tuple[Tensor, float, float]:
        return x, f * 1e10 * 1e10, f**2


@probe(call(3), call(2), refused="may be or hold an int in Python")
class TextOfAnIntOrFloat(nn.Module):
    def forward(self, n: int) -> str:
        x = n if n > 2 else 2.5
        return f"{x}"


@probe(call([2.5], 3), call([], 2), refused="may be or hold an int in Python")
class TextOfFloatsAndAnInt(nn.Module):
    def forward(self, items: list[float], n: int) -> str:
        items.append(n)
        return str(items)


@probe(call(3), call(2), refused="may be an int in Python")
class TensorOfAnIntOrFloat(nn.Module):
    def forward(self, n: int) -> Tensor:
        return torch.tensor(n if n > 2 else 2.5)


@probe(call([2.5, 1.0], 3), call([], 2))
class TextOfFloatsAlone(nn.Module):
    def forward(self, items: list[float], n: int) -> tuple[str, str]:
        items.append(float(n))
        x = n / 2 if n > 2 else sum(items, 0.5)
        return str(items), f"{x}"


@probe(call(torch.tensor([1, 2]), 3), call(torch.tensor([1, 2]), 2), refused="which gives another dtype")
class IntsTimesAnIntOrFloat(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x * (n if n > 2 else 2.5)


@probe(call(X, 3), call(X, 2))
class FloatsTimesAnIntOrFloat(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        scale = 1 if n > 2 else 2.5
        return x * (n if n > 2 else 2.5), scale - x


@probe(call([2.5, 1.0], -3), call([2.5], -2), refused="whose zero has no sign")
class SignOfTheSumOfNoFloats(nn.Module):
    def forward(self, items: list[float], n: int) -> tuple[float, float]:
        return -sum(items[1:]), n * sum(items[1:])


@probe(call([2.5, 1.0], -3), call([], 2), call([-0.0], 0))
class SignOfZeros(nn.Module):
    def forward(self, items: list[float], n: int) -> tuple[float, float, float]:
        total = sum(items, 0.0)
        return -total, n * total, -(3 if n > 1 else 0.0) * 0.5
