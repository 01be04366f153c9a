"""Classes of whole ports: what their constructors take, their names, and free functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port import porting
from bridge.port.errors import Unwritable
from bridge.port.observe.models.construction import construct
from bridge.port.observe.modules import is_own
from bridge.port.porting import Port
from tests.port import everyday


def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
    """Multiply."""
    return x * by


class Block(nn.Module):
    """A block.

    More about it.
    """

    def __init__(self, width: int, hidden: int, rate: float = 0.5, shortcut: nn.Module | None = None) -> None:
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, 2 * width)
        self.shortcut = shortcut
        self.rate = rate
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.shortcut is not None:
            x = self.shortcut(x)
        return scaled(self.second(self.first(x * self.gain)).chunk(2, -1)[0], self.rate)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Block(4, 6), Block(4, 8, rate=0.1, shortcut=nn.Linear(4, 4)))
        self.register_buffer("seen", torch.zeros(3, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.blocks(x) + self.seen.sum()


def test_what_differs_between_instances_is_a_parameter(ported: Callable[..., Port]) -> None:
    port = ported(Net, torch.rand(2, 4))
    assert port.left == ()
    assert set(port.files) == {"Block.cs", "Net.cs", "Functions.cs"}
    block = port.files["Block.cs"]
    assert "/// <summary>A block.</summary>\npublic sealed class Block : Module<Tensor, Tensor>" in block
    assert "public Block(long width, long hidden, double rate = 0.5, Linear? shortcut = null)" in block
    for line in (
        "first = Linear(width, hidden);",
        "second = Linear(hidden, 2 * width);",
        "this.shortcut = shortcut;",
        "this.rate = rate;",
        "gain = new Parameter(torch.ones(width));",
        "if (shortcut is not null)",
        "return Functions.scaled(second.call(first.call(x * gain)).chunk(2, -1)[0], rate);",
    ):
        assert line in block
    net = port.files["Net.cs"]
    assert "blocks = Sequential(new Block(4, 6), new Block(4, 8, rate: 0.1, shortcut: Linear(4, 4)));" in net
    assert 'seen = torch.zeros(3, torch.int64);\n        register_buffer("seen", seen);' in net
    assert "internal static Tensor scaled(Tensor x, double by)" in port.files["Functions.cs"]


def test_pytorchs_own_class_is_refused(ported: Callable[..., Port]) -> None:
    with pytest.raises(Unwritable, match="Sequential is PyTorch's own class"):
        ported(lambda: nn.Sequential(nn.Linear(4, 4)), torch.rand(2, 4))


class Chain(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 3), nn.ReLU())


def test_a_chain_that_is_the_whole_model_makes_its_children(ported: Callable[..., Port]) -> None:
    port = ported(Chain, torch.rand(2, 4))
    assert port.left == ()
    assert '{ ("0", Linear(4, 3)), ("1", ReLU()) };' in port.files["Chain.cs"]
    assert "input = module.call(input);" in port.files["Chain.cs"]


class Wide(nn.Linear):
    pass


class Holding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = Wide(4, 3)
        self.none, self.others = nn.ModuleList(), nn.ModuleList()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for first, second in zip(self.none, self.others, strict=True):
            x = first(x) + second(x)
        return self.wide(x)


def test_a_layer_with_a_class_of_its_own_runs_the_forward_of_pytorchs(ported: Callable[..., Port]) -> None:
    for port in (ported(Holding, torch.rand(2, 4)), ported(lambda: Wide(4, 3), torch.rand(2, 4))):
        assert port.left == ()
        assert "return F.linear(input, weight, bias);" in port.files["Wide.cs"]


def test_a_list_without_modules_is_one_of_modules_of_one_tensor(ported: Callable[..., Port]) -> None:
    text = ported(Holding, torch.rand(2, 4)).files["Holding.cs"]
    assert "private readonly ModuleList<Module<Tensor, Tensor>> none;" in text


def test_own_classes_have_a_forward_of_their_own() -> None:
    class Named(nn.Sequential):
        pass

    assert is_own(Net)
    assert not is_own(Named)
    assert not is_own(nn.Linear)


class Several(nn.ModuleDict):
    def __init__(self, count: int) -> None:
        super().__init__({f"layer{number}": nn.Linear(4, 4) for number in range(count)})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _name, layer in self.items():
            x = layer(x)
        return x


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Several(1), Several(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def test_a_class_that_is_a_dictionary_of_modules_takes_any_number_of_them(ported: Callable[..., Port]) -> None:
    port = ported(Pair, torch.rand(2, 4))
    assert port.left == ()
    several = port.files["Several.cs"]
    assert "public Several(params (string name, Linear child)[] entries)" in several
    assert "register_module(name, child);" in several
    assert "foreach (var (_, layer) in entries)" in several
    assert 'b = new Several(("layer0", Linear(4, 4)), ("layer1", Linear(4, 4)));' in port.files["Pair.cs"]


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads, self.scale, self.dim, self.odd = 2, 0.5, 1, 3
        self.proj = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, dim = x.shape
        if self.odd > 4:
            n = 1
        return self.proj(x).view(n, self.heads, dim // self.heads).flatten(self.dim) * self.scale


class Listed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.h = nn.ModuleList(Heads() for _ in range(3))
        self.two = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for one in self.h:
            x = one(x)
        for other in self.two:
            x = other(x)
        return x


def test_numbers_that_instances_have_in_common_are_constants_by_their_names(ported: Callable[..., Port]) -> None:
    text = ported(Heads, torch.rand(2, 4)).files["Heads.cs"]
    assert "    private const long heads = 2;\n    private const double scale = 0.5;\n\n    private readonly" in text
    assert ".view(n, heads, dim / heads).flatten(1) * scale" in text, "a variable has the name dim"
    assert "odd" not in text.replace("// odd is 3", ""), "what only decides a branch is decided, and said"


def test_a_namespace_is_not_named_as_a_class(ported: Callable[..., Port]) -> None:
    port = ported(type("Ported", (Heads,), {}), torch.rand(2, 4))
    assert port.namespace == "PortedModel"
    assert "namespace PortedModel;" in port.files["Ported.cs"]
    assert ported(Heads, torch.rand(2, 4)).namespace == "Ported"


def test_a_namespace_is_no_keyword_of_csharp() -> None:
    model, given = construct(Heads)
    assert porting.write(model.eval(), given, {"x": torch.rand(2, 4)}, "out").namespace == "outModel"


def test_from_three_equal_modules_on_a_list_is_made_by_a_loop(ported: Callable[..., Port]) -> None:
    text = ported(Listed, torch.rand(2, 4)).files["Listed.cs"]
    assert "h = new ModuleList<Heads>([.. Enumerable.Range(0, 3).Select(_ => new Heads())]);" in text
    assert "two = new ModuleList<Linear>([.. Enumerable.Range(0, 2).Select(_ => Linear(4, 4))]);" in text


class LayerNorm(nn.Module):
    """A class of the user's that bears a layer's name."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Kernel(nn.Module):
    def __init__(self, size: tuple[int, int] = (1, 3)) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class Norms(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.theirs, self.plain = LayerNorm(), nn.LayerNorm(4)
        self.one, self.other = Kernel(), Kernel((3, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(self.one(self.plain(self.theirs(x))))


def test_a_class_has_another_name_than_the_layers_of_torchsharp_that_the_model_has(ported: Callable[..., Port]) -> None:
    text = ported(Norms, torch.rand(1, 1, 4, 4)).files
    assert "theirs = new LayerNorm2();" in text["Norms.cs"]
    assert "plain = LayerNorm(4);" in text["Norms.cs"]
    assert "LayerNorm2.cs" in text


def test_a_parameter_has_no_default_that_is_no_constant_of_csharp(ported: Callable[..., Port]) -> None:
    text = ported(Norms, torch.rand(1, 1, 4, 4)).files["Kernel.cs"]
    assert "public Kernel((long, long)? size = null)" in text


def test_functions_that_differ_between_instances_are_parameters(ported: Callable[..., Port]) -> None:
    files = ported(everyday.Turning, torch.rand(2, 3, 8)).files
    assert "public Convolution(long width, Func<Tensor, Tensor>? act = null)" in files["Convolution.cs"]
    assert "return act(conv.call(x));" in files["Convolution.cs"]
    assert "first = new Convolution(3);" in files["Turning.cs"]
    assert "last = new Convolution(width, x => torch.tanh(x));" in files["Turning.cs"]


class Shifting(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.shift = lambda x: x + by

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shift(x)


class Shifts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Shifting(1.0), Shifting(2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def test_functions_of_the_models_own_that_differ_are_not_taken_for_one(ported: Callable[..., Port]) -> None:
    text = ported(Shifts, torch.rand(2)).files["Shifting.cs"]
    assert "cannot be written\n    public override" in text, "from its graph, in which the numbers differ"
    assert "public Shifting(double by)" in text


def test_a_tensor_that_is_no_buffer_is_computed_after_components_are_registered(ported: Callable[..., Port]) -> None:
    text = ported(everyday.Turning, torch.rand(2, 3, 8)).files["Turning.cs"]
    assert "        RegisterComponents();\n        this.turns = turns;\n    }" in text
    assert "private readonly Tensor turns;" in text
    assert "register_buffer" not in text


def test_a_class_is_not_named_as_those_that_a_port_has(ported: Callable[..., Port]) -> None:
    port = ported(type("Functions", (Heads,), {}), torch.rand(2, 4))
    assert port.root == "Functions2"


class Criterion(nn.Module):
    def __call__(self, prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return (prediction - target).abs()


class Judging(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.criterion = Criterion()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.criterion(x, x * 2)


def test_a_call_of_its_own_is_the_forward_of_a_class_without_one(ported: Callable[..., Port]) -> None:
    port = ported(Judging, torch.rand(2))
    assert port.left == ()
    assert "public override Tensor forward(Tensor prediction, Tensor target)" in port.files["Criterion.cs"]
    assert "return criterion.call(x, x * 2);" in port.files["Judging.cs"]
    assert ported(Criterion, torch.rand(2), torch.rand(2)).inputs == ("prediction", "target")


class Scaling(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, width), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2


def test_a_chain_that_calls_the_forward_of_chains_takes_its_children(ported: Callable[..., Port]) -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scaling = Scaling(4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.scaling(x)

    port = ported(Two, torch.rand(2, 4))
    assert port.left == ()
    assert 'new Scaling(("0", Linear(4, 4)), ("1", ReLU()))' in port.files["Two.cs"]
    assert "foreach (var (_, module) in entries)" in port.files["Scaling.cs"]


class Activated(nn.Module):
    def __init__(self, width: int, act: type[nn.Module] | None = nn.ReLU, strides: list[tuple[int, ...]] = []) -> None:  # noqa: B006  # a default that timm has
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.act = nn.Identity() if act is None else act()
        self.strides = strides

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for stride in self.strides:
            x = x.view(x.shape[0], *stride, -1).flatten(1)
        return self.act(self.linear(x))


def meshed(*axes: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.meshgrid(*axes, indexing="ij")


def positions(size: int) -> torch.Tensor:
    return torch.stack(meshed(torch.arange(size), torch.arange(size))).flatten(1).sum(0)


class Staged(nn.Module):
    """A class whose constructor has no translation."""

    def __init__(self, first: type[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([first(4), Activated(4, None, [(2, 2)])])
        self.register_buffer("places", positions(2), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x + self.places


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Staged(Activated), Staged(nn.LayerNorm)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def test_arguments_of_a_constructor_by_instances_have_the_types_of_parameters(ported: Callable[..., Port]) -> None:
    port = ported(Twice, torch.rand(2, 4))
    assert port.left == ()
    assert "public Activated(long width, bool act = true, List<long[]>? strides = null)" in port.files["Activated.cs"]
    staged = port.files["Staged.cs"]
    assert "new Activated(4, act: false, strides: [[2, 2]])" in staged
    assert "layers = new ModuleList<Module<Tensor, Tensor>>(" in staged
    assert "meshed(torch.arange(size), torch.arange(size))" in port.files["Functions.cs"]


class Numbered(nn.Sequential):
    """Calls its children itself, by number."""

    def __init__(self, *parts: nn.Module) -> None:
        super().__init__(*parts)

    def forward(self, x: torch.Tensor, seen: list[torch.Tensor]) -> torch.Tensor:
        for number, part in enumerate(self):
            seen.append(part(seen[-1] if number else x))
        return torch.cat(seen)


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = Numbered(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts(x, [x])


def test_a_chain_numbers_its_children(ported: Callable[..., Port]) -> None:
    port = ported(Counting, torch.rand(2, 4))
    assert port.left == ()
    assert "in entries.Select(entry => entry.Item2).Select((one, number)" in port.files["Numbered.cs"]


class Chosen(nn.Module):
    def __init__(self, doubles: bool) -> None:
        super().__init__()
        self.forward = self.doubled if doubles else self.halved

    def doubled(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def halved(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2


class Choosing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Sequential(Chosen(False), Chosen(False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts(x)


def test_a_method_that_is_set_as_forward_is_the_forward(ported: Callable[..., Port]) -> None:
    port = ported(Choosing, torch.rand(2, 4))
    assert port.left == ()
    text = port.files["Chosen.cs"]
    assert "public override Tensor forward(Tensor x)\n    {\n        return x / 2;" in text
    assert "doubled" not in text
