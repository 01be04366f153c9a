"""Loops: ``for`` over elements, counting loops, ``while``, and the ``else`` of a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.bodies import assignments
from bridge.port.csharp.building import call, index
from bridge.port.csharp.emission import Emission, Loop
from bridge.port.csharp.literals import is_narrow
from bridge.port.csharp.types import LONG, array
from bridge.port.csharp.values import containers
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.effects import effects
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import SIZES, STR, TENSOR

Statements = tuple[tree.Statement, ...]

#: Methods that change a list: C# throws if a ``foreach`` over the list goes on after them.
_CHANGING: Final = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"})


def breaks(nodes: Sequence[ir.Statement]) -> bool:
    """Return whether the body of a loop has a ``break`` of that loop."""
    return any(isinstance(one, ir.Break) for one in _own(nodes))


def _own(nodes: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Yield the statements of a loop's body, without the statements of inner loops and functions."""
    for node in nodes:
        yield node
        if isinstance(node, (ir.If, ir.GradientMode)):
            yield from _own(node.body)
        if isinstance(node, (ir.If, ir.For, ir.While)):
            yield from _own(node.other)


def break_(emission: Emission, node: ir.Break) -> Statements:
    """Return ``break``; if the loop has an ``else``, first set the variable that guards it to false."""
    completed = emission.loops[-1].completed if emission.loops else ""
    before = (tree.Assign(tree.Name(completed), tree.Literal(False)),) if completed else ()
    return (*before, tree.Keyword("break"))


def continue_(emission: Emission, node: ir.Continue) -> Statements:
    """Return ``continue``."""
    return (tree.Keyword("continue"),)


def while_(emission: Emission, node: ir.While) -> Statements:
    """Return ``while``, followed by its ``else``."""
    completed = _completed(emission, node)
    made = tree.While(emission.expression(node.test), _body(emission, node.body, Loop(completed)))
    return _with_else(emission, node, completed, (made,))


def counting(emission: Emission, node: ir.CountingLoop) -> Statements:
    """Return ``for (long i = 0; i < n; i++)``."""
    name, by = tree.Name(node.name), abs(node.step)
    sign, order = ("+", "<") if node.step > 0 else ("-", ">")
    step: tree.Expression = tree.Unary(sign * 2, name, postfix=True)
    if by != 1:
        step = tree.Assigned(name, tree.Literal(by), f"{sign}=")
    type_ = LONG if is_narrow(node.start) else tree.VAR
    start = tree.Declare(type_, node.name, emission.expression(node.start))
    test = tree.Binary(order, name, emission.expression(node.stop))
    return (tree.For(start, test, step, _body(emission, node.body, Loop(variable=node.name))),)


def loop(emission: Emission, node: ir.For) -> Statements:
    """Return ``foreach``, or ``for`` over a list that the body changes, followed by its ``else``."""
    node = _without_number(node)
    if any(_is_changed(one, node.body) for one in _walked(node.source)):
        raise Untranslatable(node.origin, "a loop over enumerate, reversed or zip of a list that its body changes")
    completed = _completed(emission, node)
    if isinstance(node.source.type, types.ListOf) and _is_changed(node.source, node.body):
        made = _growing(emission, node, completed)
    else:
        made = (_for_each(emission, node, completed),)
    return _with_else(emission, node, completed, made)


def _without_number(node: ir.For) -> ir.For:
    """Return the loop; a loop over ``enumerate`` whose number is never read becomes a loop over the elements."""
    source, target = node.source, node.target
    if not (isinstance(source, ir.BuiltinCall) and source.name == "enumerate" and isinstance(target, ir.TupleTarget)):
        return node
    number, *others = target.items
    plain = len(source.arguments) == 1 and not source.keywords and len(others) == 1 and target.star < 0
    unread = isinstance(number, ir.LocalTarget) and (number.name == "_" or number.declares)
    if not plain or not unread or not isinstance(number, ir.LocalTarget):
        return node
    if _reads(number.name, node.body) or number.name in effects(*node.body).writes:
        return node
    return replace(node, target=others[0], source=source.arguments[0])


def _completed(emission: Emission, node: ir.For | ir.While) -> str:
    """Return the variable that tells whether the loop ran to its end; empty if the loop has no ``else``, or no ``break``."""
    return emission.fresh("completed") if node.other and breaks(node.body) else ""


def _with_else(emission: Emission, node: ir.For | ir.While, completed: str, made: Statements) -> Statements:
    other = emission.statements(node.other)
    if not completed:
        return (*made, *other)
    flag = tree.Declare(tree.VAR, completed, tree.Literal(True))
    return (flag, *made, tree.If(tree.Name(completed), other))


def _body(emission: Emission, nodes: Sequence[ir.Statement], around: Loop) -> Statements:
    emission.loops.append(around)
    made = emission.statements(nodes)
    emission.loops.pop()
    return made


# -- Elements --------------------------------------------------------------------------------------------------------------


def _for_each(emission: Emission, node: ir.For, completed: str) -> tree.ForEach:
    source, pairs = _source(emission, node)
    element = _element(node.source)
    target, before = _target(emission, node, element, pairs)
    variable = target if isinstance(target, str) else ""
    body = _body(emission, node.body, Loop(completed, variable))
    return tree.ForEach(target, source, (*before, *body))


def _target(
    emission: Emission, node: ir.For, element: types.Type, pairs: bool
) -> tuple[str | tree.DeclaredTuple, Statements]:
    """Return the variables of a foreach, and assignments of variables that it cannot declare, such as variables that its body assigns."""
    target = node.target
    assigned = {one.name for part in node.body for one in walk(part) if isinstance(one, (ir.LocalTarget, ir.Bind))}
    names = {one.name for one in walk(target) if isinstance(one, ir.LocalTarget)}
    if isinstance(target, ir.LocalTarget) and not pairs:
        if target.name == "_" and not _reads("_", node.body):
            around = sum(one.variable != "" and not one.variable.strip("_") for one in emission.loops)
            return "_" * (1 + around), ()
        if target.declares and target.name not in assigned and target.type in (element, types.UNKNOWN):
            return target.name, ()
    if isinstance(target, ir.TupleTarget) and target.star < 0 and not names & assigned:
        found = assignments.declared_tuple(emission, target, element)
        if found is not None and (isinstance(element, types.TupleOf) or _counted(emission, target, element)):
            return _without_unread(found, node.body), ()
    name = emission.fresh("pair" if isinstance(target, ir.TupleTarget) else "each")
    held = ir.Local(name, type=element, origin=target.origin)
    before = assignments.assign(emission, ir.Assign(target, held, origin=target.origin))
    if not pairs:
        return name, before
    parts = [emission.fresh("key"), emission.fresh("value")]  # a KeyValuePair is no tuple
    made = tree.Declare(tree.VAR, name, tree.Tuple(tuple(map(tree.Name, parts))))
    return tree.DeclaredTuple(tuple(parts)), (made, *before)


def _counted(emission: Emission, target: ir.TupleTarget, element: types.Type) -> bool:
    """Return whether PythonMath's ``Deconstruct`` can unpack the elements; if so, add that helper."""
    if not assignments.is_list(element) or len(target.items) > assignments.MOST:
        return False
    emission.helpers.add(f"Deconstruct{len(target.items)}")
    return True


def _without_unread(target: tree.DeclaredTuple, body: Sequence[ir.Statement]) -> tree.DeclaredTuple:
    def kept(one: Any) -> Any:
        if isinstance(one, tree.DeclaredTuple):
            return _without_unread(one, body)
        return one if _reads(one, body) else "_"

    return tree.DeclaredTuple(tuple(map(kept, target.items)))


def _reads(name: str, body: Sequence[ir.Statement]) -> bool:
    return any(isinstance(one, ir.Local) and one.name == name for part in body for one in walk(part))


def _element(source: ir.Expression) -> types.Type:
    """Return the type of the elements of a loop's source. Raises Untranslatable."""
    found = source.type
    if isinstance(found, (types.ListOf, types.SetOf, types.IteratorOf, types.ModulesOf)):
        is_keyed = isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict")
        return STR if is_keyed else found.element
    if isinstance(found, types.DictOf):
        return found.key
    if found == SIZES:
        return types.INT
    if found in (TENSOR, STR):
        return found
    if isinstance(found, types.TupleOf) and (element := types.join(found.items)) is not None:
        return element
    raise Untranslatable(source.origin, f"a loop over a {found}")


def _source(emission: Emission, node: ir.For) -> tuple[tree.Expression, bool]:
    """Return the collection of a foreach, and whether its elements are a dictionary's KeyValuePairs."""
    source, found = node.source, node.source.type
    if isinstance(source, ir.ContainerCall) and source.name == "items" and isinstance(source.value.type, types.DictOf):
        return emission.expression(source.value), True
    items = assignments.literal_items(source)
    if items is not None and items:
        return _array(emission, source, items), False
    if isinstance(found, types.TupleOf):
        held = emission.expression(source)
        if not isinstance(held, (tree.Name, tree.Member)):
            raise Untranslatable(source.origin, "a loop over a tuple that is computed")
        parts = tuple(ir.TupleItem(source, place, type=one) for place, one in enumerate(found.items))
        return _array(emission, source, parts), False
    if containers.is_chain(found):
        return containers.children(emission, source), False
    made = assignments.without_list(source, emission.expression(source))
    if found == TENSOR:
        return call(made, "unbind"), False
    if found == STR:
        text = tree.Lambda(("letter",), call(tree.Name("letter"), "ToString"))
        return call(call(made, "EnumerateRunes"), "Select", text), False
    is_keyed = isinstance(found, types.DictOf) or (
        isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict")
    )
    return (tree.Member(made, "Keys") if is_keyed else made), False


def _array(emission: Emission, source: ir.Expression, items: Sequence[ir.Expression]) -> tree.Expression:
    """Return the items as an array, whose type C# infers if all items have the element type."""
    element = _element(source)
    made = emission.expressions([assignments.fitted(one, element) for one in items])
    is_known = all(
        one.type == element and assignments.is_inferred(one, other) for one, other in zip(items, made, strict=True)
    )
    return tree.New(None if is_known else array(emission.type_of(element, source.origin)), (), made)


# -- A list that the body changes ------------------------------------------------------------------------------------------


def _walked(source: ir.Expression) -> list[ir.Expression]:
    """Return the lists that a built-in reads element by element while the loop runs."""
    if not isinstance(source, ir.BuiltinCall) or source.name not in ("enumerate", "reversed", "zip"):
        return []
    inner = [found for one in source.arguments for found in _walked(one)]
    return [*inner, *(one for one in source.arguments if isinstance(one.type, types.ListOf))]


def _is_changed(source: ir.Expression, body: Sequence[ir.Statement]) -> bool:
    """Return whether the body changes the list that the loop iterates over."""
    for part in body:
        for one in walk(part):
            if isinstance(one, ir.ContainerCall) and one.value == source and one.name in _CHANGING:
                return True
            if (
                isinstance(one, ir.PlaceTarget)
                and isinstance(one.place, (ir.Item, ir.Slice))
                and one.place.value == source
            ):
                return True
            if isinstance(one, ir.Augment) and _is_same(one.target, source):
                return True
    return False


def _is_same(target: ir.Target, source: ir.Expression) -> bool:
    if isinstance(target, ir.LocalTarget):
        return isinstance(source, ir.Local) and source.name == target.name
    return isinstance(target, ir.PlaceTarget) and target.place == source


def _growing(emission: Emission, node: ir.For, completed: str) -> Statements:
    """Return a loop over indices, which reads the length of the list in each iteration, as Python does."""
    before: list[tree.Statement] = []
    assigned = any(
        isinstance(one, ir.LocalTarget) and isinstance(node.source, ir.Local) and one.name == node.source.name
        for part in node.body
        for one in walk(part)
    )
    source = emission.expression(node.source)
    if assigned or not isinstance(source, (tree.Name, tree.Member)):
        held = tree.Name(emission.fresh("items"))
        before.append(tree.Declare(tree.VAR, held.name, source))
        source = held
    place = tree.Name(emission.fresh("place"))
    start = tree.Declare(tree.VAR, place.name, tree.Literal(0))
    test = tree.Binary("<", place, tree.Member(source, "Count"))
    step = tree.Unary("++", place, postfix=True)
    body = _body(emission, node.body, Loop(completed, place.name))
    element = _element(node.source)
    first: Statements
    if isinstance(node.target, ir.LocalTarget) and node.target.name == "_" and not _reads("_", node.body):
        first = ()
    elif isinstance(node.target, ir.TupleTarget):
        first = assignments.unpacked(emission, node.target, element, index(source, place))
    elif isinstance(node.target, ir.LocalTarget) and node.target.declares:
        first = (tree.Declare(tree.VAR, node.target.name, index(source, place)),)
    else:
        item = emission.fresh("each")
        held_item = ir.Local(item, type=element, origin=node.target.origin)
        assigned_item = assignments.assign(emission, ir.Assign(node.target, held_item, origin=node.target.origin))
        first = (tree.Declare(tree.VAR, item, index(source, place)), *assigned_item)
    return (*before, tree.For(start, test, step, (*first, *body)))
