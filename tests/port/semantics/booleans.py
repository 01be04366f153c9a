"""Booleans: truth of values, `and` and `or` as values, short circuit, comparisons in chains, booleans as integers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call(X, 3), call(X, 0), call(X, -1))
class TruthOfInteger(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x + 1 if n else x - 1


@probe(call(X, 0.5), call(X, 0.0), call(X, -0.0), call(X, float("nan")))
class TruthOfFloat(nn.Module):
    def forward(self, x: Tensor, f: float) -> Tensor:
        if not f:
            return x * 2
        return x * 3


@probe(call(X, "a"), call(X, ""), call(X, " "))
class TruthOfText(nn.Module):
    def forward(self, x: Tensor, s: str) -> tuple[Tensor, bool]:
        return (x if s else -x), bool(s)


@probe(call(X, [1, 2]), call(X, []), call(X, [0]))
class TruthOfList(nn.Module):
    def forward(self, x: Tensor, items: list[int]) -> Tensor:
        if items:
            x = x + items[0]
        return x * (1 if not items else 2)


@probe(call(torch.tensor(1.0)), call(torch.tensor(0.0)), call(torch.tensor([1.0])), call(torch.tensor([1.0, 2.0])))
class TruthOfTensor(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x:
            return x + 1
        return x - 1


@probe(call(X, 3), call(X, 0), call(X, -2))
class OrAsNumber(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        width = n or 7
        return x * width, width


@probe(call(X, 3), call(X, 0), call(X, -2))
class AndAsNumber(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        found = n and n + 10
        return x + found, found


@probe(call(X, 3, 4), call(X, 0, 4), call(X, 3, 0), call(X, 0, 0))
class AndOrInRow(nn.Module):
    def forward(self, x: Tensor, n: int, m: int) -> tuple[Tensor, int]:
        return x, n and m or 9


@probe(call(X, "a"), call(X, ""))
class OrAsText(nn.Module):
    def forward(self, x: Tensor, s: str) -> dict[str, Tensor]:
        return {s or "none": x}


@probe(call(X, [1]), call(X, []))
class OrAsList(nn.Module):
    def forward(self, x: Tensor, items: list[int]) -> tuple[Tensor, int]:
        chosen = items or [5, 6]
        return x + chosen[-1], len(chosen)


@probe(call(X, X), call(X, None))
class OrOfOptional(nn.Module):
    def forward(self, x: Tensor, n: Tensor | None = None) -> Tensor:
        y = n if n is not None else x * 2
        return y + 1


@probe(call(X, 3), call(X, None), call(X, 0))
class OrOfOptionalNumber(nn.Module):
    def forward(self, x: Tensor, n: int | None = None) -> Tensor:
        return x * (n or 4)


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def seen(self, n: int) -> bool:
        self.calls += 1
        return n > 0


@probe(call(X, 1), call(X, -1), call(X, 0))
class ShortCircuitWithEffect(Counting):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        if n > 0 and self.seen(n) or n < 0 and self.seen(-n):
            x = x + 1
        return x, self.calls


@probe(call(X, 1), call(X, -1))
class BothSidesWithEffect(Counting):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        if self.seen(n) & self.seen(n - 1):
            x = x + 1
        return x, self.calls


@probe(call(X, 3), call(X, 1), call(X, 5), call(X, 9), call(X, -3))
class ChainOfComparisons(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, bool]:
        return (x + 1 if 1 < n <= 5 else x), 0 <= n < 5 > 2


@probe(call(X, 3), call(X, 1), call(X, 0))
class ChainEvaluatesOnce(Counting):
    def value(self) -> int:
        self.calls += 1
        return self.calls

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, bool, int]:
        inside = 0 < self.value() < n
        return x, inside, self.calls


@probe(call(X, 3, 3.0), call(X, 3, 2.5), call(X, 0, -0.0), call(X, 2**53, 9007199254740993.0))
class MixedComparisons(nn.Module):
    def forward(self, x: Tensor, n: int, f: float) -> tuple[Tensor, bool, bool, bool]:
        return x, n == f, n < f, n >= f


@probe(call(X, True), call(X, False))
class BooleanAsInteger(nn.Module):
    def forward(self, x: Tensor, flag: bool) -> tuple[Tensor, int, int]:
        return x + flag, flag + 2, int(flag) * 3


@probe(call(X, 2), call(X, -2))
class ComparisonAsInteger(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x * (n > 0), (n > 0) + (n > 1)


@probe(call(X, True), call(X, False))
class BooleanAsIndex(nn.Module):
    def forward(self, x: Tensor, flag: bool) -> Tensor:
        return (x + 1, x * 5)[flag]


@probe(call([1, 0, 2]), call([1, 1, 1]), call([]))
class AnyAndAll(nn.Module):
    def forward(self, items: list[int]) -> tuple[bool, bool, int]:
        return any(i > 1 for i in items), all(i > 0 for i in items), sum(i > 0 for i in items)


@probe(call(X, 1), call(X, 0))
class NotBindsWeaker(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, bool, bool]:
        return x, not n == 1, (not n) == 1


@probe(call(X, 2), call(X, 0), call(X, 5))
class ConditionalInConditional(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x + 1 if n > 1 else x * 2 if n else x - 7 if n is not None and n > 4 else x


@probe(call(X, 3), call(X, 7), call(X, 0))
class MembershipOfNumbers(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, bool]:
        return (x + 1 if n in (1, 3, 5) else x), n not in [0, 7]


@probe(call("a", 3), call("b", 0), call("", 0))
class MembershipInATableThatRaises(nn.Module):
    def forward(self, s: str, n: int) -> bool:
        return "a" in {"a": 1000 % n, (s or "c"): 2}
