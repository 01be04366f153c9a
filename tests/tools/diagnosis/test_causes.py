"""diagnosis.causes: an operator is a cause where undoing its statement, or what the mutated one makes, takes the difference away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from torch import nn

from bridge.compare.findings import Finding
from diagnosis.causes import CauseCheck
from diagnosis.mutants import Mutant

TREE = {"": "UNet", "up1": "Up", "up1.conv": "DoubleConv"}
#: ``var diffY = x2.size(2) - x1.size(2);`` of UNet.cs takes another dim; the statement after next uses it.
MUTANT = Mutant(
    id="M000",
    kind="other dim",
    file="UNet.cs",
    line=92,
    first=92,
    last=92,
    owner_class="Up",
    children=[],
    owner=True,
    findings=["operator"],
    words=[["size"]],
    before="",
    after="",
    subject="UNet",
    library=Path("UNet.dll"),
)


class Net(nn.Module):
    """A model with a module of its own class at ``up1``."""

    def __init__(self, deep: bool = True) -> None:
        super().__init__()
        if deep:
            self.up1 = Net(deep=False)


def judged(kind: str, path: str, message: str, source: str = "") -> str:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("an operator is judged by the sources")

    return CauseCheck(MUTANT, TREE, Net(), never, never).refute(Finding(kind, path, message, source=source))


@pytest.mark.parametrize("source", ["UNet.cs:92", "M000/UNet.cs:92"])
def test_the_mutated_statement_is_one(source: str) -> None:
    assert judged("operator", "up1", "up1 (Up): size is missing in dotnet.", source) == ""


def test_what_the_mutated_statement_makes_is_one_where_it_is_another_argument() -> None:
    said = "up1 (Up): pad: pad (0, 1, 0, 0) in pytorch, (0, 1, 1, 1) in dotnet; the input of conv differs."
    assert judged("operator", "up1", said, "UNet.cs:94") == ""
    assert judged("operator", "up1", said, "UNet.cs:91")
    assert judged("operator", "", said, "UNet.cs:30")


def test_what_is_said_to_be_missing_or_too_many_has_to_be_the_mutated_operator() -> None:
    assert judged("operator", "up1", "up1 (Up): dotnet calls pad, pytorch does not.", "UNet.cs:94")
    assert judged("operator", "up1", "up1 (Up): size of pytorch is missing in dotnet.", "UNet.cs:94") == ""


def test_what_was_seen_states_no_cause() -> None:
    assert judged("values", "up1.conv", "result differs by up to 3.") == ""
