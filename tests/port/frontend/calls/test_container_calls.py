"""container_calls.py: methods of containers, with all that runs before them."""

from __future__ import annotations

from bridge.port.ir.nodes import ContainerCall, DictLiteral
from tests.port.frontend.lowering import differences, found, lower


def known_entry(n: int) -> int:
    return {"a": n, "b": 2}.get("a", n + 1)


def default_that_may_raise(n: int) -> int:
    return {"a": 1}.get("a", 1 // n)


def entry_that_may_raise(n: int) -> int:
    return {"a": 1 // n, "b": 2}.get("b", 3)


def test_a_known_entry_stands_for_the_dictionary_where_the_others_may_go() -> None:
    assert found(lower(known_entry, (1,)), DictLiteral, ContainerCall) == []
    assert differences(known_entry, ((1,),), ((0,),)) == []


def test_what_may_raise_beside_a_known_entry_runs() -> None:
    assert differences(default_that_may_raise, ((1,),), ((0,), (2,))) == []
    assert differences(entry_that_may_raise, ((1,),), ((0,), (2,))) == []
