"""Calls of einops, and its layers, as calls of helpers that read the pattern: ``PythonMath.Rearrange(x, "b n d -> b d n")``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import INT, STR

#: The arguments of layers that are no lengths of axes.
_WORDS: Final = ("pattern", "reduction")


def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return the call of the function's helper, with the lengths of axes as pairs: ``("h", n)``."""
    lengths = {one.name: one.value for one in node.keywords}
    helper = node.name.rpartition(".")[2].capitalize()
    return emission.helper(helper, *emission.expressions(node.arguments), *_pairs(emission, lengths))


def lower_layer(emission: Emission, kind: type, given: Mapping[str, ir.Expression]) -> tree.Expression | None:
    """Return the call of the helper that returns the layer; None for arguments that are no strings and ints."""
    if any(value.type != (STR if name in _WORDS else INT) for name, value in given.items()):
        return None
    words = [emission.expression(given[name]) for name in _WORDS if name in given]
    lengths = {name: value for name, value in given.items() if name not in _WORDS}
    return emission.helper(f"{kind.__name__}Layer", *words, *_pairs(emission, lengths))


def _pairs(emission: Emission, lengths: Mapping[str, ir.Expression]) -> list[tree.Expression]:
    return [tree.Tuple((tree.Literal(axis), emission.expression(value))) for axis, value in lengths.items()]
