"""Calls of PyTorch in text, observed, lowered and written in C#."""

from __future__ import annotations

import importlib.util
import linecache
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from bridge.port.csharp.emission import Emission
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Expression, Return
from tests.port.frontend.lowering import lower

#: What the calls read: two images, a matrix, whole numbers in the shape of an image, and values of Python's.
NAMES = ("x", "y", "m", "i", "n", "p", "flag", "sizes", "ts")
_HEAD = "import math\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def arguments() -> tuple[Any, ...]:
    """Return the values of NAMES, the same each time."""
    made = torch.Generator().manual_seed(0)
    x, y = (torch.rand(2, 3, 4, 4, generator=made) for _ in range(2))
    m = torch.rand(4, 4, generator=made)
    i = torch.randint(0, 2, (2, 3, 4, 4), generator=made)
    return x, y, m, i, 2, 0.5, True, (2, 12, 4), [m[:2], m[2:]]


def functions(calls: Iterable[str], folder: Path) -> ModuleType:
    """Return a module with a function for each call: ``f0``, ``f1``, …, in a file, for what runs is read there."""
    bodies = [f"\n\ndef f{place}({', '.join(NAMES)}):\n    return {call}\n" for place, call in enumerate(calls)]
    file = folder / "test_calls_in_text.py"
    file.write_text(_HEAD + "".join(bodies), encoding="utf-8")
    linecache.checkcache(str(file))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expression(function: Any) -> Expression:
    """Return what a function returns, in the intermediate representation."""
    (statement,) = lower(function, arguments()).body
    assert isinstance(statement, Return)
    assert statement.value is not None
    return statement.value


def written(function: Any, emission: Emission | None = None) -> str:
    """Return what a function returns in C#, in one line; ``! why`` where it has no translation."""
    try:
        made = text((emission or begin()).expression(expression(function)))
    except Untranslatable as error:
        return f"! {error.why}"
    return " ".join(made.split()).replace("( ", "(")
