"""Arguments of calls of the model's own functions: which parameter each reaches, also from ``*`` and ``**``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from bridge.port.frontend.calls import functions_as_values
from bridge.port.frontend.calls.callees import is_function
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import are_ints, convert, is_read, there
from bridge.port.ir.nodes import (
    Argument,
    ContainerCall,
    Convert,
    DictLiteral,
    Expression,
    Function,
    ListLiteral,
    Literal,
    Parameter,
    Spread,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import BOOL, NONE, SIZES, STR, UNKNOWN, ConstantOf, DictOf, ListOf, TupleOf, join

#: Parameters of PyTorch's functions that are False where nothing is given.
_FLAGS: Final = frozenset({"enable_gqa", "is_causal"})


def bound(context: Context, node: ast.Call, header: Function, first: int = 0) -> tuple[Argument, ...]:
    """Return the arguments by the parameters of a function, converted to their types; ``first`` of the call's are for the receiver."""
    order = header.order
    parameters = {one.name: one for one in order}
    given: dict[str, Argument] = {}
    places = _places(context, node, node.args[first:])
    in_order = [one for one in order if not one.named]
    for place, parameter in enumerate(in_order):
        if parameter.spread:
            given[parameter.name] = _argument(context, node, parameter, _many(context, node, places[place:]), True)
            places = places[:place]
            break
        if place < len(places):
            given[parameter.name] = _argument(context, node, parameter, _alone(context, node, places[place]), True)
    if len(places) > len(in_order):
        context.fail(node, f"{header.name} takes fewer arguments: '{ast.unparse(node)}'")
    for name, value in named(context, node, _value):
        if name not in parameters:
            context.fail(node, f"{header.name} has no parameter {name}: '{ast.unparse(node)}'")
        given[name] = _argument(context, node, parameters[name], value, False)
    for one in order:
        needed = one in header.parameters or isinstance(one.type, ConstantOf)
        if one.name not in given and one.default is None and not one.spread and needed:
            context.fail(node, f"'{ast.unparse(node)}' lacks the argument {one.name}")
    for _, fixed in header.fixed:
        if fixed.name in given and not _is_default(given.pop(fixed.name).value, fixed):
            context.fail(node, f"{header.name} is given {fixed.name}, which C# does not take: '{ast.unparse(node)}'")
    return tuple(given.values())


def _value(context: Context, node: ast.expr) -> Expression:
    """Lower an argument; a function of a source file stays that one object until it is known whether the parameter is one."""
    return functions_as_values.constant(context, node) or context.expression(node)


def _is_default(value: Expression, parameter: Parameter) -> bool:
    """Return whether the value is, as it is written, the default of a parameter; any that has no effect of one that nothing reads."""
    if parameter.type == NONE or isinstance(parameter.type, ConstantOf):
        return value.type == parameter.type and is_read(value)
    if parameter.default is None:
        return is_read(value)
    found, default = (one.value if isinstance(one, Convert) else one for one in (value, parameter.default))
    if not isinstance(found, Literal) or not isinstance(default, Literal):
        return False
    return type(found.value) is type(default.value) and bool(found.value == default.value)


def _argument(context: Context, node: ast.Call, parameter: Parameter, value: Expression, positional: bool) -> Argument:
    if isinstance(value.type, ConstantOf) and is_function(value.type.value) and parameter.type != value.type:
        value = functions_as_values.lower(context, node, value.type.value)
    of_sizes = parameter.type == SIZES and are_ints(value.type)
    if join([parameter.type, value.type]) is None and not of_sizes:
        context.fail(
            node, f"{parameter.name} is a {parameter.type}, and is given a {value.type}: '{ast.unparse(node)}'"
        )
    return Argument(parameter.name, convert(value, parameter.type), positional, origin=value.origin)


def _alone(context: Context, node: ast.Call, value: Expression | Spread) -> Expression:
    if isinstance(value, Spread):
        context.fail(node, f"arguments that are spread, of a number that is not known: '{ast.unparse(node)}'")
    return value


def _places(context: Context, node: ast.Call, nodes: Sequence[ast.expr]) -> list[Expression | Spread]:
    """Return the arguments without names; of a spread tuple its items."""
    found: list[Expression | Spread] = []
    for one in nodes:
        if not isinstance(one, ast.Starred):
            found.append(_value(context, one))
            continue
        value = there(context.expression(one.value))
        if isinstance(value, TupleLiteral) and isinstance(value.type, TupleOf):
            found += value.items
        elif isinstance(value.type, TupleOf) and is_read(value):
            items = enumerate(value.type.items)
            found += [TupleItem(value, at, type=kind, origin=value.origin) for at, kind in items]
        else:
            found.append(Spread(value, origin=context.origin(one)))
    return found


def _many(context: Context, node: ast.Call, items: Sequence[Expression | Spread]) -> Expression:
    """Return what a parameter takes of which there may be any number, as a list."""
    if len(items) == 1 and isinstance(items[0], Spread):
        return items[0].value
    types = [getattr(one.value.type, "element", None) if isinstance(one, Spread) else one.type for one in items]
    found = join(one for one in types if one is not None) if None not in types else None
    if found is None:
        context.fail(node, f"arguments of several types: '{ast.unparse(node)}'")
    return ListLiteral(tuple(items), type=ListOf(found), origin=context.origin(node))


def named(
    context: Context, node: ast.Call, lower: Callable[[Context, ast.expr], Expression] = Context.expression
) -> Iterator[tuple[str, Expression]]:
    """Yield the arguments with names, those of ``**`` among them."""
    for one in node.keywords:
        if one.arg is not None:
            yield one.arg, lower(context, one.value)
        else:
            yield from _expanded(context, node, one.value)


def is_empty(context: Context, name: str) -> bool:
    """Return whether a variable is a dictionary into which nothing is put on the ways to here, and that nothing else has."""
    known = context.scope.type_of(name)
    return isinstance(known, DictOf) and known.key == UNKNOWN and _keys(context, name) is not None


def _keys(context: Context, name: str) -> list[str] | None:
    """Return the keys of a dictionary that begins empty, gets them by ``name["key"] = …`` alone, and is spread; None for another."""
    nodes = list(ast.walk(context.method.tree))
    stored = [
        one for one in nodes
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == name
        and isinstance(one.ctx, ast.Store)
    ]  # fmt: skip
    alone = {id(one.value) for one in stored}
    alone |= {id(one.value) for one in nodes if isinstance(one, ast.keyword) and one.arg is None}
    every = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    made = [one for one in nodes if isinstance(one, ast.Assign) and ast.unparse(one) == f"{name} = {{}}"]
    if len(made) != 1 or len([one for one in every if not isinstance(one.ctx, ast.Load)]) != 1:
        return None
    if any(isinstance(one.ctx, ast.Load) and id(one) not in alone for one in every):
        return None
    keys = [one.slice.value if isinstance(one.slice, ast.Constant) else None for one in stored]
    return list(dict.fromkeys(map(str, keys))) if None not in keys else None


def _entries(context: Context, value: ast.Name, keys: Sequence[str]) -> Iterator[tuple[str, Expression]]:
    """Yield what a dictionary gives to flags of PyTorch's, which are off where it has no entry."""
    found = context.expression(value)
    if not isinstance(found.type, DictOf) or found.type.value != BOOL or not set(keys) <= _FLAGS:
        context.fail(value, f"arguments that are spread: '{ast.unparse(value)}'")
    for key in keys:
        given = tuple(Literal(one, type=kind) for one, kind in ((key, STR), (False, BOOL)))
        yield key, ContainerCall(found, "get", given, type=BOOL, origin=found.origin)


def _expanded(context: Context, node: ast.Call, value: ast.expr) -> Iterator[tuple[str, Expression]]:
    """Yield what ``**value`` gives: the keywords that the function itself was given, or the entries of a literal."""
    if isinstance(value, ast.Name) and is_empty(context, value.id):
        return
    if isinstance(value, ast.Name) and (keys := _keys(context, value.id)) is not None:
        yield from _entries(context, value, keys)
        return
    found = context.expression(value)
    if not isinstance(found, DictLiteral) or not all(isinstance(key, Literal) for key, _ in found.entries):
        context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
    for key, entry in found.entries:
        assert isinstance(key, Literal)
        yield str(key.value), entry
