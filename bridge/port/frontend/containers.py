"""Lists, tuples, sets, dictionaries, comprehensions and lambdas."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import ExitStack
from functools import reduce

from bridge.port.frontend.classes import entries
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type, type_of_name
from bridge.port.frontend.targets import element_of, stored_names, target
from bridge.port.frontend.values import convert, is_read, there, tuple_of
from bridge.port.ir.nodes import (
    Binary,
    BuiltinCall,
    Comprehension,
    DictLiteral,
    Expression,
    Generator,
    Lambda,
    ListLiteral,
    SetLiteral,
    Spread,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import (
    INT,
    SIZES,
    UNKNOWN,
    DictOf,
    FunctionOf,
    IteratorOf,
    ListOf,
    SetOf,
    TupleOf,
    Type,
    join,
)


def lower_list(context: Context, node: ast.List) -> Expression:
    """Lower ``[a, b, *c]``."""
    items = _items(context, node.elts)
    found = ListOf(_common(context, node, items))
    made = tuple(_as_element(one, found.element) for one in items)
    return ListLiteral(made, type=found, origin=context.origin(node))


def lower_tuple(context: Context, node: ast.Tuple) -> Expression:
    """Lower ``(a, b, *c)``; if the length of ``c`` is unknown, the type of the result is sizes for ints, else a list."""
    items = _items(context, node.elts)
    origin = context.origin(node)
    if node in context.grown:
        return ListLiteral(tuple(items), type=ListOf(_common(context, node, items)), origin=origin)
    if not any(isinstance(one, Spread) for one in items):
        return tuple_of(tuple(one for one in items if isinstance(one, Expression)), origin)
    found = _common(context, node, items)
    return TupleLiteral(items, type=SIZES if found == INT else ListOf(found), origin=origin)


def lower_set(context: Context, node: ast.Set) -> Expression:
    """Lower ``{a, b}``."""
    items = tuple(context.expression(one) for one in node.elts)
    return SetLiteral(items, type=SetOf(_common(context, node, items)), origin=context.origin(node))


def _items(context: Context, nodes: Sequence[ast.expr]) -> tuple[Expression | Spread, ...]:
    """Return the items of a literal; a tuple after ``*`` is replaced by its items, if it may be evaluated once for each."""
    found: list[Expression | Spread] = []
    for one in nodes:
        if not isinstance(one, ast.Starred):
            found.append(context.expression(one))
            continue
        value, origin = there(context.expression(one.value)), context.origin(one)
        if isinstance(value, TupleLiteral) and isinstance(value.type, TupleOf):
            found += value.items
        elif isinstance(value.type, TupleOf) and is_read(value):
            found += [TupleItem(value, at, type=kind, origin=origin) for at, kind in enumerate(value.type.items)]
        else:
            found.append(Spread(value, origin=origin))
    return tuple(found)


def _common(context: Context, node: ast.expr, items: Sequence[Expression | Spread]) -> Type:
    """Return the common type of the items of a literal."""
    types = [element_of(one.value.type) if isinstance(one, Spread) else one.type for one in items]
    found = join(one for one in types if one is not None) if None not in types else None
    if found is None:
        context.fail(node, f"'{ast.unparse(node)}', of values of several types: {', '.join(map(str, types))}")
    return found


def _as_element(item: Expression | Spread, element: Type) -> Expression | Spread:
    return item if isinstance(item, Spread) else convert(item, element)


def lower_dict(context: Context, node: ast.Dict) -> Expression:
    """Lower ``{key: value}``; ``{key: value, **other}`` becomes the union of ``{key: value}`` and ``other``."""
    parts: list[Expression] = []
    entries: list[tuple[Expression, Expression]] = []
    for key, one in zip(node.keys, node.values, strict=True):
        if key is not None:
            entries.append((context.expression(key), context.expression(one)))
            continue
        if entries:
            parts.append(dictionary(context, node, entries))
            entries = []
        parts.append(there(context.expression(one)))
    if entries or not parts:
        parts.append(dictionary(context, node, entries))
    first, *others = parts
    if not others and node.keys:
        return (
            first
            if isinstance(first, DictLiteral)
            else BuiltinCall("dict", (first,), type=first.type, origin=first.origin)
        )
    return reduce(lambda a, b: _union(context, node, a, b), others, first)


def _union(context: Context, node: ast.Dict, left: Expression, right: Expression) -> Expression:
    found = join([left.type, right.type])
    if not isinstance(found, DictOf):
        context.fail(node, f"'{ast.unparse(node)}', of a {left.type} and a {right.type}")
    return Binary("|", left, right, type=found, origin=context.origin(node))


def dictionary(context: Context, node: ast.expr, entries: Sequence[tuple[Expression, Expression]]) -> Expression:
    """Return a dictionary of lowered keys and values."""
    keys, values = [key.type for key, _ in entries], [value.type for _, value in entries]
    key, value = join(keys), join(values)
    if key is None or value is None:
        several = "keys" if key is None else "values"
        kinds = ", ".join(map(str, keys if key is None else values))
        context.fail(node, f"'{ast.unparse(node)}', of {several} of several types: {kinds}")
    made = tuple((one, convert(other, value)) for one, other in entries)
    return DictLiteral(made, type=DictOf(key, value), origin=context.origin(node))


def lower_comprehension(
    context: Context, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Expression:
    """Lower a comprehension: its variables are local to it, and its element is lowered with the types that its conditions prove."""
    origin = context.origin(node)
    names = [name for one in node.generators for name in stored_names(one.target)]
    head = node.generators[0].iter
    first = entries.lower(context, head) or context.expression(head)
    with context.inner(names), context.turns(names), ExitStack() as proofs:
        generators: list[Generator] = []
        for place, one in enumerate(node.generators):
            source = there(first if place == 0 else context.expression(one.iter))
            element = element_of(source.type)
            if element is None or one.is_async:
                context.fail(node, f"a loop over a {source.type}: '{ast.unparse(one.iter)}'")
            made = target(context, one.target, element)
            conditions = []
            for test in one.ifs:
                conditions.append(context.condition(test))
                proofs.enter_context(context.assuming(conditions[-1], True))
            generators.append(Generator(made, source, tuple(conditions), origin=origin))
        key = context.expression(node.key) if isinstance(node, ast.DictComp) else None
        body = context.expression(node.value if isinstance(node, ast.DictComp) else node.elt)
    return Comprehension(body, tuple(generators), key, type=_made(node, body.type, key), origin=origin)


def _made(node: ast.expr, element: Type, key: Expression | None) -> Type:
    if key is not None:
        return DictOf(key.type, element)
    kinds: dict[type, type[ListOf | SetOf | IteratorOf]] = {ast.ListComp: ListOf, ast.SetComp: SetOf}
    return kinds.get(type(node), IteratorOf)(element)


def lower_lambda(context: Context, node: ast.Lambda, given: Sequence[Type] = ()) -> Expression:
    """Lower ``lambda a, b: body``; its parameters have the types ``given``, else those of its calls' arguments, else those of the runs."""
    names = [one.arg for one in node.args.args]
    plain = not (
        node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults or node.args.posonlyargs
    )
    types = list(given) or _types_of_calls(context, node, len(names)) or _types_of_reads(context, node, names)
    types = types or _types_of_neighbors(context, node, len(names))
    if not plain or len(types) != len(names):
        context.fail(node, f"the parameters of '{ast.unparse(node)}'")
    origin = context.origin(node)
    if not given:  # with ``given`` types, the lambda is called at once
        context.capture(node, names)
    with context.inner(names):
        targets = [context.assign(name, kind, origin) for name, kind in zip(names, types, strict=True)]
        body = context.expression(node.body)
    found = FunctionOf(tuple(types), body.type)
    return Lambda(tuple(one.name for one in targets), body, type=found, origin=origin)


def _types_of_reads(context: Context, node: ast.Lambda, names: Sequence[str]) -> list[Type]:
    """Return the types that the parameters had where the runs read them, without unknown types."""
    return [one for one in (type_of_name(context, name, node) for name in names) if one != UNKNOWN]


def _types_of_neighbors(context: Context, node: ast.Lambda, count: int) -> list[Type]:
    """Return the types of the parameters of another lambda in a list of lambdas, all of which take the same number; else no types."""
    for one in ast.walk(context.method.tree):
        if isinstance(one, ast.List) and any(node is item for item in one.elts):
            lambdas = [item for item in one.elts if isinstance(item, ast.Lambda) and len(item.args.args) == count]
            found = (_types_of_reads(context, item, [arg.arg for arg in item.args.args]) for item in lambdas)
            return next(filter(None, found), []) if len(lambdas) == len(one.elts) else []
    return []


def _types_of_calls(context: Context, node: ast.Lambda, count: int) -> list[Type]:
    """Return the types of the arguments in calls of the variables to which the lambda is assigned, without unknown types."""
    holders = [one for one in ast.walk(context.method.tree) if isinstance(one, ast.Assign) and one.value is node]
    names = {one.id for holder in holders for one in holder.targets if isinstance(one, ast.Name)}
    calls = [
        one
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in names
    ]
    rows = [[observed_type(context, one) for one in call.args] for call in calls if len(call.args) == count]
    types = [join(column) for column in zip(*rows, strict=True)]
    return [one for one in types if one is not None and one != UNKNOWN]


def keyed(context: Context, node: ast.Call) -> Expression:
    """Lower ``dict(a=1)`` and ``OrderedDict()``."""
    entries = []
    for one in node.keywords:
        if one.arg is None:
            context.fail(node, f"'{ast.unparse(node)}', which spreads another dictionary")
        key = context.expression(ast.copy_location(ast.Constant(one.arg), one.value))
        entries.append((key, context.expression(one.value)))
    return dictionary(context, node, entries)
