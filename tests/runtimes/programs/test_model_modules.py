"""The nodes of a tree on the model: as many kinds as ``torch.nn`` has, and the same paths."""

from __future__ import annotations

import pytest

from bridge.program import Json
from bridge.runtimes.model import Tensor
from bridge.runtimes.programs import modules
from bridge.runtimes.programs.model import RUNTIME
from bridge.runtimes.programs.model_modules import Part, build


class Recorder:
    def entered(self, module: object, args: object, kwargs: object) -> None: ...

    def register(self, step: object) -> None: ...


def made(tree: Json) -> Part:
    return build(Recorder(), tree)


def test_every_kind_is_there_or_said_to_be_lacking() -> None:
    known = {name.removeprefix("forward_") for name in vars(Part) if name.startswith("forward_")}
    lacking = {word.removeprefix("node:") for word in RUNTIME.lacks if word.startswith("node:")}

    assert not known & lacking
    assert known | lacking == set(modules.KINDS)


def test_a_tree_is_walked_parents_first_and_a_shared_child_is_one() -> None:
    pair = {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "b", "same": "in.a"}]}
    tree = made({"kind": "sequential", "children": [{"name": "in", **pair}, {"name": "z", "kind": "identity"}]})

    assert [path for path, _ in tree.walk()] == ["", "in", "in.a", "in.b", "z"]
    assert tree.part("in.a") is tree.part("in.b")


def test_a_path_leads_to_modules_and_tensors_and_nowhere_else() -> None:
    tree = made({"kind": "sequence", "children": [{"name": "a", "kind": "leaf", "k": 5, "parameters": True}]})
    weight = tree.part("a.weight")

    assert tree.part("") is tree
    assert isinstance(weight, Tensor)
    assert (weight.data, weight.requires_grad) == ([5.0], True)
    with pytest.raises(AttributeError, match="^b$"):
        tree.part("a.b")
