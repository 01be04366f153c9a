"""Helpers for typed expressions: literals, conversions, and whether an expression may be evaluated twice or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Any, Final

import torch

from bridge.port.ir.effects import effects
from bridge.port.ir.nodes import (
    Convert,
    Expression,
    Field,
    Item,
    ListLiteral,
    Literal,
    Local,
    Logical,
    Origin,
    Property,
    Self,
    Spread,
    Training,
    Truth,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZES,
    STR,
    UNKNOWN,
    IteratorOf,
    ListOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
    is_choice,
    join,
    required,
)

_KINDS: Final[dict[type, Type]] = {
    type(None): NONE,
    bool: BOOL,
    int: INT,
    float: FLOAT,
    str: STR,
    torch.dtype: DTYPE,
    torch.device: DEVICE,
    type(...): UNKNOWN,
    torch.memory_format: UNKNOWN,
    torch.layout: UNKNOWN,
}


def literal(value: Any, origin: Origin, name: str = "") -> Expression | None:
    """Return a constant, or a tuple of constants, as an expression; None for another value."""
    value = without_enumeration(value)
    if (found := _KINDS.get(type(value))) is not None:
        return Literal(value, name, type=found, origin=origin)
    if not isinstance(value, tuple) or (hasattr(value, "_fields")):
        return None
    items = [literal(one, origin) for one in value]
    there = tuple(one for one in items if one is not None)
    if len(there) < len(items):
        return None
    return tuple_of(there, origin, SIZES if isinstance(value, torch.Size) else None)


def without_enumeration(value: Any) -> Any:
    """Return the string or int that a member of an enumeration is (``class Format(str, Enum)``); any other value unchanged."""
    if isinstance(value, Enum) and isinstance(value, str):
        return str.__str__(value)
    return int.__int__(value) if isinstance(value, Enum) and isinstance(value, int) else value


def tuple_of(items: tuple[Expression, ...], origin: Origin, found: Type | None = None) -> TupleLiteral:
    """Return a tuple literal of the given type.

    Without a type, items that are tuples get one type if they differ only in which of their items are None.
    """
    if found is None and all(isinstance(one, TupleLiteral) for one in items):
        items = _alike(items)
    return TupleLiteral(items, type=found or TupleOf(tuple(one.type for one in items)), origin=origin)


def _alike(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Return tuples converted to their common type, if the items at each index have one type or are None; else unchanged."""
    common = join(one.type for one in items)
    rows = [one.type.items for one in items if isinstance(one.type, TupleOf)]
    columns = [{required(kind) for kind in column} - {NONE} for column in zip(*rows, strict=False)]
    if not isinstance(common, TupleOf) or any(len(column) > 1 for column in columns):
        return items
    return tuple(convert(one, common) for one in items)


def none(origin: Origin) -> Literal:
    """Return None as an expression."""
    return Literal(None, type=NONE, origin=origin)


def is_read(value: Expression) -> bool:
    """Return whether the expression may be evaluated twice, since it only reads a variable or field, or a part of one."""
    if isinstance(value, (Property, TupleItem, Convert)):
        return is_read(value.value)
    if isinstance(value, Item):
        of_modules = isinstance(value.value.type, ModulesOf)  # nothing changes the list
        return is_read(value.value) and isinstance(value.index, (Literal, Local) if of_modules else Literal)
    return isinstance(value, (Literal, Local, Field, Self, Training))


def is_free(value: Expression) -> bool:
    """Return whether the expression may also be left unevaluated, since it reads no item that may be missing."""
    items = (one for one in walk(value) if isinstance(one, Item))
    return is_read(value) and all(isinstance(one.value.type, ModulesOf) for one in items)


def may_drop(values: Iterable[Expression]) -> bool:
    """Return whether expressions may be left out, since nothing is lost by that: no side effect and no exception."""
    return all(is_free(one) or effects(one).removable for one in values)


def after(value: Expression, then: Expression) -> Expression:
    """Return ``then``, evaluated after ``value``, which may raise or change something."""
    both = TupleLiteral((value, then), type=TupleOf((value.type, then.type)), origin=then.origin)
    return TupleItem(both, 1, type=then.type, origin=then.origin)


def there(value: Expression) -> Expression:
    """Return the value of an optional, with its inner type; C# throws if it is None, as Python does when the value is used."""
    if not isinstance(value.type, OptionalOf):
        return value
    return Convert(value, type=value.type.inner, origin=value.origin)


def as_bool(value: Expression) -> Expression:
    """Return the truth of a value; for ``and`` and ``or``, the operator applied to the truths of the operands."""
    if value.type == BOOL:
        return value
    if isinstance(value, Logical):
        return Logical(value.operator, tuple(map(as_bool, value.values)), type=BOOL, origin=value.origin)
    return Truth(value, origin=value.origin)


def are_ints(found: Type) -> bool:
    """Return whether values of the type can be sizes, since they are lists or tuples of ints alone."""
    if isinstance(found, (ListOf, IteratorOf)):
        return found.element in (INT, BOOL)
    return found == SIZES or (isinstance(found, TupleOf) and all(one in (INT, BOOL) for one in found.items))


def as_sizes(value: Expression) -> Expression:
    """Return a literal list or tuple of ints as sizes; any other value as it is."""
    if isinstance(value, (TupleLiteral, ListLiteral)) and are_ints(value.type):
        return TupleLiteral(value.items, type=SIZES, origin=value.origin)
    return value


def convert(value: Expression, wanted: Type) -> Expression:
    """Return a value converted to another type, unless it has that type already; a literal becomes a literal of that type."""
    if value.type == wanted or wanted == UNKNOWN or value.type == UNKNOWN:
        return value
    if is_choice(wanted):
        return _converted(value, wanted)
    if isinstance(wanted, OptionalOf):
        return value if value.type == NONE or isinstance(value.type, OptionalOf) else convert(value, wanted.inner)
    if isinstance(value.type, OptionalOf):
        return convert(there(value), wanted)
    if isinstance(value, Literal) and wanted == FLOAT and type(value.value) in (int, bool):
        return replace(value, value=int(value.value), type=FLOAT)  # whose text is that of an int
    if wanted == SIZES and are_ints(value.type):
        return as_sizes(value) if isinstance(value, (TupleLiteral, ListLiteral)) else _converted(value, SIZES)
    if isinstance(value, ListLiteral) and isinstance(wanted, ListOf):
        return replace(value, items=tuple(_item(one, wanted.element) for one in value.items), type=wanted)
    if isinstance(value, TupleLiteral) and isinstance(wanted, TupleOf) and len(value.items) == len(wanted.items):
        items = tuple(_item(one, kind) for one, kind in zip(value.items, wanted.items, strict=True))
        return replace(value, items=items, type=wanted)
    return _converted(value, wanted) if wanted == FLOAT or _differs(value.type, wanted) else value


def _item(item: Expression | Spread, wanted: Type) -> Expression | Spread:
    return item if isinstance(item, Spread) else convert(item, wanted)


def _converted(value: Expression, wanted: Type) -> Expression:
    return Convert(value, type=wanted, origin=value.origin)


def _differs(have: Type, wanted: Type) -> bool:
    """Return whether C# needs an explicit conversion, which is so for containers alone: numbers and modules convert implicitly."""
    return type(have) is not type(wanted) and isinstance(wanted, (ListOf, TupleOf)) and join([have, wanted]) is not None
