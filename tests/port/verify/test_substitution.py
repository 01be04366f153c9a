"""substitution.py: in a module's place the original's forward runs, with the C# children; tests/commands/test_port.py has the whole way."""

from __future__ import annotations

from pathlib import Path

import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.weights import share
from bridge.port.methods import Left
from bridge.port.porting import Port
from bridge.port.verify.report import report_lines
from bridge.port.verify.substitution import substitute_forwards
from bridge.samples.lenet import LeNet


class Scaled(LeNet):
    """What its forward reads of itself is in no C# module."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * self.scale


def test_the_originals_forward_runs_with_the_children_of_csharp() -> None:
    original, port = Scaled(), bridge.load(bridge.sample("Vision.dll"), "Vision.LeNet")
    share("python", original, port)
    x = torch.rand(2, 1, 28, 28)
    assert not torch.equal(original(x), port(x))
    assert substitute_forwards(original, port, [Scaled], {"x": x}) == {""}
    found = compare(original, port, Inputs((x,)), train=True, backward=True)
    assert found.same, found.verdict
    assert {event.path for event in found.dotnet.trace} == {name for name, _ in port.named_modules()}
    with torch.no_grad():
        port.fc3.bias += 1  # type: ignore[union-attr, operator]  # its children and their weights are C#'s
    assert not compare(original, port, Inputs((x,))).same


def test_only_modules_of_the_kinds_are_replaced() -> None:
    port = bridge.load(bridge.sample("Vision.dll"), "Vision.LeNet")
    assert substitute_forwards(LeNet(), port, [], {}) == frozenset()
    assert substitute_forwards(LeNet(), port, [Scaled], {}) == frozenset()
    assert "forward" not in vars(port)


def test_the_report_says_where_nothing_could_be_compared() -> None:
    port = Port({}, "Net", (Left("net.py:3", "Net.forward", "no such"),), ())
    built, left, _ = report_lines(Path("Net"), port, [])
    assert built == "Built, 1 place left to do. Not compared: no call ran in C#."
    assert left == "Left to do: Net.forward (net.py:3): no such."
    *_, why, _ = report_lines(Path("Net"), port, None, "error CS0103: no such.")
    assert why == "Neither built nor compared: error CS0103: no such."


class Raises(LeNet):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no good today")


def test_the_report_says_once_what_was_raised_at_several_shapes() -> None:
    port = bridge.load(bridge.sample("Vision.dll"), "Vision.LeNet")
    found = compare(Raises(), port, Inputs((torch.rand(1, 1, 28, 28),)))
    lines = report_lines(Path("Net"), Port({}, "Net", (), ()), [("(1, 1, 28, 28)", found), ("(2, 1, 28, 28)", found)])
    assert [line.partition(":")[0].strip() for line in lines] == ["(1, 1, 28, 28)", "pytorch", "(2, 1, 28, 28)", "Net"]
    assert "no good today" in lines[1]
