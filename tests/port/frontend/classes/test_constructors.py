"""bridge/port/frontend/classes/constructors.py and assembly.py: constructors of the source, as C# has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from bridge.port.porting import Port


def body(port: Port, name: str) -> list[str]:
    """Return the lines of a class's constructor, the first with its parameters."""
    text = port.files[f"{name}.cs"]
    start = text.index(f"    public {name}(")
    lines = [line.strip() for line in text[start : text.index("\n    }\n", start)].splitlines()]
    return [line for line in lines if line not in ("{", f': base("{name}")')]


def ways(port: Port) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {one.where.partition(".")[0]: (one.how, one.fixed) for one in port.wrote if one.constructs}


class Block(nn.Module):
    expansion = 2

    def __init__(self, width: int, stride: int = 1, down: nn.Module | None = None, norm: Any = None) -> None:
        super().__init__()
        if norm is None:
            norm = nn.BatchNorm1d
        self.conv = nn.Conv1d(width, width * self.expansion, 1, stride)
        self.norm = norm(width * self.expansion)
        self.down = down
        self.stride, self.unread = stride, width

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.conv(x)) * self.stride
        return y if self.down is None else y + self.down(x)


class Stages(nn.Module):
    def __init__(self, block: type[Block], depths: list[int], classes: int = 4) -> None:
        super().__init__()
        self.width = 2
        self.scale = 0.5
        self.stages = self.stage(block, depths[0])
        self.head = nn.Linear(self.width, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv1d):
                nn.init.constant_(module.weight, 0.1)

    def stage(self, block: type[Block], depth: int) -> nn.Sequential:
        layers = []
        for _ in range(depth):
            layers.append(block(self.width, down=nn.Conv1d(self.width, self.width * block.expansion, 1)))
            self.width *= block.expansion
        return nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.stages(x).mean(-1)) * self.scale


def test_parameters_defaults_loops_and_constants_of_python(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Stages(Block, [2]), torch.rand(3, 2, 5))
    assert ways(port) == {
        "Block": ("source", ("Fixed as in every call: norm is None",)),
        "Stages": ("source", ("Fixed as in every call: block is Block",)),
    }
    assert body(port, "Block") == [
        "public Block(long width, long stride = 1, Conv1d? down = null)",
        "conv = Conv1d(width, width * 2, 1, stride: stride);",
        "norm = BatchNorm1d(width * 2);",
        "this.down = down;",
        "this.stride = stride;",
        "RegisterComponents();",
    ]
    whole = body(port, "Stages")
    assert whole[:6] == [
        "public Stages(List<long> depths, long classes = 4)",
        "width = 2;",
        "stages = stage(depths[0]);",
        "head = Linear(width, classes);",
        "RegisterComponents();",
        "foreach (var module in modules())",
    ]
    assert "    private const double scale = 0.5;\n" in port.files["Stages.cs"], "assigned once, a literal"
    assert "    private long width;\n" in port.files["Stages.cs"], "a method that the constructor calls assigns it"
    assert port.construction == "new Stages([2])"
    assert port.arguments == {"depths": [2]}


class Base(nn.Module):
    def __init__(self, width: int, depth: int = 2, title: str = "base") -> None:
        super().__init__()
        hidden = width * depth
        self.inner = nn.Linear(width, hidden)
        self.title = title


class Derived(Base):
    def __init__(self, width: int, classes: int = 3) -> None:
        hidden = width + 1
        super().__init__(hidden, title="derived")
        self.out = nn.Linear(self.inner.out_features, classes)
        self.scale = math.sqrt(hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.inner(x)) / self.scale


def test_a_constructor_of_a_base_stands_where_it_is_called(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Derived(3), torch.rand(2, 4))
    assert ways(port) == {"Derived": ("source", ())}
    lines = body(port, "Derived")
    assert lines[0] == "public Derived(long width, long classes = 3)"
    assert lines[1] == "var hidden = width + 1;"
    assert "inner = Linear(hidden, hiddenNumber);" in lines
    assert not any("title" in line for line in lines), "nothing reads it"


class Optional(nn.Module):
    def __init__(self, width: int, gated: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        if gated:
            self.gate = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x)
        return x * self.gate(x) if hasattr(self, "gate") else x


def test_a_part_that_some_arguments_leave_out_may_be_null(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Optional(2, True), torch.rand(2, 2))
    assert ways(port) == {"Optional": ("source", ())}
    text = port.files["Optional.cs"]
    assert "Linear? gate;" in text
    assert "gate is not null" in text, "though the model has one"


class Late(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2)
        for one in self.parameters():
            nn.init.zeros_(one)
        self.second = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


class Changed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.late, self.other = Late(), Derived(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(self.late(x))


def _changed() -> nn.Module:
    model = Changed()
    model.other.out = nn.Linear(4, 5)
    return model


def test_what_is_not_certain_is_made_from_the_instances_and_said(ported: Callable[..., Port]) -> None:
    found = ways(ported(_changed, torch.rand(2, 2)))
    assert {name: how for name, (how, _) in found.items()} == dict.fromkeys(("Late", "Derived", "Changed"), "instances")
    reasons = {name: why[0] for name, (_, why) in found.items()}
    assert reasons["Late"].endswith("a constructor that walks over parts, and makes others afterwards")
    assert reasons["Derived"].endswith("a Derived is changed after its constructor")
    assert reasons["Changed"].endswith("whose constructor is not translated")


class Sized(nn.Module):
    def __init__(self, sizes: tuple[int, int] = (1, 3)) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, sizes)
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.conv(x) * self.calls


def test_a_tuple_gets_its_default_in_the_body_and_state_begins_there(ported: Callable[..., Port]) -> None:
    port = ported(Sized, torch.rand(1, 1, 4, 4))
    assert body(port, "Sized") == [
        "public Sized((long, long)? sizes = null)",
        "var sizesTuple = sizes ?? (1L, 3L);",
        "conv = Conv2d(1, 1, sizesTuple);",
        "calls = 0;",
        "RegisterComponents();",
    ]


class Sometimes(nn.Module):
    def __init__(self, learnable: bool = True) -> None:
        super().__init__()
        self.learnable = learnable
        self.scale = torch.ones(1, 3).fill_(2)
        if learnable:
            self.scale = nn.Parameter(self.scale)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale if self.learnable else x


def test_a_tensor_that_is_a_parameter_in_some_instances(ported: Callable[..., Port]) -> None:
    """A field of C# that takes a parameter takes no other tensor, and one that takes any tensor would be registered as a buffer."""
    port = ported(Sometimes, torch.rand(2, 3))
    how, fixed = ways(port)["Sometimes"]
    assert how == "instances"
    assert "self.scale, which is a parameter or a tensor that is none" in fixed[0]
    assert "scale = new Parameter(torch.zeros(1, 3));" in port.files["Sometimes.cs"]
