"""stored_functions.py: functions that constructors store become functions within the forwards that read them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.observe.sources import read_method
from bridge.port.observe.stored_functions import define_within
from bridge.port.porting import Port

X = torch.rand(2, 3)


class Block(nn.Module):
    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.parts = nn.ModuleDict({"first": nn.Linear(width, width), "act": nn.ReLU()})
        parts = self.parts
        self.run = lambda x: parts.act(parts.first(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.run(x * 2)
        return x / 2


class Defined(nn.Module):
    def __init__(self, doubles: bool = True) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        if doubles:

            def act(x: Any) -> Any:
                y = torch.relu(x)
                return self.layer(y) * 2

            self.act = act
        else:
            self.act = nn.ReLU()  # type: ignore[assignment]  # as models do

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return it."""
        act = x + 1
        return self.act(act)


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.defined = Defined()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.defined(x)


def moved(model: nn.Module) -> str:
    method = read_method(type(model).forward)
    assert method is not None
    define_within(method, [model])
    return ast.unparse(method.tree)


def test_the_closure_becomes_a_path_from_the_module() -> None:
    assert "def run(x):\n        return self.parts.act(self.parts.first(x))\n    x = x + run(x * 2)" in moved(Block())
    assert "'Return it.'" in moved(Defined()).splitlines()[1].replace('"""', "'")
    assert "def act_(x):\n        y = torch.relu(x)\n        return self.layer(y) * 2" in moved(Defined())
    assert "return act_(act)" in moved(Defined())


def test_constructors_are_translated_without_the_function_if_all_instances_have_it(ported: Callable[..., Port]) -> None:
    port = ported(Twice, X)
    assert port.left == ()
    assert {one.where: one.how for one in port.wrote if one.constructs} == {
        "Block.__init__": "source", "Defined.__init__": "instances", "Twice.__init__": "instances",
    }  # fmt: skip
    assert "Tensor run(Tensor xValue)" in port.files["Block.cs"]
    assert "run(x * 2)" in port.files["Block.cs"]


class Many(nn.Module):
    def __init__(self, power: int = 1) -> None:
        super().__init__()
        self.power = power
        self.functions = [lambda x: x * 0, lambda x: x + 1]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.functions[self.power](x)


class More(Many):
    def add(self) -> None:
        self.functions.append(torch.relu)  # type: ignore[arg-type]  # as models do


def test_a_list_of_functions(ported: Callable[..., Port]) -> None:
    assert "functions = [lambda x: x * 0, lambda x: x + 1]" in moved(Many())
    assert "functions = [" not in moved(More())
    turned = Many()
    turned.functions.reverse()
    assert "functions = [" not in moved(turned)
    port = ported(Many, X)
    assert port.left == ()
    assert [one.how for one in port.wrote if one.constructs] == ["source"]


class Assigned(Block):
    def other(self) -> None:
        self.run = torch.relu


class Held(nn.Module):
    def __init__(self, scale: float = 2.0) -> None:
        super().__init__()
        self.run = lambda x: x * scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.run(x)


class Hidden(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.run = lambda x: x * len(X)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        X = self.run(x)
        return X + 1


class Defaulted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.run = lambda x, y=2: x * y

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.run(x)


@pytest.mark.parametrize("kind", [Assigned, Held, Hidden, Defaulted])
def test_functions_that_stay(kind: type[nn.Module]) -> None:
    """A method assigns the attribute; the closure has a number; the forward hides a name; a parameter has a default."""
    assert "def run(" not in moved(kind())


def test_modules_that_hold_other_functions() -> None:
    changed, method = Block(), read_method(Block.forward)
    changed.run = torch.relu
    assert method is not None
    define_within(method, [Block(), changed])
    assert method.within == set()
