"""Items, slices and indices of tensors, with Python's rules for negative indices and for bounds beyond the end."""

from __future__ import annotations

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, index, int32, is_plain, path, refused, static
from bridge.port.csharp.calls import torch_calls
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import is_narrow
from bridge.port.csharp.types import array
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.effects import effects
from bridge.port.ir.ranges import is_nonnegative
from bridge.port.ir.types import BOOL, INT, NONE, SIZES, STR, TENSOR

# -- Items -----------------------------------------------------------------------------------------------------------------


def lower_item(emission: Emission, node: ir.Item) -> tree.Expression:
    """Return ``value[index]`` of a container."""
    found = node.value.type
    if isinstance(found, types.DictOf) or _is_keyed(found):
        return _as_seen(emission, node, index(emission.expression(node.value), emission.expression(node.index)))
    if isinstance(found, types.TupleOf) and node.index.type == INT and is_plain(node.value):
        return _item_of_tuple(emission, node, found)
    if node.index.type != INT or not _is_indexed(found):
        raise refused(node, f"an item of a {found} by a {node.index.type}")
    value, is_array = _indexed(emission, node.value)
    if found == STR:
        return emission.helper("Character", value, emission.expression(node.index))
    place = place_of(emission, node.index, array=is_array)
    if place is None and isinstance(found, types.ModulesOf) and issubclass(found.kind, nn.Sequential):
        raise refused(node, "an item of nn.Sequential by a number that may be negative")
    made = emission.helper("Item", value, emission.expression(node.index)) if place is None else index(value, place)
    return _as_seen(emission, node, made)


def _item_of_tuple(emission: Emission, node: ir.Item, found: types.TupleOf) -> tree.Expression:
    """Return an item of a tuple at a computed index, from an array of the tuple's items."""
    parts = [ir.TupleItem(node.value, place, type=kind, origin=node.origin) for place, kind in enumerate(found.items)]
    if any(one.type != node.type for one in parts):
        raise refused(node, f"an item of a {found} by a {node.index.type}")
    items = tree.New(array(emission.type_of(node.type, node.origin)), initializer=emission.expressions(parts))
    return emission.helper("Item", items, emission.expression(node.index))


def _indexed(emission: Emission, node: ir.Expression) -> tuple[tree.Expression, bool]:
    """Return the container of an item, and whether it is an array; the array that a call of PyTorch returns is not converted to a list."""
    if isinstance(node, ir.TorchCall) and isinstance(node.type, types.ListOf):
        made, found = torch_calls.raw(emission, node)
        if isinstance(found, tree.ArrayType):
            return made, True
    return emission.expression(node), node.type == SIZES


def _is_keyed(found: types.Type) -> bool:
    return isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict")


def _is_indexed(found: types.Type) -> bool:
    return found in (SIZES, STR) or isinstance(found, (types.ListOf, types.ModulesOf))


def place_of(emission: Emission, node: ir.Expression, array: bool = False) -> tree.Expression | None:
    """Return an index of C#, ``1`` or ``^1``; None if it may be negative and is no literal. An index of an array may be a long."""
    if isinstance(node, ir.Literal) and -(2**31) < node.value < 0:
        return tree.FromEnd(tree.Literal(-node.value))
    if not is_nonnegative(node, emission.nonnegative) or node.type != INT:
        return None
    made = emission.expression(node)
    if isinstance(made, tree.Literal) and made.suffix:  # out of the range of C#'s int
        return None
    return made if array or is_narrow(node) else int32(made)


def _as_seen(emission: Emission, node: ir.Item, made: tree.Expression) -> tree.Expression:
    """Return a module of a collection, cast to its own class if the collection has modules of several classes."""
    found = node.value.type
    if not isinstance(found, types.ModulesOf) or issubclass(found.kind, nn.Sequential) or found.element == node.type:
        return made
    return tree.Cast(emission.type_of(node.type, node.origin), made)


def lower_tuple_item(emission: Emission, node: ir.TupleItem) -> tree.Expression:
    """Return an item of a tuple at a known index; the only item of a tuple is the tuple itself in C#."""
    value, found = node.value, node.value.type
    others = value.items[: node.place] + value.items[node.place + 1 :] if isinstance(value, ir.TupleLiteral) else ()
    if isinstance(value, ir.TupleLiteral) and is_plain(value) and effects(*others).removable:
        item = value.items[node.place]
        assert isinstance(item, ir.Expression)
        return emission.expression(item)
    if found == SIZES:
        return index(emission.expression(value), tree.Literal(node.place))
    if not isinstance(found, types.TupleOf):
        raise refused(node, f"an item of a {found}")
    made = emission.expression(value)
    return made if len(found.items) == 1 else tree.Member(made, f"Item{node.place + 1}")


# -- Slices ----------------------------------------------------------------------------------------------------------------


def lower_slice(emission: Emission, node: ir.Slice) -> tree.Expression:
    """Return ``value[start:stop:step]``."""
    found = node.value.type
    is_modules = (
        isinstance(found, types.ModulesOf) and not _is_keyed(found) and not issubclass(found.kind, nn.Sequential)
    )
    if not (found in (SIZES, STR) or isinstance(found, types.ListOf) or is_modules):
        raise refused(node, f"a slice of a {found}")
    start, stop, step = node.start, node.stop, node.step
    if _literal(step) == 1:
        step = None
    value = emission.expression(node.value)
    if start is None and stop is None and _literal(step) == -1 and found != STR:
        return _ended(found, static("Enumerable.Reverse", value))
    bounds = _range(emission, is_modules, start, stop)
    if found == STR or step is not None or bounds is None:
        return _by_helper(emission, node, value, is_modules)
    if found == SIZES and all(one is None or _literal(one) is not None for one in (start, stop)):
        return index(value, bounds)  # throws if a bound exceeds the rank
    return _ended(found, call(value, "Take", bounds))


def _literal(node: ir.Expression | None) -> int | None:
    is_number = isinstance(node, ir.Literal) and type(node.value) is int
    return node.value if is_number and isinstance(node, ir.Literal) else None


def _range(emission: Emission, is_modules: bool, *bounds: ir.Expression | None) -> tree.Range | None:
    """Return ``start..stop``; None if a computed bound may be negative, or may not fit an int."""
    ends: list[tree.Expression | None] = []
    for one in bounds:
        if one is None or one.type == NONE:
            ends.append(None)
            continue
        place = place_of(emission, one) if one.type == INT else None
        if place is None or not (is_modules or is_narrow(one) or _is_count(one)):  # a cast throws where Python clips
            return None
        ends.append(place)
    start, stop = ends
    return tree.Range(start, stop)


def _is_count(node: ir.Expression) -> bool:
    """Return whether a number is a size of a tensor, which fits C#'s int."""
    return isinstance(node, (ir.Item, ir.TupleItem)) and node.value.type == SIZES


def _ended(found: types.Type, made: tree.Expression) -> tree.Expression:
    """Return the elements, converted to the container's type; modules stay a sequence."""
    if isinstance(found, types.ModulesOf):
        return made
    return call(made, "ToArray" if found == SIZES else "ToList")


def _by_helper(emission: Emission, node: ir.Slice, value: tree.Expression, is_modules: bool) -> tree.Expression:
    if is_modules:
        raise refused(node, "a slice of modules whose bounds are no literals")
    ends: list[tree.Expression] = []
    for one in (node.start, node.stop, node.step):
        if one is not None and types.required(one.type) not in (INT, NONE):
            raise refused(node, f"a {one.type} in a slice")
        ends.append(tree.Literal(None) if one is None else emission.expression(one))
    while ends and ends[-1] == tree.Literal(None):
        ends.pop()
    return emission.helper("Part" if node.value.type == STR else "Slice", value, *ends)


# -- Tensors ---------------------------------------------------------------------------------------------------------------


def lower_tensor_index(emission: Emission, node: ir.TensorIndex) -> tree.Expression:
    """Return ``tensor[…]``."""
    indices = node.indices
    if len(indices) == 1 and isinstance(alone := indices[0], ir.Expression) and isinstance(alone.type, types.TupleOf):
        if not is_plain(alone):
            raise refused(node, "a tuple that is computed as the index of a tensor")
        items = enumerate(alone.type.items)
        indices = tuple(ir.TupleItem(alone, place, type=one, origin=node.origin) for place, one in items)
    elif len(indices) == 1 and isinstance(alone, ir.Expression) and alone.type == SIZES:
        raise refused(node, "a tuple of any length as the index of a tensor")
    return index(emission.expression(node.value), *(_tensor_index(emission, one) for one in indices))


def _tensor_index(emission: Emission, node: ir.Expression | ir.Span) -> tree.Expression:
    if isinstance(node, ir.Span):
        return _span(emission, node)
    if isinstance(node, ir.Literal) and node.value is None:
        return path("TensorIndex.None")
    if isinstance(node, ir.Literal) and node.value is ...:
        return path("TensorIndex.Ellipsis")
    if node.type == INT:
        return emission.expression(node)
    if node.type == BOOL:
        return static("TensorIndex.Bool", emission.expression(node))
    if node.type == TENSOR:
        return static("TensorIndex.Tensor", emission.expression(node))
    numbers = _numbers(emission, node)
    if numbers is not None:
        return static("TensorIndex.Tensor", static("torch.tensor", numbers))
    raise refused(node, f"a {node.type} as the index of a tensor")


def _numbers(emission: Emission, node: ir.Expression) -> tree.Expression | None:
    """Return a list or tuple of ints or bools as an array; None for another type."""
    element = INT if node.type == SIZES else getattr(node.type, "element", None)
    if isinstance(node.type, types.TupleOf) and set(node.type.items) == {INT}:
        element = INT
    if element not in (INT, BOOL):
        return None
    kind = "long" if element == INT else "bool"
    if isinstance(node, (ir.ListLiteral, ir.TupleLiteral)) and not any(
        isinstance(one, ir.Spread) for one in node.items
    ):
        items = tuple(emission.expression(one) for one in node.items if isinstance(one, ir.Expression))
        return tree.New(tree.ArrayType("[]", (tree.Type(kind),)), (), items)
    made = emission.expression(node)
    return call(made, "ToArray") if isinstance(node.type, (types.ListOf, types.IteratorOf)) else made


def _span(emission: Emission, node: ir.Span) -> tree.Expression:
    ends = [_end(emission, one) for one in (node.start, node.stop, node.step)]
    while ends and ends[-1] == tree.Literal(None):
        ends.pop()
    return static("TensorIndex.Slice", *ends) if ends else tree.Range(None, None)


def _end(emission: Emission, node: ir.Expression | None) -> tree.Expression:
    if node is None:
        return tree.Literal(None)
    made = emission.expression(node)
    if node.type == TENSOR:
        return call(made, "ToInt64")
    if node.type == BOOL:
        return tree.Conditional(made, tree.Literal(1), tree.Literal(0))
    if types.required(node.type) not in (INT, NONE):
        raise refused(node, f"a {node.type} in the index of a tensor")
    return made
