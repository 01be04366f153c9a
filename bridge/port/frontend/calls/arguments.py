"""Arguments of calls of the model's own functions: the parameter of each argument, including those from ``*`` and ``**``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridge.port.frontend.calls import functions_as_values, keyword_sets
from bridge.port.frontend.calls.callees import is_function
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import are_ints, convert, is_read, none, there
from bridge.port.ir.nodes import (
    Argument,
    Bind,
    BuiltinCall,
    Compare,
    Conditional,
    ContainerCall,
    Convert,
    DictLiteral,
    Expression,
    Function,
    ListLiteral,
    Literal,
    Local,
    Not,
    Parameter,
    Spread,
    TupleItem,
    TupleLiteral,
    UnsupportedValue,
)
from bridge.port.ir.types import (
    BOOL,
    INT,
    NONE,
    SIZES,
    STR,
    UNKNOWN,
    ConstantOf,
    DictOf,
    ListOf,
    OptionalOf,
    TupleOf,
    Type,
    is_choice,
    join,
    required,
)

#: Parameters of PyTorch's functions whose default is False.
_FLAGS: Final = frozenset({"enable_gqa", "is_causal"})


#: Tests of arguments, each with the reason why C# throws if it does not hold.
Guards = list[tuple[Expression, str]]


def bound(
    context: Context, node: ast.Call, header: Function, first: int = 0, guards: Guards | None = None
) -> tuple[Argument, ...]:
    """Return a call's arguments by parameter, converted to the parameters' types, without the ``first`` arguments (the receiver).

    ``guards`` gets a test for each argument that C# does not take and that is the parameter's only value if the test holds, and why C#
    throws otherwise; without ``guards``, these arguments are refused.
    """
    order = header.order
    parameters = {one.name: one for one in order}
    given: dict[str, Argument] = {}

    def argument(parameter: Parameter, value: Expression, positional: bool) -> None:
        if guards is not None and (guard := _guard_of_type(parameter, value)) is not None:
            guards.append((guard, f"{header.name} takes no {parameter.name} but None in C#"))
            value = none(value.origin)
        given[parameter.name] = _argument(context, node, parameter, value, positional)

    places = positional(context, node, node.args[first:])
    in_order = [one for one in order if not one.named]
    for place, parameter in enumerate(in_order):
        if parameter.spread:
            given[parameter.name] = _argument(context, node, parameter, _many(context, node, places[place:]), True)
            places = places[:place]
            break
        if place < len(places):
            argument(parameter, _alone(context, node, order, places[place]), True)
    if len(places) > len(in_order):
        context.fail(node, f"{header.name} takes fewer arguments: '{ast.unparse(node)}'")
    for name, value in named(context, node, _value):
        if name not in parameters and _is_taken(context, node, name, value, guards):
            continue
        if name not in parameters and guards is not None and name in context.absent and is_read(value):
            test = Compare("is", value, none(value.origin), type=BOOL, origin=value.origin)
            guards.append((test, f"{header.name} takes no {name} in C#"))
            continue
        if name not in parameters:
            context.fail(node, f"{header.name} has no parameter {name}: '{ast.unparse(node)}'")
        if name in context.absent:
            value = _or_default(context, node, parameters[name], value)
        argument(parameters[name], value, False)
    for one in order:
        needed = one in header.parameters or isinstance(one.type, ConstantOf) or one.needed
        if one.name not in given and (one.default is None or one.needed) and not one.spread and needed:
            context.fail(node, f"'{ast.unparse(node)}' lacks the argument {one.name}")
    for _, fixed in header.fixed:
        left = given.pop(fixed.name, None)
        if left is not None and not _is_default(left.value, fixed):
            if guards is None or (guard := _guard(left.value, fixed)) is None:
                why = f"{header.name} is given {fixed.name}, which C# does not take: '{ast.unparse(node)}'"
                context.fail(node, why)
            guards.append((guard, f"{header.name} takes no other {fixed.name} in C#"))
    return tuple(given.values())


def in_places(context: Context, node: ast.Call, parameters: Sequence[Type]) -> tuple[Expression, ...]:
    """Return the arguments of a call of a function that is a value, converted to the types of its parameters."""
    places = positional(context, node, node.args)
    if node.keywords or len(places) != len(parameters) or any(isinstance(one, Spread) for one in places):
        context.fail(node, f"the arguments of '{ast.unparse(node)}', which calls a function that is a value")
    made = []
    for place, (one, wanted) in enumerate(zip(places, parameters, strict=True), start=1):
        parameter = Parameter(f"argument {place}", wanted)
        made.append(_argument(context, node, parameter, _alone(context, node, (), one), True).value)
    return tuple(made)


def _or_default(context: Context, node: ast.Call, parameter: Parameter, value: Expression) -> Expression:
    """Return an argument that some calls do not give, None then in C#, or the parameter's default."""
    default = parameter.default.value if isinstance(parameter.default, Convert) else parameter.default
    if isinstance(default, Literal) and default.value is None:
        return value
    if not isinstance(default, Literal) or context.absent[parameter.name] or not is_read(value):
        context.fail(node, f"{parameter.name}, which some calls do not give: '{ast.unparse(node)}'")
    test = Compare("is", value, none(value.origin), type=BOOL, origin=value.origin)
    found = required(value.type)
    return Conditional(test, convert(default, found), there(value), type=found, origin=value.origin)


def guarded(call: Expression, guards: Guards) -> Expression:
    """Return a call that throws unless all ``guards`` of its arguments hold."""
    for test, why in reversed(guards):
        other = UnsupportedValue(why, type=call.type, origin=call.origin)
        call = Conditional(test, call, other, type=call.type, origin=call.origin)
    return call


def _guard_of_type(parameter: Parameter, value: Expression) -> Expression | None:
    """Return the test whether an argument is None, if it may also be of a type that the parameter, None in every run, does not take."""
    optionals = isinstance(parameter.type, OptionalOf) and isinstance(value.type, OptionalOf)
    if not optionals or is_choice(parameter.type) or is_choice(value.type) or not is_read(value):
        return None
    if join([parameter.type, value.type]) is not None or (parameter.type == OptionalOf(SIZES) and are_ints(value.type)):
        return None
    return Compare("is", value, none(value.origin), type=BOOL, origin=value.origin)


def _guard(value: Expression, parameter: Parameter) -> Expression | None:
    """Return the test whether an argument is the only value of a parameter; None if there is no such test."""
    while isinstance(value, Convert):
        value = value.value
    default = parameter.default.value if isinstance(parameter.default, Convert) else parameter.default
    if parameter.type == NONE:
        default = none(value.origin)
    if not isinstance(default, Literal) or not is_read(value):
        return None
    if default.value is None:
        may_be = isinstance(value.type, OptionalOf) and not is_choice(value.type)
        return Compare("is", value, none(value.origin), type=BOOL, origin=value.origin) if may_be else None
    return _equals(value, default)


def _equals(value: Expression, wanted: Literal) -> Expression | None:
    """Return the test whether a bool, int or string, or an optional of these, is a literal; None for other values."""
    if required(value.type) != wanted.type or wanted.type not in (BOOL, INT, STR):
        return None
    if value.type == BOOL:
        return value if wanted.value else Not(value, type=BOOL, origin=value.origin)
    return Compare("==", value, replace(wanted, name=""), type=BOOL, origin=value.origin)


def _is_taken(context: Context, node: ast.Call, name: str, value: Expression, guards: Guards | None) -> bool:
    """Return whether an argument is ``return_dict=True`` in a call that ran: a decorator of transformers takes it, not the function."""
    if name != "return_dict" or not context.ran(node.func):
        return False
    wanted = Literal(True, type=BOOL, origin=value.origin)
    if isinstance(value, Literal) or guards is None or not is_read(value):
        return isinstance(value, Literal) and value.value is True
    seen = {truth for one in node.keywords if one.arg == name for truth in context.observation(one.value).truths}
    guard = _equals(value, wanted) if seen == {True} else None
    guards += [] if guard is None else [(guard, "a result as a tuple, since return_dict is False")]
    return guard is not None


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
    if parameter.type != value.type:
        value = as_value(context, node, value)
    if is_choice(value.type) and not is_choice(parameter.type):
        context.fail(node, f"{parameter.name} is {parameter.type}, and may be None: '{ast.unparse(node)}'")
    of_sizes = parameter.type == SIZES and are_ints(value.type)
    if join([parameter.type, value.type]) is None and not of_sizes:
        context.fail(
            node, f"{parameter.name} is a {parameter.type}, and is given a {value.type}: '{ast.unparse(node)}'"
        )
    return Argument(parameter.name, convert(value, parameter.type), positional, origin=value.origin)


def as_value(context: Context, node: ast.Call, value: Expression) -> Expression:
    """Return a function of a source file that is a constant as a lambda; other expressions as they are."""
    if isinstance(value.type, ConstantOf) and is_function(value.type.value):
        return functions_as_values.lower(context, node, value.type.value)
    return value


def _alone(context: Context, node: ast.Call, order: Sequence[Parameter], value: Expression | Spread) -> Expression:
    """Return an argument; a spread list is the only argument of a function that requires one, and must have one item."""
    if isinstance(value, Spread):
        needed = sum(not one.named and one.default is None for one in order)
        if len(node.args) == needed == 1 and isinstance(value.value.type, ListOf):
            return BuiltinCall("single", (value.value,), type=value.value.type.element, origin=value.origin)
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
    items = [one if isinstance(one, Spread) else as_value(context, node, one) for one in items]
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
    """Return whether a variable is a dictionary of keyword arguments (see ``_keys``) that is still empty at this point."""
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
        if (
            key.value in context.absent and lower is not _value
        ):  # only functions of a source show their parameters' defaults
            context.fail(node, f"{key.value}, which some calls do not give: '{ast.unparse(node)}'")
        yield str(key.value), entry
