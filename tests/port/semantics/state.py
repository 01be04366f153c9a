"""State between calls: counters, reassigned buffers, caches, mutable defaults, parameters changed by forward."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call(X), call(-X), call(X * 2))
class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        self.calls += 1
        return x * self.calls, self.calls


@probe(call(X), call(-X), call(X * 2))
class ReassignedBuffer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        self.mean = self.mean * 0.5 + x * 0.5
        return x - self.mean


@probe(call(X), call(-X), call(X * 2))
class BufferChangedInPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return self.total.clone()


@probe(call(X), call(-X))
class BufferInTrainModeOnly(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.steps += 1
        return x + self.steps


@probe(call(X), call(-X), call(X))
class FirstCallDiffers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.started = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.started:
            self.started = True
            return x * 10
        return x


@probe(call(X), call(-X), call(X * 3))
class CacheThatIsNone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.last is None:
            self.last = x.clone()
        else:
            self.last = self.last + x
        return self.last * 1


@probe(call(X), call(-X))
class ListOnSelf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        self.seen.append(x[0].item())
        return x + self.seen[0], len(self.seen)


@probe(call(X, "a"), call(X, "b"), call(X, "a"))
class DictionaryOnSelf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, int] = {}

    def forward(self, x: Tensor, key: str) -> tuple[Tensor, int]:
        self.seen[key] = self.seen.get(key, 0) + 1
        return x, self.seen[key]


@probe(call(X, 2), call(X, 3), refused="whose default is list")
def MutableDefault() -> nn.Module:
    class Default(nn.Module):
        def forward(self, x: Tensor, n: int, seen: list[int] = []) -> tuple[Tensor, int]:
            seen.append(n)
            return x, sum(seen)

    return Default()


@probe(call(X), call(-X))
class ParameterChangedInPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            self.weight.mul_(2)
        return (x * self.weight).detach()


@probe(call(X), call(X * 2), call(-X))
class Smoothed(nn.Module):
    def __init__(self, momentum: float = 0.9) -> None:
        super().__init__()
        self.momentum, self.value = momentum, 0.0

    def forward(self, x: Tensor) -> tuple[Tensor, float]:
        self.value = self.momentum * self.value + (1 - self.momentum) * x.max().item()
        return x / (1 + abs(self.value)), self.value


@probe(call(X, 4), call(X, 2), call(X, 7))
class CacheBySize(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.longest, self.table = 0, torch.zeros(0)

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        if n > self.longest:
            self.longest, self.table = n, torch.arange(n) * 0.5
        return x + self.table[:n].sum(), self.longest


@probe(call(X), call(-X))
class ChildCounts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.child = Counter()

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        first, _ = self.child(x)
        second, calls = self.child(x)
        return first + second, calls + self.child.calls


@probe(call(X), call(-X), refused="Python's type of")
class ClassAttribute(nn.Module):
    scale = 3

    def forward(self, x: Tensor) -> Tensor:
        self.scale = self.scale + 1
        return x * self.scale + type(self).scale


@probe(call(X), call(-X))
class RandomState(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(x) + torch.rand(3)


@probe(call(X), call(-X))
class NormRunsOn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(torch.stack([x, x * 2])).detach()


@probe(call(X), call(-X), call(X * 3))
class RecurrentState(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 3)
        self.hidden = torch.zeros(3)

    def forward(self, x: Tensor) -> Tensor:
        self.hidden = torch.tanh(self.linear(torch.cat([x, self.hidden]))).detach()
        return self.hidden * 2
