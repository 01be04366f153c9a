"""Conversion of TorchSharp's results to the types that they have in Python: arrays to lists and tuples, tuples to other tuples."""

from __future__ import annotations

from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, refused
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import TENSOR
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

_NUMBERS: Final = {types.INT: ("long", "int"), types.FLOAT: ("double", "float"), types.BOOL: ("bool",)}
_SEQUENCES: Final = frozenset({"IEnumerable", "IList", "ICollection"})
#: Functions of which PyTorch returns the first result alone, unless a flag asks for the others.
_FIRST: Final = frozenset({"unique", "unique_consecutive"})


def is_array(found: tree.Type) -> bool:
    """Return whether a result is an array or sequence of tensors."""
    return found.arguments == (TENSOR,) and (isinstance(found, tree.ArrayType) or found.name in _SEQUENCES)


def adapted(emission: Emission, node: ir.Expression, made: tree.Expression, found: tree.Type) -> tree.Expression:
    """Return ``made``, a result of C# type ``found``, converted to the type of ``node``. Raises Untranslatable if it cannot be."""
    wanted = types.required(node.type)
    if wanted in (types.UNKNOWN, types.NONE) or found.name == "void":
        return made
    if is_array(found):
        return _of_array(emission, node, made, wanted)
    if isinstance(found, tree.TupleType) or found.name == "Tuple":
        return _of_tuple(emission, node, made, found, wanted)
    fits = (
        found.name in _NUMBERS[wanted] if wanted in _NUMBERS else (found.name == "Tensor") == (wanted == types.TENSOR)
    )
    if not fits:
        raise refused(node, f"a call that gives a {found.name} in TorchSharp, and a {wanted} in PyTorch")
    return made


def _of_array(emission: Emission, node: ir.Expression, made: tree.Expression, wanted: types.Type) -> tree.Expression:
    if isinstance(wanted, types.IteratorOf):
        return made
    if isinstance(wanted, types.ListOf):
        return call(made, "ToList")
    if isinstance(wanted, types.TupleOf):
        return emission.helper(f"ToTuple{len(wanted.items)}", made)
    raise refused(node, f"a call that gives several tensors in TorchSharp, and a {wanted} in PyTorch")


def _of_tuple(
    emission: Emission, node: ir.Expression, made: tree.Expression, found: tree.Type, wanted: types.Type
) -> tree.Expression:
    name = node.function.__name__ if isinstance(node, ir.TorchCall) else ""
    if wanted == types.TENSOR and name in _FIRST:
        return tree.Member(made, "Item1")
    count = len(found.arguments)
    if isinstance(wanted, types.TupleOf) and len(wanted.items) == count:
        nested = any(isinstance(one, types.TupleOf) for one in wanted.items)
        if not nested:
            return call(made, "ToValueTuple") if found.name == "Tuple" else made
    elif isinstance(node, ir.ModuleCall) and isinstance(wanted, types.TupleOf) and count == 3:
        return emission.helper("NestedState", made)  # the result of an LSTM
    raise refused(node, f"a call that gives {count} results in TorchSharp, and a {wanted} in PyTorch")
