"""Calls: keywords, defaults, star arguments, nested functions, closures, lambdas, generators, recursion, decorators."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call(X), call(X, scale=3.0), call(-X, shift=1.0, scale=0.0))
class KeywordOnly(nn.Module):
    def forward(self, x: Tensor, *, scale: float = 2.0, shift: float = 0.0) -> Tensor:
        return x * scale + shift


@probe(call(X, scale=3.0), call(-X, scale=0.0))
class KeywordOnlyGiven(nn.Module):
    def forward(self, x: Tensor, *, scale: float) -> Tensor:
        return x * scale


@probe(call(X, X), call(X), call(X, X, X * 2), refused="items[0]")
class StarArguments(nn.Module):
    def forward(self, *items: Tensor) -> Tensor:
        total = torch.zeros(3)
        for item in items:
            total = total * 2 + item
        return total


@probe(call(X, a=X), call(X), call(X, b=X, a=X * 2), refused="**others")
class StarKeywords(nn.Module):
    def forward(self, x: Tensor, **others: Tensor) -> dict[str, Tensor]:
        return {key: value + x for key, value in others.items()}


@probe(call(X, 2), call(X, 0), refused="arguments that are spread")
class StarsInCalls(nn.Module):
    def join(self, a: int, b: int = 5, *rest: int, scale: int = 1) -> int:
        return (a * 100 + b * 10 + sum(rest)) * scale

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int]:
        numbers = [n, n + 1, n + 2]
        return x, self.join(*numbers), self.join(n, **{"scale": 2, "b": n})


@probe(call(X, 3), call(X, -3))
class DefaultsOfHelpers(nn.Module):
    def shift(self, x: Tensor, by: int = 2, times: float = 1.0) -> Tensor:
        return (x + by) * times

    def forward(self, x: Tensor, n: int) -> Tensor:
        return self.shift(x) + self.shift(x, times=0.5) - self.shift(by=n, x=x)


@probe(call(X, 3), call(X, -3), call(X, 0))
class NestedFunction(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        def scale(y: Tensor, by: int = 2) -> Tensor:
            return y * by + n

        return scale(x) + scale(x, by=n)


@probe(call(X, 3), call(X, -3))
class ClosureSeesLaterValue(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        def shifted(y: Tensor) -> Tensor:
            return y + n

        first = shifted(x)
        n = n * 2
        return first * shifted(x)


@probe(call(X, 3), call(X, 0))
class ClosureWithNonlocal(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        count = 0

        def step(y: Tensor) -> Tensor:
            nonlocal count
            count += 1
            return y * count

        for _ in range(n):
            x = step(x)
        return x, count


@probe(call(X, 3), call(X, -1))
class Lambda(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        scale = lambda y: y * n
        return scale(x) + scale(x + 1)


@probe(call(X), call(-X))
class LambdaAsAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.act = lambda x: x * torch.sigmoid(x)

    def forward(self, x: Tensor) -> Tensor:
        return self.act(x) + 1


@probe(call(X, 3), call(X, 0), refused="a function made in a loop")
class LambdasInLoopBindLate(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        functions: list[Callable[[int], int]] = []
        for i in range(3):
            functions.append(lambda k: k * i)
        return x, sum(function(n) for function in functions)


@probe(call(X, True), call(X, False))
class FunctionAsValue(nn.Module):
    def forward(self, x: Tensor, flag: bool) -> Tensor:
        act = torch.relu if flag else torch.tanh
        return act(x)


@probe(call(X), call(-X))
class PartialAsAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.clip = partial(torch.clamp, min=-1.0, max=1.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.clip(x) * 2


@probe(call(X), call(-X * 100), refused="Yield")
class Generator(nn.Module):
    def parts(self, x: Tensor) -> Iterator[Tensor]:
        yield x
        if x.max() > 50:
            return
        yield x * 2

    def forward(self, x: Tensor) -> Tensor:
        total = torch.zeros(3)
        for part in self.parts(x):
            total = total + part
        return total


@probe(call(X, 2), call(X, 0), call(X, 5), refused="Yield")
class GeneratorIsLazy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def numbers(self) -> Iterator[int]:
        for k in range(10):
            self.made += 1
            yield k

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        for k in self.numbers():
            if k >= n:
                break
        return x, self.made


@probe(call(X, 3), call(X, 0), call(X, 10))
class Recursion(nn.Module):
    def down(self, x: Tensor, n: int) -> Tensor:
        if n <= 0:
            return x
        return self.down(x + n, n - 2) * 0.5

    def forward(self, x: Tensor, n: int) -> Tensor:
        return self.down(x, n)


def doubled(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the function with its result doubled."""

    @functools.wraps(function)
    def wrapper(self: nn.Module, *args: Any, **kwargs: Any) -> Tensor:
        return function(self, *args, **kwargs) * 2

    return wrapper


@probe(call(X), call(-X))
class Decorated(nn.Module):
    @doubled
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


@probe(call(X), call(-X))
class DecoratedHelper(nn.Module):
    @doubled
    def shifted(self, x: Tensor) -> Tensor:
        return x + 1

    def forward(self, x: Tensor) -> Tensor:
        return self.shifted(x) - 1


@probe(call(X), call(-X))
class NoGrad(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    @torch.no_grad()
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


@probe(call(X), call(-X))
class NoGradForPart(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            y = self.linear(x)
        return y, self.linear(x)


@probe(call(X), call(-X))
class Checkpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.linear, x, use_reentrant=False) + 1


@probe(call(X), call(-X), call(X * 0))
class SeveralResults(nn.Module):
    def both(self, x: Tensor) -> tuple[Tensor, int]:
        return x * 2, int(x.sum().item())

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        pair = self.both(x)
        y, n = pair
        return y + pair[0], n - pair[1] + len(pair)


@probe(call(X, 3), call(X, -2))
class OrderOfArguments(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def number(self) -> int:
        self.calls += 1
        return self.calls

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, list[int]]:
        first = self.number() * 10 - self.number()
        return x, first, [self.number(), n + self.number()]


def bump(counts: list[int]) -> bool:
    """Append to the list, and return True."""
    counts.append(len(counts))
    return True


@probe(call(X), call(-X))
class AssertWithEffect(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        counts = [5]
        assert bump(counts)
        return x, len(counts)


@probe(call(X), call(-X))
class PrintWithEffect(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        counts = [5]
        print("" * counts.pop(), end="")
        return x, len(counts)


@probe(call(X, 2), call(X, 0))
class StatementWithEffect(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        counts = [1]
        n > 0 and bump(counts)
        bump(counts) if n else None
        return x, len(counts)


@probe(call(X), call(-X))
class CheckThatRaises(nn.Module):
    def check(self, x: Tensor) -> None:
        if x[0] < 0:
            raise ValueError("negative")

    def forward(self, x: Tensor) -> Tensor:
        self.check(x)
        return x + 1


@probe(call(X), call(-X))
class WarningWithEffect(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        counts = [5]
        warnings.warn(f"{counts.pop()} is the last", stacklevel=2)
        return x, len(counts)


@probe(call(X), call(-X))
class HelperWithoutParameters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def weights(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) * self.weights()
