"""All modules of probes: to import this is to register every probe."""

from __future__ import annotations

from typing import Final

from tests.port.semantics import (
    aliasing,
    booleans,
    branches,
    calls,
    classes,
    containers,
    floats,
    integers,
    loops,
    optional_values,
    patterns,
    state,
    strings,
    tensors,
)

THEMES: Final = (
    integers, floats, booleans, strings, containers, optional_values, branches, loops, tensors, patterns, aliasing, state, calls, classes,
)  # fmt: skip
