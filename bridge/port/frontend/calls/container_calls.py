"""Calls of methods of lists, dictionaries, sets, strings, tuples, sizes and collections of modules."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from torch import nn

from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.targets import element_of
from bridge.port.frontend.values import convert, may_drop, none
from bridge.port.ir.nodes import Argument, ContainerCall, Convert, DictLiteral, Expression, Field, Literal, Local
from bridge.port.ir.types import (
    BOOL,
    INT,
    NONE,
    SIZES,
    STR,
    UNKNOWN,
    DictOf,
    IteratorOf,
    ListOf,
    ModulesOf,
    SetOf,
    TupleOf,
    Type,
    join,
    optional,
)

_Arguments = tuple[Expression, ...]
_Result = Callable[[Type, _Arguments], Type | None]


def is_container(found: Type) -> bool:
    """Return whether ``lower`` handles the methods of values of the type."""
    return isinstance(found, (ListOf, DictOf, SetOf, TupleOf, ModulesOf, IteratorOf)) or found in (STR, SIZES)


def fills(found: ModulesOf, name: str) -> bool:
    """Return whether a method of a collection of modules adds modules to it."""
    return name in _FILLING.get(found.kind, ())


def lower(context: Context, node: ast.Call, value: Expression, name: str) -> Expression:
    """Lower ``value.name(arguments)``."""
    arguments = []
    for one in node.args:
        if isinstance(one, ast.Starred):
            context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
        arguments.append(context.expression(one))
    keywords = tuple(_keyword(context, node, one) for one in node.keywords)
    if isinstance(value, DictLiteral) and name in ("get", "pop") and (entry := _entry(value, arguments)) is not None:
        return entry
    _refine_key(context, value, name, arguments)
    found = _result(value.type, name, tuple(arguments))
    if found is None:
        context.fail(node, f"a {value.type} has no {name} here: '{ast.unparse(node)}'")
    if found == UNKNOWN and not isinstance(value.type, ModulesOf):
        found = observed_type(context, node)
    if isinstance(value.type, ModulesOf) and arguments:
        _check_module(context, node, value, arguments[-1])
    made = _as_elements(value.type, name, arguments)
    return ContainerCall(value, name, made, keywords, type=found, origin=context.origin(node))


def _refine_key(context: Context, value: Expression, name: str, arguments: list[Expression]) -> None:
    """Refine the type of an empty dictionary by the key that a call asks for."""
    inner = value.value if isinstance(value, Convert) else value
    asks = name in ("get", "pop") and bool(arguments)
    if asks and isinstance(inner, Local) and isinstance(value.type, DictOf) and value.type.key == UNKNOWN:
        context.scope.refine(inner.name.partition("#")[0], DictOf(arguments[0].type, value.type.value))


def _check_module(context: Context, node: ast.Call, value: Expression, given: Expression) -> None:
    """Raise Untranslatable if C#'s collection does not take a module; a collection in a variable or field is declared so that it does."""
    assert isinstance(value.type, ModulesOf)
    wanted = value.type.element
    element = element_of(given.type) if isinstance(given.type, (ListOf, IteratorOf)) else given.type
    fixed = value.type.kind is nn.Sequential or not isinstance(value, (Local, Field))
    if element is None or (fixed and join((wanted, element)) != wanted):
        context.fail(node, f"a {given.type} in a {value.type}: '{ast.unparse(node)}'")


def _entry(value: DictLiteral, arguments: list[Expression]) -> Expression | None:
    """Return the value of ``kwargs.get(name, default)``: the entry, or the default; None if it is not known or drops a side effect."""
    if (
        not arguments
        or not isinstance(arguments[0], Literal)
        or not all(isinstance(key, Literal) for key, _ in value.entries)
    ):
        return None
    found = [one for key, one in value.entries if isinstance(key, Literal) and key.value == arguments[0].value]
    others = [one for _, one in value.entries if not found or one is not found[-1]] + (arguments[1:] if found else [])
    if not may_drop(others):
        return None
    return found[-1] if found else arguments[1] if len(arguments) > 1 else none(value.origin)


def _keyword(context: Context, node: ast.Call, keyword: ast.keyword) -> Argument:
    if keyword.arg is None:
        context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
    return Argument(keyword.arg, context.expression(keyword.value), False, origin=context.origin(node))


def _as_elements(found: Type, name: str, arguments: list[Expression]) -> _Arguments:
    """Return the arguments, converted to the type of the container's elements, such as an int to float."""
    if isinstance(found, (ListOf, SetOf)) and name in ("append", "insert", "add") and arguments:
        return (*arguments[:-1], convert(arguments[-1], found.element))
    if isinstance(found, DictOf) and name in ("get", "pop", "setdefault") and len(arguments) == 2:
        return (arguments[0], convert(arguments[1], found.value))
    return tuple(arguments)


def _result(found: Type, name: str, arguments: _Arguments) -> Type | None:
    if isinstance(found, ModulesOf):
        return _of_modules(found, name)
    for kind, table in _TABLES.items():
        if isinstance(found, kind):
            result = table.get(name)
            return result(found, arguments) if result is not None else None
    known = _OF_STRINGS if found == STR else _OF_TUPLES if found == SIZES else {}
    return known.get(name)


def _of_modules(found: ModulesOf, name: str) -> Type | None:
    pairs, element = IteratorOf(TupleOf((STR, found.element))), IteratorOf(found.element)
    if found.kind in (nn.ModuleDict, nn.ParameterDict):
        return {"items": pairs, "values": element, "keys": IteratorOf(STR)}.get(name)
    # Python's methods return the collection itself, some of C#'s do not: the result must not be used
    filled: dict[str, Type] = dict.fromkeys(_FILLING.get(found.kind, ()), UNKNOWN)
    return filled.get(name) or {"children": element, "named_children": pairs}.get(name)


#: Methods that add modules to a collection.
_FILLING: Final[dict[type, tuple[str, ...]]] = {
    nn.ModuleList: ("append", "extend", "insert"),
    nn.Sequential: ("append", "add_module"),
    nn.ParameterList: ("append",),
}


def _element(found: Type, arguments: _Arguments) -> Type | None:
    return element_of(found)


def _of_get(found: Type, arguments: _Arguments) -> Type | None:
    assert isinstance(found, DictOf)
    return optional(found.value) if len(arguments) < 2 else join([found.value, arguments[1].type])


def _of_pop(found: Type, arguments: _Arguments) -> Type | None:
    assert isinstance(found, DictOf)
    return found.value if len(arguments) < 2 else join([found.value, arguments[1].type])


def _always(result: Type) -> _Result:
    return lambda found, arguments: result


def _itself(found: Type, arguments: _Arguments) -> Type | None:
    return found


_NOTHING: Final = _always(NONE)
_OF_LISTS: Final[dict[str, _Result]] = {
    **dict.fromkeys(("append", "extend", "insert", "remove", "clear", "reverse", "sort"), _NOTHING),
    **dict.fromkeys(("index", "count"), _always(INT)),
    "pop": _element,
    "copy": _itself,
}
_OF_DICTS: Final[dict[str, _Result]] = {
    **dict.fromkeys(("update", "clear"), _NOTHING),
    "get": _of_get,
    "pop": _of_pop,
    "setdefault": _of_pop,
    "copy": _itself,
    "keys": lambda found, arguments: IteratorOf(found.key) if isinstance(found, DictOf) else None,
    "values": lambda found, arguments: IteratorOf(found.value) if isinstance(found, DictOf) else None,
    "items": lambda found, arguments: (
        IteratorOf(TupleOf((found.key, found.value))) if isinstance(found, DictOf) else None
    ),
}
_OF_SETS: Final[dict[str, _Result]] = {
    **dict.fromkeys(("add", "remove", "discard", "clear", "update"), _NOTHING),
    **dict.fromkeys(("union", "intersection", "difference", "copy"), _itself),
    **dict.fromkeys(("issubset", "issuperset", "isdisjoint"), _always(BOOL)),
    "pop": _element,
}
_OF_TUPLES: Final[dict[str, Type]] = {"index": INT, "count": INT, "numel": INT}
_TABLES: Final[dict[type[Type], dict[str, _Result]]] = {
    ListOf: _OF_LISTS,
    DictOf: _OF_DICTS,
    SetOf: _OF_SETS,
    TupleOf: {name: _always(kind) for name, kind in _OF_TUPLES.items()},
}
_OF_STRINGS: Final[dict[str, Type]] = {
    **dict.fromkeys(("join", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "capitalize"), STR),
    **dict.fromkeys(("removeprefix", "removesuffix", "zfill"), STR),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isidentifier"), BOOL),
    **dict.fromkeys(("find", "index", "count"), INT),
    **dict.fromkeys(("split", "splitlines"), ListOf(STR)),
}
