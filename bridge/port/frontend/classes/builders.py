"""Chains (subclasses of nn.Sequential) without a forward of their own: their constructors become functions that return an nn.Sequential."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from torch import nn

from bridge.port.frontend.classes.assembly import as_locals, blocks, with_bases, without_constants
from bridge.port.frontend.classes.constructors import Constructor
from bridge.port.frontend.classes.instances import ENTRIES
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assign,
    ContainerCall,
    DictLiteral,
    Evaluate,
    Expression,
    Field,
    Function,
    Item,
    Literal,
    Local,
    LocalTarget,
    MethodCall,
    Modules,
    ModulesFrom,
    PlaceTarget,
    Return,
    Self,
    Statement,
    TupleLiteral,
)
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import PLAIN_MODULE, STR, DictOf, ListOf, ModulesOf, TupleOf, Type

#: The type of the children of a chain by name.
CHILDREN: Final = DictOf(STR, PLAIN_MODULE)
#: The type of the children of a chain while its constructor is lowered.
CHAIN: Final = ListOf(TupleOf((STR, PLAIN_MODULE), ("name", "child")))


def build(constructor: Constructor) -> Function:
    """Return a function that makes the chain of a constructor. Raises Untranslatable."""
    lowered = constructor.lower()
    helpers = {one: without_constants(found) for one, found in constructor.helpers.items()}
    whole = with_bases(without_constants(lowered), helpers)
    if any(isinstance(one, (Self, MethodCall, Return)) for one in walk(whole)):
        raise Untranslatable(lowered.origin, f"{lowered.name}, which uses the chain that it makes")
    body = as_locals(whole.body, [name for name in constructor.stored if name != ENTRIES])
    result = ModulesOf(nn.Sequential, PLAIN_MODULE)
    return Function(
        lowered.name,
        lowered.parameters,
        result,
        _ended(body, result, lowered),
        lowered.doc,
        lowered.fixed,
        origin=lowered.origin,
    )


def _ended(body: tuple[Statement, ...], result: Type, lowered: Function) -> tuple[Statement, ...]:
    """Return the statements, changed so that they return the chain."""
    chains = [one for one in body if isinstance(one, Evaluate) and isinstance(one.value, ModulesFrom)]
    if chains:
        (chain, *others), place = chains, body.index(chains[0])
        if others or any(map(_adds, body)):
            raise Untranslatable(lowered.origin, "a chain of a list, and of more")
        return (*body[:place], *body[place + 1 :], Return(chain.value, origin=chain.origin))
    added = [_added(one) for one in body]
    first = next((at for at, one in enumerate(added) if one is not None), len(body))
    every = sum(isinstance(one, Statement) and _adds(one) for statement in body for one in walk(statement))
    if len(added) - first == every and all(one is not None for one in added[first:]):
        entries = tuple(one for one in added[first:] if one is not None)
        return (*body[:first], Return(Modules(nn.Sequential, entries, type=result)))
    begin = Assign(LocalTarget("children", CHILDREN), DictLiteral((), type=CHILDREN))
    whole = ModulesFrom(nn.Sequential, Local("children", type=CHILDREN), type=result)

    def change(statement: Statement) -> Iterator[Statement]:
        if not _adds(statement):
            yield statement
            return
        assert isinstance(statement, Evaluate)
        assert isinstance(statement.value, ContainerCall)
        (pair,) = statement.value.arguments
        assert isinstance(pair, TupleLiteral)
        name, value = pair.items
        assert isinstance(name, Expression)
        assert isinstance(value, Expression)
        place = Item(Local("children", type=CHILDREN), name, type=PLAIN_MODULE)
        yield Assign(PlaceTarget(place), value, origin=statement.origin, comments=statement.comments)

    changed: Any = blocks(replace(lowered, body=body), change)
    return (begin, *changed.body, Return(whole))


def _adds(statement: Statement) -> bool:
    """Return whether a statement adds a child."""
    call = statement.value if isinstance(statement, Evaluate) else None
    return isinstance(call, ContainerCall) and isinstance(call.value, Field) and call.value.name == ENTRIES


def _added(statement: Statement) -> tuple[str, Expression] | None:
    """Return the name and the value of the child that a statement adds; None if it adds none, or if the name is no literal."""
    if not _adds(statement) or not isinstance(statement, Evaluate) or not isinstance(statement.value, ContainerCall):
        return None
    (pair,) = statement.value.arguments
    assert isinstance(pair, TupleLiteral)
    name, value = pair.items
    if not isinstance(name, Literal) or not isinstance(value, Expression):
        return None
    return str(name.value), value
