"""The start of lowering to C#: Emission gets the functions through which the modules of this package lower each other's nodes."""

from __future__ import annotations

from typing import Any

from bridge.port.csharp import expressions
from bridge.port.csharp.bodies import statements
from bridge.port.csharp.calls import torch_calls
from bridge.port.csharp.emission import Emission


def begin(**names: Any) -> Emission:
    """Return the initial state of lowering; ``names`` are values for fields of Emission."""
    return Emission(
        lower_expression=expressions.lower,
        lower_statements=statements.lower_all,
        lower_function=torch_calls.function_of,
        **names,
    )
