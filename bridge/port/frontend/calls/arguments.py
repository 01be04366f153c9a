"""Arguments of calls of the model's own functions: the parameter of each argument, including those from ``*`` and ``**``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from bridge.port.frontend.calls import functions_as_values, keyword_sets
from bridge.port.frontend.calls.callees import is_function
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import are_ints, convert, is_read, there
from bridge.port.ir.nodes import (
    Argument,
    Bind,
    ContainerCall,
    Convert,
    DictLiteral,
    Expression,
    Function,
    ListLiteral,
    Literal,
    Local,
    Parameter,
    Spread,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import BOOL, NONE, SIZES, STR, UNKNOWN, ConstantOf, DictOf, ListOf, TupleOf, is_choice, join

#: Parameters of PyTorch's functions whose default is False.
_FLAGS: Final = frozenset({"enable_gqa", "is_causal"})


def bound(context: Context, node: ast.Call, header: Function, first: int = 0) -> tuple[Argument, ...]:
    """Return a call's arguments by parameter, converted to the parameters' types, without the ``first`` arguments (the receiver)."""
    order = header.order
    parameters = {one.name: one for one in order}
    given: dict[str, Argument] = {}
    places = positional(context, node, node.args[first:])
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
        if name not in parameters and _is_taken(context, node, name, value):
            continue
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


def _is_taken(context: Context, node: ast.Call, name: str, value: Expression) -> bool:
    """Return whether an argument is ``return_dict=True`` in a call that ran: a decorator of transformers takes it, not the function."""
    return name == "return_dict" and context.ran(node.func) and isinstance(value, Literal) and value.value is True


def _value(context: Context, node: ast.expr) -> Expression:
    """Lower an argument; a function of a source file stays a constant, since the parameter may be the same constant."""
    return functions_as_values.constant(context, node) or context.expression(node)


def _is_default(value: Expression, parameter: Parameter) -> bool:
    """Return whether C# can omit an argument: it is the default, or has no side effect and the parameter is a constant or is not read."""
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
    if is_choice(value.type) and not is_choice(parameter.type):
        context.fail(node, f"{parameter.name} is {parameter.type}, and may be None: '{ast.unparse(node)}'")
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


def positional(context: Context, node: ast.Call, nodes: Sequence[ast.expr]) -> list[Expression | Spread]:
    """Return the positional arguments; the items of a spread tuple become arguments of their own."""
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
        elif isinstance(value.type, TupleOf) and value.type.items:
            found += _bound_items(context, value, value.type)
        else:
            found.append(Spread(value, origin=context.origin(one)))
    return found


def _bound_items(context: Context, value: Expression, found: TupleOf) -> Iterator[Expression]:
    """Yield the items of a tuple: the first item assigns the tuple to a local variable, from which the other items are read."""
    local = context.scope.fresh("items", found)
    whole: Expression = Bind(local.name, value, type=found, origin=value.origin)
    for at, kind in enumerate(found.items):
        yield TupleItem(whole, at, type=kind, origin=value.origin)
        whole = Local(local.name, type=found, origin=value.origin)


def _many(context: Context, node: ast.Call, items: Sequence[Expression | Spread]) -> Expression:
    """Return the arguments for a parameter such as ``*args`` as one list."""
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
    """Yield the names and values of the keyword arguments, including those from ``**``."""
    for one in node.keywords:
        if one.arg is not None:
            yield one.arg, lower(context, one.value)
        else:
            yield from _expanded(context, node, one.value, lower)


def is_empty(context: Context, name: str) -> bool:
    """Return whether a variable is a dictionary of keyword arguments (as for ``_keys``) that is still empty at this point."""
    known = context.scope.type_of(name)
    return isinstance(known, DictOf) and known.key == UNKNOWN and _keys(context, name) is not None


def _keys(context: Context, name: str) -> list[str] | None:
    """Return the keys of a dictionary that starts empty and is used only in ``name["key"] = …`` and ``**name``; None for other names."""
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
    """Yield the entries of a dictionary for bool parameters of PyTorch's; the value is False for a key that the dictionary lacks."""
    found = context.expression(value)
    if not isinstance(found.type, DictOf) or found.type.value != BOOL or not set(keys) <= _FLAGS:
        context.fail(value, f"arguments that are spread: '{ast.unparse(value)}'")
    for key in keys:
        given = tuple(Literal(one, type=kind) for one, kind in ((key, STR), (False, BOOL)))
        yield key, ContainerCall(found, "get", given, type=BOOL, origin=found.origin)


def _popped(context: Context, node: ast.Call, name: str) -> set[str]:
    """Return the keywords that the function removes from ``name`` by ``name.pop("key")`` before the call."""
    taken = [one for one in ast.walk(context.method.tree) if _is_pop(one, name)]
    plain = [
        one for one in context.method.tree.body if isinstance(one, (ast.Assign, ast.Expr)) and one.lineno < node.lineno
    ]
    values = [one.value for one in plain]
    if any(
        one not in values or not isinstance(one.args[0], ast.Constant) for one in taken if isinstance(one, ast.Call)
    ):
        context.fail(node, f"'{ast.unparse(node)}' after a pop of {name} that some calls skip")
    return {
        str(one.args[0].value) for one in taken if isinstance(one, ast.Call) and isinstance(one.args[0], ast.Constant)
    }


def _is_pop(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.pop" and bool(node.args)


def _expanded(
    context: Context, node: ast.Call, value: ast.expr, lower: Callable[[Context, ast.expr], Expression]
) -> Iterator[tuple[str, Expression]]:
    """Yield the keyword arguments of ``**value``: entries of a local variable, of a literal, or of the function's own ``**kwargs``."""
    if isinstance(value, ast.Name) and value.id in context.given:
        yield from ((key, lower(context, one)) for key, one in keyword_sets.expanded(context, value))
        return
    if isinstance(value, ast.Name) and is_empty(context, value.id):
        return
    if isinstance(value, ast.Name) and (keys := _keys(context, value.id)) is not None:
        yield from _entries(context, value, keys)
        return
    found = context.expression(value)
    if not isinstance(found, DictLiteral) or not all(isinstance(key, Literal) for key, _ in found.entries):
        context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
    gone = _popped(context, node, value.id) if isinstance(value, ast.Name) else set()
    for key, entry in found.entries:
        assert isinstance(key, Literal)
        if key.value in gone:
            continue
        yield str(key.value), entry
