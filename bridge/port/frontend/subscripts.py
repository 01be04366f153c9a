"""Subscripts: items and slices of containers, and indices of tensors."""

from __future__ import annotations

import ast

from bridge.port.frontend.calls import functions_as_values
from bridge.port.frontend.calls.callees import NOTHING, named
from bridge.port.frontend.classes import entries, settings
from bridge.port.frontend.construction import constants, layers
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.values import are_ints, as_sizes, convert, is_read, may_drop, there, tuple_of
from bridge.port.ir.effects import effects
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Conditional,
    Convert,
    DictLiteral,
    Expression,
    Item,
    Literal,
    Slice,
    Span,
    TensorIndex,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    INT,
    NONE,
    PLAIN_MODULE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    TupleOf,
    Type,
    join,
)


def lower(context: Context, node: ast.Subscript) -> Expression:
    """Lower ``value[index]``."""
    if (chosen := _of_object(context, node)) is not None:
        return chosen
    if (item := settings.lower_item(context, node)) is not None:
        return item
    if (child := entries.item(context, node)) is not None:
        return child
    value = there(context.expression(node.value))
    if value.type == TENSOR:
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        found = tuple(_index(context, one) for one in indices)
        return TensorIndex(value, found, type=TENSOR, origin=context.origin(node))
    if isinstance(node.slice, ast.Slice):
        return _slice(context, node, node.slice, value)
    if isinstance(value.type, TupleOf):
        return _item_of_tuple(context, node, value, context.expression(node.slice))
    return _item(context, node, value, there(context.expression(node.slice)))


def _of_object(context: Context, node: ast.Subscript) -> Expression | None:
    """Return what a constant selects from an object of the source file: a function (``FUNCTIONS[config.kind]``), or a new layer.

    Returns None for another item.
    """
    table = named(context, node.value)
    if table is NOTHING or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return None
    if context.surroundings.constructs and isinstance(index := context.expression(node.slice), Literal):
        maker = constants.maker_of(table, index.value)
        call = ast.copy_location(ast.Call(node, [], []), node)
        if maker is not None and (made := layers.lower(context, call, maker)) is not None:
            return made
    return functions_as_values.chosen(context, node, [node.slice])


def _item(context: Context, node: ast.Subscript, value: Expression, index: Expression) -> Expression:
    origin = context.origin(node)
    if isinstance(value.type, ModulesOf):
        return _module(context, node, Item(value, index, type=value.type.element, origin=origin))
    if isinstance(value, DictLiteral) and isinstance(index, Literal):  # kwargs["name"]
        known = [one for key, one in value.entries if isinstance(key, Literal) and key.value == index.value]
        if known and may_drop(one for _, one in value.entries if one is not known[-1]):
            return known[-1]
    if isinstance(value.type, DictOf):
        found: Type | None = value.type.value
        if found == UNKNOWN:
            found = observed_type(context, node)
    else:
        found = _element(value.type) if index.type in (INT, BOOL, UNKNOWN) else None
        if found == UNKNOWN:
            found = observed_type(context, node)
    if found is None:
        context.fail(node, f"an item of a {value.type} by a {index.type}: '{ast.unparse(node)}'")
    return Item(value, index, type=found, origin=origin)


def _element(found: Type) -> Type | None:
    if isinstance(found, ListOf):
        return found.element
    return INT if found == SIZES else STR if found == STR else None


def _module(context: Context, node: ast.Subscript, item: Item) -> Expression:
    """Return a module of a list, cast to its class, if the list has several classes and the same class at this index in all runs."""
    found = observed_type(context, node)
    general = item.type in (ANY_MODULE, PLAIN_MODULE)
    if general and isinstance(item.index, Literal) and isinstance(found, (ModuleOf, ModulesOf)) and found != item.type:
        return Convert(item, type=found, origin=item.origin)
    return item


def _item_of_tuple(context: Context, node: ast.Subscript, value: Expression, index: Expression) -> Expression:
    assert isinstance(value.type, TupleOf)
    items, names = value.type.items, value.type.names
    origin = context.origin(node)
    place = index.value if isinstance(index, Literal) else None
    if isinstance(place, str) and place in names:  # a result of transformers is a dictionary, too
        place = names.index(place)
    if isinstance(place, int) and -len(items) <= place < len(items):
        place %= len(items)
        if isinstance(value, TupleLiteral) and all(isinstance(one, Literal) for one in value.items):
            return value.items[place]  # type: ignore[return-value]  # a literal
        return TupleItem(value, place, type=items[place], origin=origin)
    found = join(items)
    if index.type == BOOL and place is None and len(items) == 2 and found is not None and effects(value).pure:
        choices = (TupleItem(value, one, type=items[one], origin=origin) for one in (1, 0))
        return Conditional(index, *(convert(one, found) for one in choices), type=found, origin=origin)
    if place is not None or index.type not in (INT, BOOL) or found is None:
        context.fail(node, f"an item of a {value.type} by a {index.type}: '{ast.unparse(node)}'")
    return Item(value, index, type=found, origin=origin)


def _slice(context: Context, node: ast.Subscript, part: ast.Slice, value: Expression) -> Expression:
    origin = context.origin(node)
    start, stop, step = (
        context.expression(one) if one is not None else None for one in (part.lower, part.upper, part.step)
    )
    if isinstance(value.type, TupleOf):
        return _slice_of_tuple(context, node, value, (start, stop, step))
    if not isinstance(value.type, (ListOf, ModulesOf)) and value.type not in (SIZES, STR):
        context.fail(node, f"a slice of a {value.type}: '{ast.unparse(node)}'")
    if any(one is not None and one.type not in (INT, NONE, BOOL) for one in (start, stop, step)):
        context.fail(node, f"a slice by other than ints: '{ast.unparse(node)}'")
    return Slice(value, start, stop, step, type=value.type, origin=origin)


def _slice_of_tuple(
    context: Context, node: ast.Subscript, value: Expression, ends: tuple[Expression | None, ...]
) -> Expression:
    """Return a slice of a tuple: its items, if the ends are literals and it may be evaluated twice; else, for ints, a slice of sizes."""
    assert isinstance(value.type, TupleOf)
    known = all(one is None or isinstance(one, Literal) for one in ends)
    origin = context.origin(node)
    if known and (is_read(value) or isinstance(value, TupleLiteral)):
        span = slice(*(one.value if isinstance(one, Literal) else None for one in ends))
        places = range(len(value.type.items))[span]
        items = tuple(TupleItem(value, at, type=value.type.items[at], origin=origin) for at in places)
        return tuple_of(items, origin)
    if are_ints(value.type):
        return Slice(Convert(value, type=SIZES, origin=origin), *ends, type=SIZES, origin=origin)
    raise Untranslatable(context.origin(node), f"a slice of a {value.type}: '{ast.unparse(node)}'")


def _index(context: Context, node: ast.expr) -> Expression | Span:
    """Return an index of a tensor."""
    origin = context.origin(node)
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        found = tuple(context.expression(one) if one is not None else None for one in ends)
        return Span(*(None if one is not None and one.type == NONE else one for one in found), origin=origin)
    value = context.expression(node)
    if value.type in (INT, BOOL, TENSOR, NONE) or (isinstance(value, Literal) and value.value is ...):
        return value
    if are_ints(value.type):
        return as_sizes(value) if isinstance(node, ast.Tuple) else value
    if isinstance(value.type, ListOf) and value.type.element == BOOL:
        return value
    value = there(value)
    if value.type in (INT, BOOL, TENSOR):
        return value
    raise Untranslatable(context.origin(node), f"an index that is a {value.type}: '{ast.unparse(node)}'")
