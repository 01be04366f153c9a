"""Collections such as ``nn.Sequential`` and ``nn.ModuleList``, made from modules, from a list of modules, or from a dictionary."""

from __future__ import annotations

import ast
from typing import Final

from torch import nn

from bridge.port.frontend.calls import arguments
from bridge.port.frontend.context import Context
from bridge.port.frontend.targets import element_of
from bridge.port.ir.nodes import (
    BuiltinCall,
    Comprehension,
    DictLiteral,
    Expression,
    ListLiteral,
    Literal,
    Modules,
    ModulesFrom,
    Spread,
    TupleLiteral,
)
from bridge.port.ir.types import (
    PLAIN_MODULE,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    TupleOf,
    Type,
    join,
)

KINDS: Final = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
_OF_NAMES: Final = (nn.ModuleDict, nn.ParameterDict)


def lower(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower ``nn.Sequential(a, b)``, ``nn.Sequential(*layers)``, ``nn.ModuleList(layers)``, ``nn.ModuleDict(heads)``."""
    if node.keywords or (kind is not nn.Sequential and len(node.args) > 1):
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    given = arguments.positional(context, node, node.args)
    only = given[0] if len(given) == 1 else None
    if kind is nn.Sequential and not (isinstance(only, Expression) and isinstance(only.type, DictOf)):
        return _of_list(context, node, kind, tuple(given))
    if only is None:
        return _typed(context, node, Modules(kind, (), type=UNKNOWN, origin=context.origin(node)), UNKNOWN)
    assert isinstance(only, Expression)
    if isinstance(only, (ListLiteral, TupleLiteral)) and kind not in _OF_NAMES:
        return _of_list(context, node, kind, only.items)
    if (entries := _entries(only)) is not None:
        found = join(one.type for _, one in entries)
        return _typed(context, node, Modules(kind, entries, type=UNKNOWN, origin=context.origin(node)), found)
    return _from(context, node, kind, only)


def _of_list(
    context: Context, node: ast.Call, kind: type[nn.Module], items: tuple[Expression | Spread, ...]
) -> Expression:
    """Return a collection with the modules ``items``, in order."""
    origin = context.origin(node)
    if len(items) == 1 and isinstance(items[0], Spread):
        return _from(context, node, kind, items[0].value)
    if not any(isinstance(one, Spread) for one in items):
        entries = tuple((str(place), one) for place, one in enumerate(items) if isinstance(one, Expression))
        found = join(one.type for _, one in entries)
        return _typed(context, node, Modules(kind, entries, type=UNKNOWN, origin=origin), found)
    parts = [element_of(one.value.type) if isinstance(one, Spread) else one.type for one in items]
    found = join(one for one in parts if one is not None) if None not in parts else None
    if found is None:
        context.fail(node, f"the modules of '{ast.unparse(node)}'")
    return _from(context, node, kind, ListLiteral(items, type=ListOf(found), origin=origin))


def _entries(found: Expression) -> tuple[tuple[str, Expression], ...] | None:
    """Return the names and modules in the literal of a dictionary or of a list of pairs; None for another expression."""
    if isinstance(found, BuiltinCall) and found.name == "dict" and len(found.arguments) == 1:
        return _entries(found.arguments[0])
    pairs: list[tuple[Expression, Expression]] = []
    if isinstance(found, DictLiteral):
        pairs = list(found.entries)
    elif isinstance(found, (ListLiteral, TupleLiteral)):
        for one in found.items:
            items = one.items if isinstance(one, TupleLiteral) else ()
            if len(items) != 2 or not isinstance(items[0], Expression) or not isinstance(items[1], Expression):
                return None
            pairs.append((items[0], items[1]))
    else:
        return None
    if not all(isinstance(key, Literal) and isinstance(key.value, str) for key, _ in pairs):
        return None
    return tuple((str(key.value), value) for key, value in pairs if isinstance(key, Literal))


def _from(context: Context, node: ast.Call, kind: type[nn.Module], source: Expression) -> Expression:
    """Return a collection of the modules in ``source``, an expression whose value is a list or a dictionary."""
    named = kind in _OF_NAMES or (kind is nn.Sequential and isinstance(source.type, DictOf))
    found: Type | None = None
    if named and isinstance(source.type, DictOf) and source.type.key in (STR, UNKNOWN):
        found = source.type.value
    elif not named and isinstance(source.type, (ListOf, IteratorOf, ModulesOf, TupleOf)):
        found = element_of(source.type)
    if found is None:
        context.fail(node, f"'{ast.unparse(node)}', of a {source.type}")
    if isinstance(source, Comprehension) and isinstance(source.type, IteratorOf):
        source = Comprehension(source.element, source.generators, source.key, type=ListOf(found), origin=source.origin)
    return _typed(context, node, ModulesFrom(kind, source, type=UNKNOWN, origin=context.origin(node)), found)


def _typed(context: Context, node: ast.Call, made: Modules | ModulesFrom, element: Type | None) -> Expression:
    """Return the collection with its type, given the type of its elements; those of an ``nn.Sequential`` take and return one tensor."""
    kind = made.kind
    of_parameters = issubclass(kind, (nn.ParameterList, nn.ParameterDict))
    is_right = element == TENSOR if of_parameters else isinstance(element, (ModuleOf, ModulesOf))
    if element != UNKNOWN and (not is_right or element is None):
        context.fail(
            node, f"'{ast.unparse(node)}', of {'no parameters' if of_parameters else 'values that are no modules'}"
        )
    if kind is nn.Sequential:
        if element is not None and element != UNKNOWN and join((element, PLAIN_MODULE)) != PLAIN_MODULE:
            context.fail(node, f"'{ast.unparse(node)}', of modules that take or give other than one tensor")
        element = PLAIN_MODULE
    found = ModulesOf(kind, TENSOR if of_parameters else element or UNKNOWN)
    return (
        Modules(kind, made.entries, type=found, origin=made.origin)
        if isinstance(made, Modules)
        else ModulesFrom(kind, made.source, type=found, origin=made.origin)
    )
