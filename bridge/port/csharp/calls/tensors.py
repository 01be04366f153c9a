"""Calls that are written differently in TorchSharp than in PyTorch: ``item``, ``tolist``, ``to``, ``equal``, ``tensor``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import torch

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, is_plain, path, refused
from bridge.port.csharp.calls.fitting import Fitting, is_sequence, known, receiver
from bridge.port.csharp.calls.member_table import overloads
from bridge.port.csharp.calls.members import Call, Found, resolve
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import wide
from bridge.port.csharp.types import LONG, SIZES, TENSOR, array
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.integers import may_be_int

#: A call, and its type in TorchSharp.
Raw = tuple[tree.Expression, tree.Type]
_BOOL: Final = tree.Type("bool")
_DOUBLE: Final = tree.Type("double")
_FLOAT: Final = tree.Type("float")
#: The method that returns the element of a tensor with one element, and the C# type of its result, by the element's type.
_ITEMS: Final[Mapping[types.Type, tuple[str, tree.Type]]] = {
    types.INT: ("ToInt64", LONG),
    types.FLOAT: ("ToDouble", _DOUBLE),
    types.BOOL: ("ToBoolean", _BOOL),
}
#: The dtype of a tensor, and the C# type of its elements, by the type of an element in Python.
_ELEMENTS: Final[Mapping[types.Type | None, tuple[torch.dtype, tree.Type]]] = {
    types.INT: (torch.int64, LONG),
    types.FLOAT: (torch.float64, _DOUBLE),
    types.BOOL: (torch.bool, _BOOL),
}
#: The parameters of ``to``, by the type of an argument.
_MEANINGS: Final[Mapping[types.Type, str]] = {
    types.DTYPE: "dtype",
    types.DEVICE: "device",
    types.STR: "device",
    types.TENSOR: "other",
}
#: Arguments that do not change the values of a result.
WITHOUT_EFFECT: Final = frozenset(
    {"memory_format", "non_blocking", "pin_memory", "_stacklevel", "layout", "check_reduction"}
)


def target(emission: Emission, node: ir.TorchCall) -> tree.Expression:
    """Return the tensor whose method is called."""
    assert node.receiver is not None
    return receiver(emission, node.receiver)


def of_tensor(tensor: tree.Expression, found: Found) -> Raw:
    """Return the call of a tensor's method, and its type."""
    return tree.Call(tree.Member(tensor, found.member.name), found.arguments), found.member.result


def item(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``item()`` by the type of the element."""
    if node.type not in _ITEMS:
        raise refused(node, "item() of a tensor whose type no run showed")
    name, type_ = _ITEMS[node.type]
    return call(target(emission, node), name), type_


def listed(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``tolist()`` of a tensor with one dimension, or without dimensions."""
    if node.type in _ITEMS:
        return item(emission, node)
    element = node.type.element if isinstance(node.type, types.ListOf) else None
    if element not in _ELEMENTS:
        raise refused(node, f"tolist() that gives a {node.type}")
    dtype, type_ = _ELEMENTS[element]
    converted = call(target(emission, node), "to", emission.expression(known(dtype)))
    data = tree.Call(tree.Member(converted, "data"), (), (type_,))
    return call(call(data, "ToArray"), "ToList"), emission.type_of(node.type, node.origin)


def converted(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``to`` by the types of its arguments: a dtype, a device, both, or another tensor."""
    given: dict[str, ir.Expression] = {}
    for one in node.arguments:
        name = _meaning(one)
        if name in WITHOUT_EFFECT or (isinstance(one.value, ir.Literal) and one.value.value in (None, False)):
            continue
        if name in given or name not in ("dtype", "device", "other", "copy"):
            return None
        given[name] = one.value
    if not given:
        return target(emission, node), TENSOR
    given = {name: _or_own(node, name, value) for name, value in given.items()}
    found = resolve(emission, overloads("Tensor", "to"), Call(given, ("dtype", "device", "other", "copy")))
    return None if found is None else of_tensor(target(emission, node), found)


def _or_own(node: ir.TorchCall, name: str, value: ir.Expression) -> ir.Expression:
    """Return ``value ?? x.name`` for a dtype or device that may be None: ``x.to`` keeps the tensor's own then."""
    assert node.receiver is not None
    optional = isinstance(value.type, types.OptionalOf) and name in ("dtype", "device")
    if not optional or not is_plain(value) or not is_plain(node.receiver):
        return value
    kind = types.required(value.type)
    present = ir.Convert(value, type=kind, origin=node.origin, proven=True)
    is_given = ir.Compare("is-not", value, known(None), type=types.BOOL, origin=node.origin)
    own = ir.Property(node.receiver, name, type=kind, origin=node.origin)
    return ir.Conditional(is_given, present, own, type=kind, origin=node.origin)


def _meaning(argument: ir.Argument) -> str:
    """Return the parameter of ``to`` that an argument is for: by its type if only one parameter has that type, else by its name."""
    value, kind = argument.value, types.required(argument.value.type)
    if isinstance(value, ir.Literal) and isinstance(value.value, type):
        return "dtype"
    return _MEANINGS.get(kind, argument.name)


def equal(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``torch.equal``, which returns a bool, as ``Equals``; TorchSharp's ``equal`` compares element by element."""
    values = [*([node.receiver] if node.receiver else []), *(one.value for one in node.arguments)]
    first, second = (emission.expression(one) for one in values)
    return call(first, "Equals", second), _BOOL


# -- torch.tensor ----------------------------------------------------------------------------------------------------------


def tensor(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``torch.tensor`` of a number, or of nested lists of numbers, with PyTorch's dtype: int64, or the default dtype for floats."""
    given = {one.name: one.value for one in node.arguments if not _says_nothing(one.value)}
    data = node.arguments[0].value
    if types.required(data.type) == types.TENSOR:
        return None
    stated = "dtype" in given
    made = _written_out(emission, data, stated) or _of_list(emission, data)
    if made is None:
        raise refused(node, f"{node.function.__name__} of a {data.type}")
    value, shape, element = made
    arguments = [tree.Argument(value)]
    if len(shape) > 1:
        lengths = tuple(tree.Literal(one) for one in shape)
        arguments.append(tree.Argument(tree.New(SIZES, initializer=lengths)))
    if element == _DOUBLE and not stated:
        given["dtype"] = known(torch.get_default_dtype())
    for name, kind in (("dtype", "ScalarType"), ("device", "Device"), ("requires_grad", "bool")):
        if name in given:
            word = Fitting(emission).fit(given[name], tree.Type(kind))
            if word is None:
                raise refused(node, f"{node.function.__name__} with a {name} of type {given[name].type}")
            arguments.append(tree.Argument(word.expression, name))
    return tree.Call(path("torch.tensor"), tuple(arguments)), TENSOR


def full(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Refuse ``torch.full`` without a dtype of a number that may be an int in Python; else return None."""
    given = {one.name: one.value for one in node.arguments if not _says_nothing(one.value)}
    if "dtype" not in given and "fill_value" in given:
        _check_dtype(emission, node, [given["fill_value"]])
    return None


def _check_dtype(emission: Emission, node: ir.Expression, numbers: Sequence[ir.Expression]) -> None:
    """Raise Untranslatable if all numbers of a tensor without a dtype may be ints in Python, and at least one is a float in C#."""
    ints = all(one.type in (types.INT, types.BOOL) or may_be_int(one, emission.integers) for one in numbers)
    if ints and any(one.type == types.FLOAT for one in numbers):
        raise refused(node, "a tensor without a dtype of a float that may be an int in Python")


def _says_nothing(value: ir.Expression) -> bool:
    return isinstance(value, ir.Literal) and value.value in (None, False)


Data = tuple[tree.Expression, tuple[int, ...], tree.Type]


def _written_out(emission: Emission, data: ir.Expression, stated: bool) -> Data | None:
    """Return a number or nested list literals in C#, their shape, and the C# type of an element; None for other data."""
    flat = _flat(data)
    if flat is None:
        return None
    shape, items = flat
    element = types.join([one.type for one in items]) if items else types.FLOAT
    if element not in _ELEMENTS:
        return None
    if not stated:
        _check_dtype(emission, data, items)
    literals = all(isinstance(one, ir.Literal) and not one.name for one in items)
    single = literals and not stated and element == types.FLOAT and torch.get_default_dtype() == torch.float32
    alone = wide if not shape else Emission.expression
    words = tuple(_real(emission, one, single) if element == types.FLOAT else alone(emission, one) for one in items)
    type_ = _FLOAT if single else _ELEMENTS[element][1]
    return (tree.New(array(type_), initializer=words) if shape else words[0]), shape, type_


def _real(emission: Emission, value: ir.Expression, single: bool) -> tree.Expression:
    """Return a number in C#; a literal is written as ``float`` if ``single``, else as ``double``."""
    if not isinstance(value, ir.Literal) or value.name:
        return emission.expression(value)
    found = Fitting(emission).fit(known(float(value.value)), _FLOAT if single else _DOUBLE)
    assert found is not None
    return found.expression


def _flat(data: ir.Expression) -> tuple[tuple[int, ...], list[ir.Expression]] | None:
    """Return the shape of nested lists of numbers, and the numbers; None for other data, or lists of different lengths."""
    items = is_sequence(data)
    if items is None:
        return ((), [data]) if types.is_number(data.type) else None
    found = [_flat(one) if isinstance(one, ir.Expression) else None for one in items]
    inner = [one for one in found if one is not None]
    if len(inner) != len(items) or len({shape for shape, _ in inner}) > 1:
        return None
    shape = inner[0][0] if inner else ()
    return (len(items), *shape), [one for _, numbers in inner for one in numbers]


def _of_list(emission: Emission, data: ir.Expression) -> Data | None:
    """Return the array of a list of numbers that is not written out; None for other data."""
    if data.type == types.SIZES:
        return emission.expression(data), (), LONG
    element = data.type.element if isinstance(data.type, types.ListOf) else None
    if element not in _ELEMENTS:
        return None
    return call(emission.expression(data), "ToArray"), (), _ELEMENTS[element][1]


def scattered(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``scatter`` of a number as the helper ``Scatter``, which makes a tensor of the number; None for a scatter of a tensor."""
    given = {one.name: one.value for one in node.arguments}
    given |= {} if node.receiver is None else {"input": node.receiver}
    number = given.get("value", given.get("src"))
    if number is None or not types.is_number(number.type) or {"input", "dim", "index"} - given.keys():
        return None
    parts = emission.expressions([given["input"], given["dim"], given["index"], number])
    in_place = tree.Literal(str(node.function.__name__).endswith("_"))
    return emission.helper("Scatter", *parts, in_place), TENSOR


def embedded(emission: Emission, node: ir.TorchCall) -> Raw | None:
    """Write ``F.embedding``, which TorchSharp lacks, as the helper ``Embedding``."""
    return emission.helper("Embedding", *emission.expressions([one.value for one in node.arguments])), TENSOR


Written = Callable[[Emission, ir.TorchCall], Raw | None]
#: The function that writes a call, by PyTorch's name; if it returns None, the call is looked up in the table of members.
WRITTEN: Final[Mapping[str, Written]] = {
    "item": item,
    "tolist": listed,
    "to": converted,
    "embedding": embedded,
    "equal": equal,
    "scatter": scattered,
    "scatter_": scattered,
    "tensor": tensor,
    "full": full,
    "as_tensor": tensor,
}
