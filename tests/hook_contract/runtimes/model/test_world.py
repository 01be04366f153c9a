"""The modules of the model: as many kinds of nodes as ``torch.nn`` has, and the same paths."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.runtimes.pytorch import world as pytorch
from hook_contract.program import Json, Program
from hook_contract.runtimes import nodes
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.model.autograd import Tensor
from hook_contract.runtimes.model.programs import RUNTIME
from hook_contract.runtimes.model.world import ModelWorld, Module


def made(tree: Json) -> Any:
    world = ModelWorld()
    return world.build(Session(Program("example", (), "", tree, ()), world), tree)


def test_every_kind_of_node_is_there_or_said_to_be_lacking() -> None:
    lacking = {word.removeprefix("node:") for word in RUNTIME.lacks if word.startswith("node:")}
    every = nodes.kinds(Module).keys() | pytorch.LIBRARY.keys()

    assert lacking < every
    for kind in every - lacking:
        made({"kind": kind, "form": "tuple"})
    for kind in lacking:
        with pytest.raises(KeyError):
            made({"kind": kind})


def test_a_tree_is_walked_parents_first_and_a_shared_child_is_one() -> None:
    pair = {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "b", "same": "in.a"}]}
    tree = made({"kind": "sequential", "children": [{"name": "in", **pair}, {"name": "z", "kind": "identity"}]})

    assert [path for path, _ in tree.named_modules()] == ["", "in", "in.a", "in.b", "z"]
    assert tree.get_submodule("in.a") is tree.get_submodule("in.b")


def test_a_path_leads_to_modules_and_tensors_and_nowhere_else() -> None:
    tree = made({"kind": "sequence", "children": [{"name": "a", "kind": "leaf", "k": 5, "parameters": True}]})
    weight = tree.get_submodule("a").weight

    assert tree.get_submodule("") is tree
    assert isinstance(weight, Tensor)
    assert (weight.data, weight.requires_grad) == ([5.0], True)
    with pytest.raises(AttributeError, match="^b$"):
        tree.get_submodule("a.b")
