"""differences.py: what a graph fixes is listed, and instances that differ in numbers alone have one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.graphs.differences import fixed_places
from bridge.port.observe.sources import read_method
from bridge.port.porting import Port


class Scaled(nn.Module):
    """Its forward is put together in a way that no source shows."""

    def __init__(self, scale: float, other: bool = False) -> None:
        super().__init__()
        self.scale, self.other = scale, other

    def forward(self, x: torch.Tensor, mask: Any = None, unread: Any = None) -> torch.Tensor:
        for step in [*(lambda y, n=n: y * self.scale + n for n in range(2))]:
            x = step(x)
        x = -x if self.other else x
        return F.dropout(F.scaled_dot_product_attention(x, x, x, mask), 0.1, self.training)


class Both(nn.Module):
    def __init__(self, *scales: float, other: bool = False) -> None:
        super().__init__()
        self.first, self.second = Scaled(scales[0]), Scaled(scales[1], other)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.first(x, None) + self.second(x, None)


def test_arguments_branches_loops_and_the_mode_are_listed_by_their_lines() -> None:
    method = read_method(Scaled.forward)
    assert method is not None
    found = [one.partition(": ")[2] for one in fixed_places(method, ["mask", "unread"])]
    assert found == [
        "mask is None",
        "how often the loop over '[*(lambda y, n=n: y * self.scale + n for n in range(2))]' ran",
        "which way 'self.other' went",
        "self.training is False",
    ]


def test_an_argument_that_was_none_is_in_the_report(ported: Callable[..., Port]) -> None:
    port = ported(lambda: Both(2.0, 3.0), torch.rand(2, 3, 4))
    assert port.left == ()
    (graph,) = (one for one in port.wrote if one.how == "graph")
    assert graph.fixed[0].startswith("Fixed as it was in that run: ")
    assert graph.fixed[0].endswith(": mask is None")


def test_numbers_in_which_instances_differ_are_fields(ported: Callable[..., Port]) -> None:
    text = ported(lambda: Both(2.0, 3.0), torch.rand(2, 3, 4)).files["Scaled.cs"]
    assert "private readonly double scale;" in text
    assert "x * scale" in text


def test_instances_that_run_otherwise_have_no_graph(ported: Callable[..., Port]) -> None:
    (left,) = ported(lambda: Both(2.0, 3.0, other=True), torch.rand(2, 3, 4)).left
    assert left.why.endswith("its graph: its instances differ in what runs")
