"""Integers: division and remainder of negatives, powers, bits, rounding, and numbers beyond 64 bits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, 2.0, 3.0])


@probe(call(X, 7), call(X, -7), call(X, -1), call(X, 0), call(X, 10**12))
class FloorDivision(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x + n // 3


@probe(call(X, 7, 2), call(X, 7, -2), call(X, -7, 2), call(X, -7, -2), call(X, 1, 0))
class FloorDivisionByVariable(nn.Module):
    def forward(self, x: Tensor, n: int, m: int) -> Tensor:
        return x * (n // m)


@probe(call(X, 7), call(X, -7), call(X, -1), call(X, 0), call(X, 5))
class Remainder(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x + n % 5


@probe(call(X, 7, 3), call(X, 7, -3), call(X, -7, 3), call(X, -7, -3), call(X, 7, 0))
class RemainderOfVariables(nn.Module):
    def forward(self, x: Tensor, n: int, m: int) -> tuple[Tensor, int]:
        return x * 2, n % m


@probe(call(X, 17, 5), call(X, -17, 5), call(X, 17, -5), call(X, -17, -5))
class DivmodOfIntegers(nn.Module):
    def forward(self, x: Tensor, n: int, m: int) -> tuple[Tensor, int, int]:
        quotient, rest = divmod(n, m)
        return x + rest, quotient, rest


@probe(call(X, 7, 2), call(X, -7, 2), call(X, 1, 3), call(X, 0, 5), call(X, 1, 0))
class TrueDivision(nn.Module):
    def forward(self, x: Tensor, n: int, m: int) -> tuple[Tensor, float]:
        return x * (n / m), n / m


@probe(call(X, 6), call(X, 7), call(X, -7))
class TrueDivisionThenInt(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, int(n / 2)


@probe(call(X, 9), call(X, -9), call(X, 0))
class AugmentedFloorDivision(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        n //= 2
        return x + n, n


@probe(call(X, 9), call(X, -9), call(X, 4))
class AugmentedTrueDivision(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, float]:
        half = n
        half /= 2
        return x * half, half


@probe(call(X, 9), call(X, -9), call(X, -4))
class AugmentedRemainder(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        n %= 4
        return x - n, n


@probe(call(X, 3), call(X, -3), call(X, 0))
class PowerOfInteger(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x + n**2, n**3


@probe(call(X, 3), call(X, 0), call(X, 62))
class PowerWithVariableExponent(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, 2**n


@probe(call(X, 2), call(X, 3), call(X, -2), call(X, 0))
class NegativePower(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, float]:
        return x * n**-2, n**-1


@probe(call(X, 2), call(X, 3), call(X, -3))
class MinusBeforePower(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, -(n**2) + 2 ** -(-n % 4)


@probe(call(X, 6), call(X, -6), call(X, 1))
class ShiftsAndBits(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int, int]:
        return x + (n << 2), n >> 1, n & 3, ~n ^ 5


@probe(call(X, 25), call(X, 35), call(X, -25), call(X, 5), call(X, 15))
class RoundToTens(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, round(n, -1)


@probe(call(X, 3), call(X, -3), call(X, 0))
class AbsMinMaxOfIntegers(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int, int]:
        return x * abs(n), min(n, 2), max(n, -1), max(n, 0, 2)


@probe(call(X, 5), call(X, 25), call(X, 0), call(X, 1), refused="OverflowException")
class Factorial(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, float]:
        product = 1
        for k in range(2, n + 1):
            product *= k
        return x, product / 7


@probe(call(X, 3), call(X, 2**62), call(X, -(2**62)), refused="OverflowException")
class SumBeyond64Bits(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, bool]:
        return x, n + n + n > n


@probe(call(X, 1), call(X, 10), call(X, 40), refused="OverflowException")
class HashBeyond64Bits(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        key = 1469598103934665603
        for i in range(n):
            key = (key * 1099511628211 + i) % (1 << 61)
        return x, key


@probe(call(X, 7), call(X, 8), call(X, -8), call(X, 1))
class CeilingDivision(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, -(-n // 4)


@probe(call(torch.rand(7, 2)), call(torch.rand(8, 2)), call(torch.rand(1, 2)), call(torch.rand(0, 2)))
class HalfOfTheLength(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        half = (x.shape[0] - 2) // 2
        return x[half:]


@probe(call(X, 3), call(X, 0), call(X, -3))
class IntegersOfTensorElements(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        last = int((x * n)[-1].item())
        return x, last // 2 + last % 4


@probe(call(X, 12), call(X, -12), call(X, 0))
class ToTextAndBack(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int]:
        return x + int(str(n)), len(str(n)), int("7") - n


@probe(call(X, 3, 2.5), call(X, -3, 2.5), call(X, -3, -0.5))
class MixedOperands(nn.Module):
    def forward(self, x: Tensor, n: int, f: float) -> tuple[Tensor, float, float, float]:
        return x + n * f, n // f, n % f, n - f


@probe(call(torch.tensor([7, -7, 3]), 2), call(torch.tensor([-1, 0, 1]), -2))
class TensorsOfIntegers(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
        return x // n, x % n, x / n
