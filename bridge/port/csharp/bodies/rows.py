"""Rows of expressions that create modules: equal expressions, or those that differ in numbers, become a ``Select``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.tidying import walk
from bridge.port.csharp.building import INT32, call, lambda_of, static
from bridge.port.csharp.calls.member_table import overloads
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.names import unique

#: The least numbers of equal expressions, and of expressions that differ in a number, that become a ``Select``.
_EQUAL: Final = 3
_SERIES: Final = 4
_NUMBERED: Final = re.compile(r"(.*?)(0|[1-9][0-9]{0,8})")

#: The place of a node in an expression: the fields and indices that lead to it.
_Place = tuple[str | int, ...]


def shorten(emission: Emission, made: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
    """Return the items of a collection, with ``.. Enumerable.Range(0, 4).Select(i => new Block(64 + 32 * i))`` for each row.

    A row consists of calls that are equal, or that differ in literals only: in integers with a constant step, in names that end with
    consecutive integers, or in other numbers, which become the rows of a table. Calls of which three in a row are equal are no table.
    """
    found: list[tree.Expression] = []
    at = 0
    while at < len(made):
        length, row = max(
            ((length, row) for length, row in _rows(emission, made[at:])), key=lambda one: one[0], default=(1, made[at])
        )
        found.append(row)
        at += length
    return tuple(found)


def _rows(emission: Emission, made: Sequence[tree.Expression]) -> Iterator[tuple[int, tree.Expression]]:
    """Yield the rows that begin with the first expression, each with its length."""
    if not isinstance(_created(made[0]), (tree.New, tree.Call)):
        return
    columns: dict[_Place, list[Any]] = {}
    best: tuple[int, dict[_Place, list[Any]]] | None = None
    for length in range(2, len(made) + 1):
        places = _differences(made[0], made[length - 1])
        if places is None:
            break
        for place in places:
            columns.setdefault(place, [_at(made[0], place).value] * (length - 1))
        for place, values in columns.items():
            values.append(_at(made[length - 1], place).value)
        if not (_counted(columns) or _tabled(columns)):
            break
        if length >= (_SERIES if columns else _EQUAL):
            # two equal calls at the end of a table may begin a row of equal calls
            repeated = (
                not _counted(columns) and length < len(made) and made[length - 2] == made[length - 1] == made[length]
            )
            best = (length - 2 if repeated else length), {place: list(values) for place, values in columns.items()}
    if best is not None and best[0] >= (_SERIES if best[1] else _EQUAL):
        length, columns = best[0], {place: values[: best[0]] for place, values in best[1].items()}
        select = _count(emission, made[0], length, columns) if _counted(columns) else _table(emission, made[0], columns)
        yield length, tree.Spread(select)


def _created(expression: tree.Expression) -> tree.Expression:
    """Return the module of an entry: of ``("name", module)``, ``module``."""
    return expression.items[-1] if isinstance(expression, tree.Tuple) else expression


def _differences(first: Any, second: Any, place: _Place = ()) -> list[_Place] | None:
    """Return the places of literals of the same type that differ, or None if the expressions differ in anything else."""
    if first == second:
        return []
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        parts: list[tuple[str | int, Any, Any]] = [
            (index, *pair) for index, pair in enumerate(zip(first, second, strict=True))
        ]
    elif type(first) is not type(second) or not isinstance(first, tree.Node):
        return None
    elif isinstance(first, tree.Literal):
        alike = type(first.value) is type(second.value) and first.suffix == second.suffix
        return [place] if alike and isinstance(first.value, (int, float, str)) and first.value is not True else None
    else:
        parts = [(one.name, getattr(first, one.name), getattr(second, one.name)) for one in fields(first)]
    found: list[_Place] = []
    for step, one, other in parts:
        inner = _differences(one, other, (*place, step))
        if inner is None:
            return None
        found += inner
    return found


def _counted(columns: dict[_Place, list[Any]]) -> bool:
    """Return whether all columns are integers with a constant step, or names that end with consecutive integers."""
    return all(_step(values) is not None for values in columns.values())


def _tabled(columns: dict[_Place, list[Any]]) -> bool:
    """Return whether all columns are numbers, or names that end with consecutive integers, and no three consecutive rows are equal."""
    numbers = [values for values in columns.values() if not isinstance(values[0], str)]
    names = [values for values in columns.values() if isinstance(values[0], str)]
    if not numbers or not all(_is_number(value) for values in numbers for value in values):
        return False
    rows = list(zip(*numbers, strict=True))
    repeated = any(rows[at] == rows[at + 1] == rows[at + 2] for at in range(len(rows) - 2))
    return not repeated and all(_step(values) is not None for values in names)


def _is_number(value: Any) -> bool:
    return type(value) is float or _is_int32(value)


def _step(values: Sequence[Any]) -> int | None:
    """Return the constant step of integers, 1 for names that end with consecutive integers; else None."""
    if all(isinstance(value, str) for value in values):
        numbered = [_numbered(value) for value in values]
        prefixes, numbers = {prefix for prefix, _ in numbered}, [number for _, number in numbered]
        consecutive = all(after - before == 1 for before, after in pairwise(numbers))
        return 1 if len(prefixes) == 1 and consecutive and numbers[0] >= 0 else None
    if not all(map(_is_int32, values)):
        return None
    steps = {after - before for before, after in pairwise(values)}
    return steps.pop() if len(steps) == 1 else None


def _is_int32(value: Any) -> bool:
    """Return whether a value is an integer that C#'s ``int`` has."""
    return type(value) is int and -(2**31) <= value < 2**31


def _numbered(name: str) -> tuple[str, int]:
    """Return a name without the number at its end, and the number; -1 if the name ends with none."""
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, -1)


def _count(
    emission: Emission, first: tree.Expression, length: int, columns: dict[_Place, list[Any]]
) -> tree.Expression:
    """Return ``Enumerable.Range(start, length).Select(i => …)``."""
    starts = [_numbered(values[0])[1] for values in columns.values() if isinstance(values[0], str)]
    starts += [values[0] for values in columns.values() if _step(values) == 1 and type(values[0]) is int]
    start = starts[0] if starts else 0
    word = _parameter(emission, first, "i") if columns else "_"
    body = first
    for place, values in columns.items():
        body = _put(body, place, _term(tree.Name(word), values, start))
    counted = static("Enumerable.Range", tree.Literal(start), tree.Literal(length))
    return call(counted, "Select", lambda_of(word, body))


def _term(index: tree.Name, values: Sequence[Any], start: int) -> tree.Expression:
    """Return the value of a column as an expression of the index, which begins with ``start``."""
    if isinstance(values[0], str):
        prefix, number = _numbered(values[0])
        offset = number - start
        value: tree.Expression = tree.Binary("+", index, tree.Literal(offset)) if offset else index
        return tree.Interpolated((prefix, (value, "")))
    step = _step(values)
    assert step is not None
    constant = values[0] - step * start
    product = index if abs(step) == 1 else tree.Binary("*", tree.Literal(abs(step)), index)
    if step < 0:
        return tree.Binary("-", tree.Literal(constant), product)
    if constant < 0:
        return tree.Binary("-", product, tree.Literal(-constant))
    return tree.Binary("+", tree.Literal(constant), product) if constant else product


def _table(emission: Emission, first: tree.Expression, columns: dict[_Place, list[Any]]) -> tree.Expression:
    """Return ``((double[])[0.1, 0.2]).Select(value => …)``; for more columns, ``(((int a, int b)[])[(1, 3), (2, 5)]).Select(row => …)``."""
    names: dict[str, str] = {}
    kinds: list[tree.Type] = []
    cells: list[list[tree.Literal]] = []
    for place, values in columns.items():
        key = _key(first, place, values)
        if not isinstance(values[0], str) and key not in names:
            names[key] = unique(_name(first, place), names.values())
            suffix = _at(first, place).suffix if type(values[0]) is float else ""
            kinds.append(INT32 if type(values[0]) is int else tree.Type("float" if suffix else "double"))
            cells.append([tree.Literal(value, suffix) for value in values])
    alone = len(names) == 1
    word = _parameter(emission, first, next(iter(names.values())) if alone else "row")
    index = _parameter(emission, first, "i")
    body = first
    for place, values in columns.items():
        if isinstance(values[0], str):
            value = _term(tree.Name(index), values, 0)
        else:
            value = tree.Name(word) if alone else tree.Member(tree.Name(word), names[_key(first, place, values)])
        body = _put(body, place, value)
    element = kinds[0] if alone else tree.TupleType("", tuple(kinds), names=tuple(names.values()))
    items: list[tree.Expression] = [*cells[0]] if alone else [tree.Tuple(row) for row in zip(*cells, strict=True)]
    array = tree.Cast(tree.ArrayType("", (element,)), tree.Collection(tuple(items)))
    counted = any(isinstance(values[0], str) for values in columns.values())
    return call(array, "Select", tree.Lambda((word, index) if counted else (word,), body))


def _key(first: tree.Expression, place: _Place, values: Sequence[Any]) -> str:
    """Return a text that is equal for columns of the same numbers of the same type: 1 is not 1.0, nor 0.1 in C# 0.1f."""
    return f"{values}{_at(first, place).suffix if type(values[0]) is float else ''}"


def _name(first: tree.Expression, place: _Place) -> str:
    """Return a name for a column: that of the nearest argument, or of the parameter of TorchSharp that it is given for."""
    for end in range(len(place), 0, -1):
        node = _at(first, place[:end])
        if isinstance(node, tree.Argument):
            return node.name or _declared(_at(first, place[: end - 2]), place[end - 1])
    return "value"


def _declared(made: Any, place: Any) -> str:
    """Return the name of a parameter of the function that creates a layer of TorchSharp; ``value`` for other functions."""
    layer = made.function.name if isinstance(made, tree.Call) and isinstance(made.function, tree.Name) else ""
    members = [one.parameters for one in overloads("nn", layer) if len(one.parameters) > place]
    return max(members, key=len)[place].name if members else "value"


def _parameter(emission: Emission, first: tree.Expression, name: str) -> str:
    """Return a name for a lambda's parameter that neither the method nor a lambda within the expression has."""
    within = {word for node in walk(first) if isinstance(node, tree.Lambda) for word in node.parameters}
    return unique(name, emission.names | within)


def _at(node: Any, place: _Place) -> Any:
    """Return the node at a place."""
    for step in place:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    return node


def _put(node: Any, place: _Place, value: tree.Expression) -> Any:
    """Return the node with an expression at a place."""
    if not place:
        return value
    step, *rest = place
    if isinstance(step, int):
        return (*node[:step], _put(node[step], tuple(rest), value), *node[step + 1 :])
    return replace(node, **{step: _put(getattr(node, step), tuple(rest), value)})
