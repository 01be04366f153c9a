"""Models on TorchSharp in this process, and the same in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge


@pytest.fixture(scope="session")
def models(torchsharp: Path, build_csharp: Callable[..., Path]) -> Path:
    """Compile Models.cs against TorchSharp."""
    return build_csharp([Path(__file__).with_name("Models.cs")], "InProcessModels", against=[torchsharp])


@pytest.fixture(scope="session")
def load(torchsharp: Path, models: Path) -> Callable[..., Any]:
    """Return ``load("Net", *arguments)``, which loads a class of Models.cs on TorchSharp in this process."""

    def make(name: str, *args: Any, **kwargs: Any) -> Any:
        return bridge.load(
            models, f"Models.{name}", *args, runtime=f"torchsharp-in-process:{torchsharp.parent}", **kwargs
        )

    return make


class Net(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, width)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(width, 4)

    def forward(self, x: torch.Tensor) -> Any:
        return self.fc2(self.act(self.fc1(x)))


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> Any:
        return self.fc(x) if mask is None else self.fc(x) * mask


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = Net()
        self.gate = Gate()

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> Any:
        y = self.net(x)
        return self.gate(y) if mask is None else self.gate(y, mask)


class Trains(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = Net()

    def forward(self, x: torch.Tensor) -> Any:
        loss = self.net(x).sum()
        loss.backward()
        return loss.detach()


class Failing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> Any:
        self.fc(x)
        raise RuntimeError("on purpose")


class Guard(nn.Module):
    def __init__(self, how: str, fails: bool) -> None:
        super().__init__()
        self.how = how
        self.inner = Failing() if fails else Net()

    def forward(self, x: torch.Tensor) -> Any:
        try:
            return self.inner(x)
        except Exception:  # as the C# model catches
            if self.how == "catch":
                return x
            raise


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 3, batch_first=True)

    def forward(self, x: torch.Tensor) -> Any:
        return self.lstm(x)[0]


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 4)))

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


ORIGINALS = {kind.__name__: kind for kind in (Net, Gate, Outer, Trains, Failing, Guard, Recurrent, Chain)}


@pytest.fixture
def pair(load: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    """Return ``pair("Net", *arguments)``, which gives a C# model and the same in PyTorch, with equal weights."""

    def make(name: str, *args: Any) -> tuple[Any, Any]:
        ours, theirs = load(name, *args), ORIGINALS[name](*args)
        theirs.load_state_dict(ours.state_dict())
        return ours, theirs

    return make
