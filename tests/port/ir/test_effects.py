"""effects.py: what may be left out, and what may not."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir import nodes
from bridge.port.ir.effects import effects, reads_after
from bridge.port.ir.nodes import Argument, Node
from bridge.port.ir.types import INT, TENSOR, ListOf
from tests.port.ir.building import call, field, lit, op, put, relu, var

X = var("x", TENSOR)


@pytest.mark.parametrize(
    ("node", "pure", "removable"),
    [
        (op("+", var("a"), lit(1)), True, True),
        (op("//", var("a"), var("b")), True, False),
        (relu(X), True, False),
        (call(torch.Tensor.relu_, X), False, False),
        (call(torch.Tensor.relu, X, Argument("inplace", lit(True))), False, False),
        (call(torch.nn.functional.dropout, X), False, False),
        (nodes.ModuleCall(field("fc"), (Argument("input", X),), type=TENSOR), False, False),
        (nodes.BuiltinCall("print", (lit(1),), type=INT), False, False),
        (nodes.BuiltinCall("len", (var("a", ListOf(INT)),), type=INT), True, True),
        (nodes.ContainerCall(var("a", ListOf(INT)), "append", (lit(1),), type=INT), False, False),
        (nodes.Bind("a", lit(1), type=INT), False, False),
        (nodes.Raise("ValueError", None), False, False),
        (nodes.Assign(nodes.PlaceTarget(field("seen")), X), False, False),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Node) else str(one),
)
def test_purity(node: Node, pure: bool, removable: bool) -> None:
    found = effects(node)
    assert (found.pure, found.removable) == (pure, removable)


def test_an_augmented_tensor_is_changed_in_place_and_a_number_is_not() -> None:
    assert effects(nodes.Augment(nodes.LocalTarget("x", TENSOR), "+", lit(1))).mutates
    assert not effects(nodes.Augment(nodes.LocalTarget("n", INT), "+", lit(1))).mutates


def test_reads_and_writes_are_those_of_all_below() -> None:
    found = effects(nodes.If(nodes.Truth(var("a")), (put("b", var("c")),)))
    assert (found.reads, found.writes) == ({"a", "c"}, {"b"})
    assert reads_after("c", (put("b", var("c")),))
    assert not reads_after("b", (put("b", var("c")),))
