"""Passes over the intermediate representation, each from a function to a function."""

from __future__ import annotations

from bridge.port.ir.nodes import Function
from bridge.port.passes.declarations import declare
from bridge.port.passes.folding import fold
from bridge.port.passes.logic import simplify_logic
from bridge.port.passes.loops import count_ranges
from bridge.port.passes.naming import rename
from bridge.port.passes.pruning import prune
from bridge.port.passes.unused import drop_unused


def run(function: Function, taken: frozenset[str] = frozenset()) -> Function:
    """Return the function as C# can be made of it; ``taken`` are names that C# gives something else in it."""
    pruned: Function = prune(function)
    counted = count_ranges(simplify_logic(fold(pruned)))
    return rename(declare(drop_unused(counted)), taken)
