"""bridge/port/frontend/classes/constructors.py and assembly.py: constructors of the source, as C# has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
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


class Settings:
    def __init__(self, width: int = 4, heads: int = 2, gated: bool = False, kind: str = "relu") -> None:
        self.width, self.heads, self.gated, self.kind = width, heads, gated, kind


class Made(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key)()


KINDS = Made(relu=nn.ReLU)


class Configured(nn.Module):
    def __init__(self, config: Settings, place: int) -> None:
        super().__init__()
        if config.width % config.heads != 0:
            raise ValueError("width")
        self.gated = config.gated
        self.size = config.width // config.heads
        self.limit = config.heads
        (self.add_module("linear", nn.Linear(config.width, config.heads * self.size)),)
        if isinstance(config.kind, str):
            self.act = KINDS[config.kind]
        else:
            self.act = config.kind
        if self.gated:
            self.gate = nn.Linear(config.width, 1)
        self.ids = nn.Buffer(torch.arange(config.width).expand((1, -1)), persistent=False)
        self.place = place

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.act(self.linear(x)) + self.ids * self.place
        return self.gate(x) if self.gated else x * self.limit


class Layers(nn.Module):
    def __init__(self, config: Settings, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Configured(config, place=i) for i in range(count)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def test_numbers_and_bools_of_a_settings_object_are_constants_of_its_class(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Layers(Settings(), 2), torch.rand(3, 4))
    assert {how for how, _ in ways(port).values()} == {"source"}
    assert body(port, "Configured") == [
        "public Configured(long place)",
        "// Settings.width is 4, Settings.heads is 2",
        "var size = Settings.width / Settings.heads;",
        "linear = Linear(Settings.width, Settings.heads * size);",
        "act = ReLU();",
        "// Settings.gated is False",
        "ids = torch.arange(Settings.width).expand(1, -1);",
        'register_buffer("ids", ids, persistent: false);',
        "this.place = place;",
        "RegisterComponents();",
    ]
    text = port.files["Configured.cs"]
    assert "private readonly ReLU act;" in text, "settings rule the other branch out"
    assert "gate;" not in text, "nor is a field that only such a branch assigns"
    assert "private const long limit = Settings.heads;" in text
    assert port.files["Settings.cs"].splitlines()[-5:] == [
        "internal static class Settings",
        "{",
        "    internal const long heads = 2;",
        "    internal const long width = 4;",
        "}",
    ]


class Two(nn.Module):
    def __init__(self, first: Settings, second: Settings) -> None:
        super().__init__()
        self.first = nn.Linear(first.width, second.width)
        self.second = nn.Linear(second.width, second.heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


def test_a_constant_has_one_value(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Two(Settings(4), Settings(6)), torch.rand(3, 4))
    assert body(port, "Two")[1:3] == ["first = Linear(Settings.width, 6L);", "second = Linear(6L, Settings.heads);"]


class Rotary(nn.Module):
    def __init__(self, config: Settings) -> None:
        super().__init__()
        frequencies = self.computed
        if config.kind != "relu":
            frequencies = OTHERS[config.kind]
        self.inverse = nn.Buffer(frequencies(config), persistent=False)

    @staticmethod
    def computed(config: Settings) -> torch.Tensor:
        return 1.0 / torch.arange(1, config.width + 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.inverse


OTHERS: dict[str, Callable[[Settings], torch.Tensor]] = {}


def test_a_variable_may_hold_a_static_method(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Rotary(Settings()), torch.rand(3, 4))
    assert ways(port)["Rotary"] == ("source", ("Fixed as in every call: config is Settings",))
    assert "inverse = Functions.computed();" in body(port, "Rotary")


class Registered(nn.Module):
    made: list[type] = []  # noqa: RUF012  # as in models

    def __init__(self, config: Settings) -> None:
        super().__init__()
        self.config = config
        self.made.append(type(self))

    def start(self) -> None:
        self.made.append(type(self))
        self.started = True


class Started(Registered):
    def __init__(self, config: Settings, bias: bool = True) -> None:
        super().__init__(config)
        self.linear = nn.Linear(config.width, 3, bias=bias)
        self.start()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * self.config.heads


def test_calls_that_make_nothing_of_the_module_are_left_out(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Started(Settings()), torch.rand(2, 4))
    assert body(port, "Started") == [
        "public Started(bool bias = true)",
        "// Left out: Registered.__init__, which has no translation",
        "linear = Linear(Settings.width, 3, hasBias: bias);",
        "// Left out: Registered.start, which has no translation",
        "RegisterComponents();",
    ]
    how, notes = ways(port)["Started"]
    assert how == "source"
    assert [one.partition(",")[0] for one in notes[1:]] == [
        "Left out: Registered.__init__",
        "Left out: Registered.start",
    ]
    assert "return linear.call(x) * Settings.heads;" in port.files["Started.cs"]


class Read(Started):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) if self.started else x


class Replaced(Started):
    def start(self) -> None:
        super().start()
        self.linear = nn.Linear(4, 3)


class Before(Registered):
    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(Settings())
        self.linear = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


class Varied(Registered):
    def __init__(self, width: int) -> None:
        super().__init__(width)  # type: ignore[arg-type]  # it only stores the number
        self.linear = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


@pytest.mark.parametrize(
    "make",
    [lambda: Read(Settings()), lambda: Replaced(Settings()), lambda: Before(4), lambda: Varied(4)],
    ids=["read", "replaced", "before", "varied"],
)
def test_calls_that_may_do_more_are_not_left_out(ported: Callable[..., Port], make: Callable[[], nn.Module]) -> None:
    how = {one.where.partition(".")[0]: one.how for one in ported(make, torch.rand(2, 4)).wrote if one.constructs}
    assert set(how.values()) == {"instances"}
