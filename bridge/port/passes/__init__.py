"""Passes over the intermediate representation, each from a function to a function."""

from __future__ import annotations

from bridge.port.ir.nodes import Function
from bridge.port.passes.aliases import alias_inputs
from bridge.port.passes.declarations import declare
from bridge.port.passes.folding import fold
from bridge.port.passes.guards import hoist
from bridge.port.passes.logic import simplify_logic
from bridge.port.passes.loops import count_ranges
from bridge.port.passes.naming import rename
from bridge.port.passes.pruning import prune
from bridge.port.passes.unused import drop_unused


def run(function: Function, taken: frozenset[str] = frozenset(), *, chained: bool = False) -> Function:
    """Return the function in the form that is lowered to C#; ``taken`` are names that mean something else in C#.

    ``chained`` says that the function is the forward of a child of a Sequential.
    """
    pruned: Function = hoist(prune(function))
    used = drop_unused(count_ranges(simplify_logic(fold(pruned))))
    return rename(declare(alias_inputs(used) if chained else used), taken)
