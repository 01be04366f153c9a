"""The PyTorch originals of Faults.cs."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Late(nn.Module):
    """Four layers with two transposes between them."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(4, 4) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.b(self.a(x).transpose(0, 1))
        z: Tensor = self.d(self.c(y).transpose(0, 1))
        return z


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(6, 6) for _ in range(3))
        self.out = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / 6**0.5
        weights = torch.softmax(scores, dim=-1)
        result: Tensor = self.out(weights @ self.value(x))
        return result


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.drop = nn.Dropout(0.5)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.act(self.drop(self.norm(self.conv(x))) + x)
        return result


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 4, batch_first=True)
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        output, (hidden, _) = self.lstm(x)
        result: Tensor = self.head(output[:, -1] + hidden[0])
        return result


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.act(self.fc(x))
        return result


class Several(nn.Module):
    """A module called three times under two names, a ModuleList and a Sequential."""

    def __init__(self) -> None:
        super().__init__()
        self.again = Inner()
        self.other = self.again
        self.layers = nn.ModuleList([Inner(), Inner()])
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(2):
            x = self.again(x)
        x = self.other(x)
        for layer in self.layers:
            x = layer(x)
        result: Tensor = self.head(self.body(x))
        return result


class Writing(nn.Module):
    """A residual connection around a module that must not write its argument."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Scaling()
        self.head = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = x * 2
        result: Tensor = self.head(self.inner(y) + y)
        return result


class Scaling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.fc(x.add(1))
        return result


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(4, 4) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.d(self.c(self.b(self.a(x).relu()).relu()))
        return result


class Sampling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean, self.spread = nn.Linear(4, 4), nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        m = self.mean(x)
        s = (self.spread(x) * 0.5).exp()
        return self.drop((m + s).softmax(-1)), m


class Growth(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x * 2).clamp_max(100000.0)


class Growing(nn.Module):
    """A module that is called twelve times."""

    def __init__(self) -> None:
        super().__init__()
        self.step = Growth()
        self.head = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(12):
            x = self.step(x)
        result: Tensor = self.head(x)
        return result


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.a(x))
        x = x + self.drop(self.b(x))
        result: Tensor = self.head(x)
        return result


class Stopped(nn.Module):
    """The result of the first child is detached."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.b(self.a(x).detach()) + x
        return result


class Length(nn.Module):
    """Divides by a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        length: Tensor = x.norm(dim=1, keepdim=True, p=1)
        result: Tensor = self.fc(x / length)
        return result


class Complement(nn.Module):
    """Subtracts its input from a number."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.fc((1.0 - x) * 2.0)
        return result


class Filling(nn.Module):
    """Writes its first argument in place."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        result: Tensor = self.fc(x.masked_fill_(mask, 0))
        return result


class Halved(nn.Module):
    """Returns its argument too."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.fc(x), x
