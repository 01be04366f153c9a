"""porting.py: loops over numbers, up and down, over children, and over lists of lists of modules."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import styles

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Down(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i in range(x.shape[1] - 1, 0, -1):
            x = x + i
        for k in range(0, 6, 2):
            x = x * k
        return x


class Stage(nn.Module):
    """Walks over its children, of which another instance has more."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        for number in range(depth):
            self.add_module(f"b{number}", nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.children():
            x = block(x)
        return x


class Stages(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.s1, self.s2 = Stage(1), Stage(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.s2(self.s1(x))


def test_down(lines: Lines) -> None:
    found = lines(Down, X)
    assert found[0] == "for (var i = x.shape[1] - 1; i > 0; i--)"
    assert found[4] == "for (long k = 0; k < 6; k += 2)"


def test_children(ported: Callable[..., Port]) -> None:
    files = ported(Stages, X).files
    assert "foreach (var (_, block) in entries)" in files["Stage.cs"]
    assert "s2 = new Stage(3);" in files["Stages.cs"]


def test_lists_of_lists_of_modules(lines: Lines) -> None:
    found = lines(styles.Skips, torch.rand(1, 3, 8, 8))
    at = found.index("foreach (var (up, mix) in ups)")
    assert found[at + 2] == "x = up.call(x);"
    assert "new Module<Tensor, Tensor>[] { pool, (Upsample)ups[0][0] }.Select(" in "".join(found)


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + y


class Thrice(Twice):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.linear(x) - y


class Once(Twice):
    def forward(self, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]  # another class in another way
        return self.linear(x)


class Several(nn.Module):
    """Walks over modules of several classes that are called in several ways."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Twice(), Thrice(), Once()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x
        for _number, block in enumerate(self.blocks):
            if isinstance(block, Once):
                x = block(x)
                continue
            x = block(x, y)
        return x


def test_modules_of_several_classes_are_called_by_what_each_is(ported: Callable[..., Port]) -> None:
    """C# throws where a module is of a class that stood there in no run."""
    text = ported(Several, X).files["Several.cs"]
    assert "private readonly ModuleList<Module> blocks;" in text
    assert "foreach (var block in blocks)" in text, "nothing reads the number"
    assert "if (block is Once once)" in text
    assert "x = once.call(x);" in text
    assert "x = block is Twice ? ((Twice)block).call(x, y) : ((Thrice)block).call(x, y);" in text
