"""hook_contract.program.generate.draft: what a program in the making knows about itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from hook_contract.program.generate.draft import Draft, Kind, kind


def _first(strategy: st.SearchStrategy[Any]) -> Any:
    raise AssertionError("nothing is drawn here")


@pytest.fixture
def draft() -> Draft:
    """Return a draft of ``(a: inputs, b: sequence (c: leaf, d: the same))``, all with parameters."""
    made = Draft(_first, Kind(), has_tree=True)
    leaf = {"kind": "leaf", "name": "c"}
    inner = {"kind": "sequence", "name": "b", "children": [leaf, {"name": "d", "same": "b.c"}]}
    front = {"kind": "inputs", "name": "a"}
    made.nodes = {
        "": {"kind": "sequence", "children": [front, inner]},
        "a": front,
        "b": inner,
        "b.c": leaf,
        "b.d": leaf,
    }
    made.first = {"b.d": "b.c"}
    made.weights = ["a.one", "b.c.weight"]
    return made


def test_a_sequence_takes_what_its_first_child_takes(draft: Draft) -> None:
    assert [draft.arity(path) for path in ("", "a", "b", "b.c")] == [2, 2, 1, 1]
    assert not draft.all_unary


def test_a_copy_has_all_that_is_below_its_source(draft: Draft) -> None:
    draft.add_copy("", "@x")
    draft.add_copy("@x.b", "@y")
    assert [path for path in draft.paths if path.startswith("@")] == [
        "@x", "@x.a", "@x.b", "@x.b.c", "@x.b.d", "@y", "@y.c", "@y.d"
    ]  # fmt: skip
    assert draft.roots == ["", "@x", "@y"]
    assert draft.weights == ["a.one", "b.c.weight", "@x.a.one", "@x.b.c.weight", "@y.c.weight"]
    assert draft.arity("@x") == 2


def test_nothing_that_is_dropped_is_named_again(draft: Draft) -> None:
    draft.add_copy("", "@x")
    draft.add_copy("b", "@xx")
    draft.remove_root("@x")
    assert draft.roots == ["", "@xx"]
    assert not [name for name in (*draft.paths, *draft.weights) if name.startswith("@x.")]
    assert "@xx.c.weight" in draft.weights


def test_names_of_a_thread_are_its_own(draft: Draft) -> None:
    draft.tensors = ["x"]
    with draft.thread_scope():
        draft.tensors.append("y")
        draft.result("z")
    assert (draft.tensors, draft.results) == (["x"], [])


def test_no_name_is_given_twice(draft: Draft) -> None:
    assert [draft.name("h"), draft.name("h"), draft.name("x")] == ["h1", "h2", "x1"]


def test_a_forward_may_be_assigned_where_all_are_called(draft: Draft) -> None:
    assert draft.can_assign_forward
    draft.nodes["b"] = {**draft.nodes["b"], "by": "forward"}
    assert not draft.can_assign_forward


def test_a_plain_program_is_neither_rewired_nor_numbered() -> None:
    drawn: list[list[str]] = []

    def draw(strategy: st.SearchStrategy[Any]) -> Any:
        drawn.append(list(strategy.elements))  # type: ignore[attr-defined]
        return drawn[-1][-1]

    assert kind(draw, plain=True) == Kind(plain=True, crowd=True)
    assert not {"identity", "rewired"} & set(drawn[0])


def test_nothing_interrupts_a_recovery() -> None:
    """An Interrupt there would hide a difference that the ledger explains (BR-3)."""
    interrupts, recalls, fails = (Draft(lambda strategy: 99, Kind()) for _ in range(3))
    assert interrupts.error(20) == "Interrupt"
    assert not interrupts.allow_recall()
    assert recalls.allow_recall()
    assert recalls.error(20) == "Error"
    assert fails.error(20, recovery=True) == "Error"
    assert fails.allow_recall()
