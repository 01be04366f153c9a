"""Models of a few lines, written as C# without building them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torch import nn

from bridge.compare.io.inputs import Inputs
from bridge.port.forwards.constructors import constructors
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port, write
from tests.port.compiled import sources, written

__all__ = ["sources", "written"]


@pytest.fixture
def ported() -> Callable[..., Port]:
    """Write the model that a factory makes, run with these inputs."""

    def port(factory: Callable[[], nn.Module], *inputs: Any) -> Port:
        model, given = construct(factory, constructors)
        return write(model, given, Inputs(inputs).bind(model.eval()), "Ported")

    return port


@pytest.fixture
def lines(ported: Callable[..., Port]) -> Callable[..., list[str]]:
    """Return the lines of the C# forward of a class's only instance, without indentation."""

    def forward(kind: type[nn.Module], *inputs: Any) -> list[str]:
        port = ported(kind, *inputs)
        assert port.left == ()
        text = port.files[f"{kind.__name__}.cs"]
        body = text[text.index(" forward(") :].split("\n    }\n")[0]
        return [line.strip() for line in body.splitlines()[2:]]

    return forward
