"""record.py: a class whose source cannot be translated is written from its graph, and calls its children."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bridge.port.porting import Port


class Metaprogrammed(nn.Module):
    """Its forward is put together in a way that no source shows."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.gain = nn.Parameter(torch.ones(8))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        steps = [*(lambda y, layer=layer: layer(y) for layer in self.layers), lambda y: y * self.gain]
        for step in steps:
            x = step(x)
        batch, length, _ = x.shape
        split = x.view(batch, length, self.heads, -1).transpose(1, 2)
        split += 1
        return split[:, 0], nn.functional.dropout(1 - x, 0.5, self.training)


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Metaprogrammed(2), Metaprogrammed(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.first(x)[1] + self.second(x)[1]


class Deciding(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return eval("x if x.sum() > 0 else -x")


def test_children_are_called_and_sizes_are_followed(ported: Callable[..., Port]) -> None:
    port = ported(Pair, torch.rand(2, 3, 8))
    assert port.left == ()
    assert {one.where: one.how for one in port.wrote if not one.constructs} == {
        "Metaprogrammed.forward": "graph",
        "Pair.forward": "source",
    }
    text = port.files["Metaprogrammed.cs"]
    assert "// From its graph, in eval mode, for its source could not be translated: test_record.py:" in text
    body = [line.strip() for line in text[text.index(" forward(") :].splitlines()[2:-2]]
    assert body == [
        "var linear = layers[0].call(x);",
        "var linear2 = layers[1].call(linear);",
        "var mul = linear2 * gain;",
        "var view = mul.view(mul.shape[0], mul.shape[1], heads, -1);",
        "var transpose = view.transpose(1, 2);",
        "transpose.add_(1);",
        "var getitem = transpose[.., 0];",
        "var rsub = 1 - mul;",
        "var dropout = F.dropout(rsub, training: training);",
        "return (getitem, dropout);",
    ]
    assert "public Metaprogrammed(long heads)" in text, "a number that differs between instances is a parameter"


def test_what_depends_on_the_values_of_a_tensor_is_not_written_from_one_run(ported: Callable[..., Port]) -> None:
    (left,) = ported(Deciding, torch.rand(2, 3)).left
    assert "its graph: what it does depends on the values of a tensor (__bool__)" in left.why
