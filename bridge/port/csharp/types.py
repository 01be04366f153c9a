"""C#'s types for the types of the IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.ir import types as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Origin

_NOWHERE: Final = Origin()

TENSOR: Final = tree.Type("Tensor")
LONG: Final = tree.Type("long")
VOID: Final = tree.Type("void")
SIZES: Final = tree.ArrayType("long[]", (LONG,))

_PRIMITIVES: Final = {
    ir.INT: LONG,
    ir.FLOAT: tree.Type("double"),
    ir.BOOL: tree.Type("bool"),
    ir.STR: tree.Type("string"),
    ir.TENSOR: TENSOR,
    ir.DTYPE: tree.Type("ScalarType"),
    ir.DEVICE: tree.Type("Device"),
    ir.SIZES: SIZES,
    ir.OBJECT: tree.Type("object"),
    ir.PACKED: tree.Type("torch.nn.utils.rnn.PackedSequence"),
    # A value that is None in every run: the optional values of PyTorch are tensors more often than anything else.
    ir.NONE: tree.Type("Tensor", nullable=True),
}
_CONTAINERS: Final = {ir.ListOf: "List", ir.SetOf: "HashSet", ir.IteratorOf: "IEnumerable"}
_STRUCTS: Final = frozenset({"long", "double", "bool", "ScalarType", "Scalar"})


def csharp_type(found: ir.Type, module_type: Callable[[type], tree.Type], origin: Origin = _NOWHERE) -> tree.Type:
    """Return the C# type for a type of Python; ``module_type`` returns the C# type for a class of modules.

    Raises Untranslatable for UNKNOWN.
    """
    if found in _PRIMITIVES:
        return _PRIMITIVES[found]
    if ir.is_choice(found):
        return _PRIMITIVES[ir.BOOL]
    if isinstance(found, ir.OptionalOf):
        return nullable(csharp_type(found.inner, module_type, origin))
    if isinstance(found, (ir.ListOf, ir.SetOf, ir.IteratorOf)):
        return tree.Type(_CONTAINERS[type(found)], (_element(found.element, module_type, origin),))
    if isinstance(found, ir.DictOf):
        return tree.Type("Dictionary", tuple(_element(one, module_type, origin) for one in (found.key, found.value)))
    if isinstance(found, ir.TupleOf):
        return _tuple(found, module_type, origin)
    if isinstance(found, ir.ModuleOf):
        return module_type(found.kind)
    if isinstance(found, ir.ModulesOf):
        return _modules(found, module_type, origin)
    if isinstance(found, ir.FunctionOf):
        return _function(found, module_type, origin)
    raise Untranslatable(origin, "a value whose type no run showed")


def nullable(found: tree.Type) -> tree.Type:
    """Return ``T?``."""
    if isinstance(found, tree.TupleType):
        return tree.TupleType(found.name, found.arguments, True, found.names)
    return type(found)(found.name, found.arguments, True)


def required(found: tree.Type) -> tree.Type:
    """Return the type without its ``?``."""
    if isinstance(found, tree.TupleType):
        return tree.TupleType(found.name, found.arguments, False, found.names)
    return type(found)(found.name, found.arguments)


def is_struct(found: tree.Type) -> bool:
    """Return whether a type is a struct, so that ``T?`` is ``Nullable<T>``, with the property ``Value``."""
    return isinstance(found, tree.TupleType) or found.name in _STRUCTS


def array(element: tree.Type) -> tree.ArrayType:
    """Return ``element[]``."""
    return tree.ArrayType("[]", (element,))


def tuple_type(items: tuple[tree.Type, ...]) -> tree.Type:
    """Return ``(A, B)``; the type of a single item itself, since C# has no syntax for a tuple of one item."""
    return items[0] if len(items) == 1 else tree.TupleType("", items)


def _element(found: ir.Type, module_type: Callable[[type], tree.Type], origin: Origin) -> tree.Type:
    """Return the type of a container's elements; Tensor for a container that is always empty, where any type would do."""
    return TENSOR if found == ir.UNKNOWN else csharp_type(found, module_type, origin)


def _tuple(found: ir.TupleOf, module_type: Callable[[type], tree.Type], origin: Origin) -> tree.Type:
    items = tuple(_element(one, module_type, origin) for one in found.items)
    return tuple_type(items) if items else tree.Type("ValueTuple")


def _modules(found: ir.ModulesOf, module_type: Callable[[type], tree.Type], origin: Origin) -> tree.Type:
    if issubclass(found.kind, nn.Sequential):
        return tree.Type("Sequential")
    if issubclass(found.kind, (nn.ParameterList, nn.ParameterDict)):
        return tree.Type(found.kind.__name__)
    name = "ModuleDict" if issubclass(found.kind, nn.ModuleDict) else "ModuleList"
    return tree.Type(name, (csharp_type(found.element, module_type, origin),))


def _function(found: ir.FunctionOf, module_type: Callable[[type], tree.Type], origin: Origin) -> tree.Type:
    parameters = tuple(csharp_type(one, module_type, origin) for one in found.parameters)
    if found.result == ir.NONE:
        return tree.Type("Action", parameters)
    return tree.Type("Func", (*parameters, csharp_type(found.result, module_type, origin)))
