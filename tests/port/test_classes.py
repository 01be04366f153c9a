"""classes.py: parts of a model that no run called, and settings of other modules that no run read (issue 43, section 2)."""

from __future__ import annotations

import warnings

import torch
from torch import nn

from bridge.port import porting
from bridge.port.observe.models.construction import construct

X = torch.randn(2, 3)


class Opened(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with warnings.catch_warnings():
            return self.layer(x)


class Patches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.size = (2, 5)
        self.layer = nn.Linear(3, 3)
        self.register_buffer("table", torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = Patches()
        self.opened = Opened()

    def forward(self, x: torch.Tensor, other: torch.Tensor | None = None) -> torch.Tensor:
        if other is not None:
            x = x + self.opened(other)
        if x.shape[0] > 10:
            height, width = self.patches.size
            x = x * (height + width)
        if hasattr(self.patches, "table"):
            x = x + self.patches.table
        return self.patches(self.halved(x, 2))

    @classmethod
    def halved(cls, x: torch.Tensor, n: int) -> torch.Tensor:
        return x / n


def test_what_no_run_called_throws_and_settings_of_other_modules_are_read() -> None:
    port = porting.write(*construct(Net), {"x": X}, "Made")
    assert port.left == ()
    assert "NotSupportedException" in port.files["Opened.cs"]
    assert "opened.call(other)" in port.files["Net.cs"]
    assert "NotSupportedException" not in port.files["Net.cs"]
    assert "x + patches.table" in port.files["Net.cs"]
    assert "private Tensor halved(Tensor x, long n)" in port.files["Net.cs"]
    (opened,) = [one for one in port.wrote if one.where == "Opened.forward"]
    assert "no run called it" in " ".join(opened.fixed)


def halved(x: torch.Tensor) -> torch.Tensor:
    if x.dim() > 4:
        x = nn.functional.embedding(x.long(), x, max_norm=1.0)
    return x / 2


class Few(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, other: torch.Tensor | None = None) -> torch.Tensor:
        if other is not None:
            x = x + nn.functional.embedding(other.long(), other, max_norm=1.0)
        return halved(self.layer(x))


def test_a_branch_that_no_run_took_throws_where_torchsharp_lacks_a_function() -> None:
    port = porting.write(*construct(Few), {"x": X}, "Made")
    assert port.left == ()
    for file in ("Few.cs", "Functions.cs"):
        assert "throw new NotSupportedException(" in port.files[file]
        assert "max_norm" in port.files[file]


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, every: bool = False) -> tuple[torch.Tensor, ...]:
        x = self.layer(x)
        found = (x, x * 2) if every else (x,)
        others = found[1:]
        return (found[0] + 1,) + others  # noqa: RUF005  # as models do


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(2))

    def forward(self, x: torch.Tensor, every: bool = False) -> tuple[torch.Tensor, ...]:
        kept = () if every else None
        for layer in self.layers:
            found = layer(x, every=every)
            x = found[0]
            if every:
                kept = kept + (found[1],)  # noqa: RUF005  # as models do
        return tuple(one for one in [x, kept] if one is not None)


def test_tuples_that_are_longer_where_no_run_asked_for_more() -> None:
    port = porting.write(*construct(Layers), {"x": X}, "Made")
    assert port.left == ()
    assert "return found + 1;" in port.files["Layer.cs"]
    assert port.files["Layers.cs"].count("NotSupportedException") == 2
