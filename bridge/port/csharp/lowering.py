"""The one place that knows how each construct is lowered to C#: the rooms below it go from one to another through Emission alone."""

from __future__ import annotations

from typing import Any

from bridge.port.csharp import expressions
from bridge.port.csharp.bodies import statements
from bridge.port.csharp.calls import torch_calls
from bridge.port.csharp.emission import Emission


def begin(**names: Any) -> Emission:
    """Return the state with which lowering begins; ``names`` are fields of Emission."""
    return Emission(
        lower_expression=expressions.lower,
        lower_statements=statements.lower_all,
        lower_function=torch_calls.function_of,
        **names,
    )
