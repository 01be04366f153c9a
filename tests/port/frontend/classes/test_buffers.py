"""buffers.py: buffers that are in no state_dict, as the constructor computes them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable

import torch
from torch import nn

from bridge.port.frontend.classes.buffers import computed
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port
from tests.port import styles


class Noise(nn.Module):
    """What it has at random cannot be computed again."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("noise", torch.rand(100), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.noise


def test_the_lines_that_lead_to_them_stand_in_the_constructor(ported: Callable[..., Port]) -> None:
    text = ported(styles.Tied, torch.tensor([[1, 2]])).files["Rotary.cs"]
    body = text[text.index('base("Rotary")') :].split("}\n")[0]
    assert [line.strip() for line in body.splitlines()[2:] if line.strip()] == [
        "var turns = 1.0 / torch.pow(root, torch.arange(0, width, 2).@float() / width);",
        "var angles = torch.outer(torch.arange(longest).@float(), turns); // [longest, width / 2]",
        "var table = torch.cat([angles, angles], -1);",
        "cos = table.cos();",
        'register_buffer("cos", cos, persistent: false);',
        "sin = table.sin();",
        'register_buffer("sin", sin, persistent: false);',
        "mask = torch.triu(torch.full(longest, longest, double.NegativeInfinity), 1);",
        'register_buffer("mask", mask, persistent: false);',
        "RegisterComponents();",
    ]


def test_sizes_that_differ_are_parameters(ported: Callable[..., Port]) -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = styles.Rotary(4), styles.Rotary(8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.b(torch.cat([self.a(x), x], -1))

    text = ported(Two, torch.rand(2, 3, 4)).files["Rotary.cs"]
    assert "public Rotary(long width, long longest = 16, double root = 10000.0)" in text
    assert "torch.arange(0, width, 2).@float() / width);" in text


def test_other_values_than_the_module_has_are_none() -> None:
    module, given = construct(Noise)
    assert computed(Noise, ["noise"], [module], given) == []
    table, given = construct(lambda: styles.Rotary(4))
    (found,) = computed(styles.Rotary, ["cos", "sin", "mask"], [table], given)
    assert list(found.registered) == ["cos", "sin", "mask"]
    table.cos += 1
    (found,) = computed(styles.Rotary, ["cos", "sin", "mask"], [table], given)
    assert list(found.registered) == ["sin", "mask"]


class Offsets(nn.Module):
    """A table that is computed by loops, and copied into a buffer."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("index", torch.empty(size**2, size**2, dtype=torch.int64), persistent=False)
        self.fill()

    def fill(self) -> None:
        device = self.index.device
        points = list(itertools.product(range(self.size), range(self.size)))
        seen: dict[tuple[int, int], int] = {}
        found = []
        for a in points:
            for b in points:
                found.append(seen.setdefault((abs(a[0] - b[0]), abs(a[1] - b[1])), len(seen)))
        self.index.copy_(torch.tensor(found, device=device).view(len(points), -1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.index.sum()


def test_lists_and_dictionaries_that_methods_change_are_computed_again(ported: Callable[..., Port]) -> None:
    module, given = construct(lambda: Offsets(3))
    (found,) = computed(Offsets, ["index"], [module], given)
    text = ast.unparse(found.method.tree)
    assert "device = None" in text
    assert "points = list" in text
    assert "found.append(" in text
    assert torch.equal(found.method.function(module)[0], module.index)
    assert ported(lambda: Offsets(3), torch.rand(2)).left == ()


def test_what_cannot_be_computed_is_left_where_it_is_read(ported: Callable[..., Port]) -> None:
    port = ported(Noise, torch.rand(100))
    (left,) = port.left
    assert left.where == "Noise.forward"
    assert left.place.startswith("test_buffers.py:")
    assert left.why.startswith(
        "self.noise is a buffer that is not in the state_dict: no line that runs when the model is made"
    )
    assert "register_buffer" not in port.files["Noise.cs"]
    assert "throw new NotImplementedException" in port.files["Noise.cs"]


class Unread(Noise):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def test_what_no_method_reads_is_not_missed(ported: Callable[..., Port]) -> None:
    assert ported(Unread, torch.rand(100)).left == ()


def test_a_method_that_the_constructor_calls_fills_them(ported: Callable[..., Port]) -> None:
    text = ported(styles.Biases, torch.rand(2, 6, 6)).files["Biased.cs"]
    body = text[text.index('base("Biased")') :].split("}\n")[0]
    assert [line.strip() for line in body.splitlines()[2:] if line.strip()] == [
        "size = (height, width);",
        "biases = new Parameter(torch.randn(2, height * width));",
        "gain = scaled ? new Parameter(torch.ones(2)) : null;",
        "places = torch.empty(height * width, height * width, torch.int64);",
        'register_buffer("places", places, persistent: false);',
        "kept = new Dictionary<string, Tensor>();",
        "reset();",
        "RegisterComponents();",
    ]
    assert "private Tensor _distances(Device? device = null)" in text, "a device that was None in all runs"


class Helping(styles.Biased):
    """What forward does to the values of a tensor has no source in C#."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.detach().numpy()) + self.bias(x.device).sum()


def test_what_the_constructor_calls_stays_where_forward_is_left(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Helping(2, 3), torch.rand(2, 6, 6))
    assert [left.where for left in port.left] == ["Helping.forward"]
    assert "private Tensor _distances(Device? device = null)" in port.files["Helping.cs"]


class Filled(nn.Module):
    """As timm makes buffers: empty at first, and filled where they are there."""

    def __init__(self, size: int = 9, table: bool = True) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("bias", torch.empty(100), persistent=False)
        self.register_buffer("table", torch.empty(size + 1, size + 1) if table else None, persistent=False)
        self.other = nn.Parameter(torch.rand(3)[:2].clone())
        self.fill()

    def fill(self) -> None:
        if self.bias is not None:
            self.bias.zero_()
        if self.table is not None:
            self.table.copy_(torch.arange((self.size + 1) ** 2).view(self.size + 1, self.size + 1) * 2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.table + self.bias.sum() + self.other.sum()


def test_branches_that_all_instances_take_fill_buffers() -> None:
    module, given = construct(Filled)
    (found,) = computed(Filled, ["table"], [module], given)
    assert list(found.registered) == ["table"]


def test_a_buffer_of_one_number_is_made_of_it(ported: Callable[..., Port]) -> None:
    made = ported(Filled, torch.rand(2, 10))
    assert made.left == ()
    assert "100" in made.files["Filled.cs"]


class Masked(nn.Module):
    """A block whose mask is made by a method unless the window is not shifted; the mask is None in some instances."""

    def __init__(self, size: int, shift: int, gain: type) -> None:
        super().__init__()
        self.size, self.shift, self.dynamic = size, shift, False
        self.register_buffer("mask", None, persistent=False)
        self.register_buffer("zeros", torch.empty(size, dtype=torch.float64), persistent=False)
        self.fill()

    def fill(self) -> None:
        if not self.dynamic:
            mask = self.made(self.zeros.dtype)
            self.register_buffer("mask", mask, persistent=False)
        if self.zeros is not None:
            self.zeros.zero_()

    def made(self, dtype: torch.dtype) -> torch.Tensor | None:
        return torch.ones(self.size, dtype=dtype).cumsum(0) if self.shift else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.mask is not None:
            x = x + self.mask.sum()
        return x + self.zeros.sum()


class Shifted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Masked(2, 0, int), Masked(3, 1, float)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def test_a_buffer_that_is_none_in_some_instances_is_registered_in_the_others(ported: Callable[..., Port]) -> None:
    port = ported(Shifted, torch.rand(2))
    assert port.left == ()
    text = port.files["Masked.cs"]
    assert "private readonly Tensor? mask;" in text
    assert "zeros = torch.zeros(size, torch.float64);" in text
    body = text[text.index("var mask =") :].split("zeros =")[0]
    assert [line.strip() for line in body.splitlines() if line.strip()] == [
        "var mask = made(torch.float64);",
        "this.mask = mask;",
        "if (this.mask is not null)",
        "{",
        'register_buffer("mask", this.mask, persistent: false);',
        "}",
    ]


class Persistent(nn.Module):
    """A buffer of the state_dict that is None in some instances, made by lines that have no translation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        table = {3: memoryview(b"abc")}.get(width)
        self.register_buffer("shift", None if table is None else torch.tensor(list(table)) / 255)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if self.shift is None else x + self.shift


class TwoWidths(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Persistent(3), Persistent(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def test_a_buffer_of_the_state_dict_may_be_none_in_some_instances(ported: Callable[..., Port]) -> None:
    port = ported(TwoWidths, torch.rand(2, 3))
    assert port.left == ()
    text = port.files["Persistent.cs"]
    body = text[text.index('base("Persistent")') :].split("RegisterComponents")[0]
    assert [line.strip() for line in body.splitlines()[2:] if line.strip()] == [
        "shift = hasShift ? torch.zeros(3) : null;",
        "if (shift is not null)",
        "{",
        'register_buffer("shift", shift);',
        "}",
    ]


class Remembering(nn.Module):
    """A model whose state is drawn at random, is in no state_dict, and is replaced by each call."""

    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.hidden = torch.randn((2, width))
        self.layer = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor, first: torch.Tensor | None = None) -> torch.Tensor:
        if first is not None:
            self.hidden.copy_(first)
        self.hidden = self.layer(torch.cat((x, self.hidden), dim=1)).tanh()
        return self.hidden


def test_a_state_that_is_drawn_and_replaced_is_drawn_in_cs_too(ported: Callable[..., Port]) -> None:
    port = ported(Remembering, torch.rand(2, 3), torch.rand(2, 3))
    assert port.left == ()
    text = port.files["Remembering.cs"]
    assert "hidden = torch.randn(2, 3);" in text
    assert "public Tensor hidden { get; private set; }" in text
