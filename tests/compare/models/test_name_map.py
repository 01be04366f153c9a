"""Names that differ: files of pairs, and pairs found by order, class and shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from bridge.compare.errors import WeightsError
from bridge.compare.models.name_map import NameMap, check, match, read_map


def test_the_longest_that_fits_counts() -> None:
    names = NameMap(
        (
            ("fc1", "classifier"),
            ("layer", "layers"),
            ("layer.*.attention", "layers.*.attn"),
            ("layer.0.x", "layers.0.y"),
        )
    )
    told = {
        "classifier": "fc1",
        "classifier.weight": "fc1.weight",
        "classifiers": "classifiers",
        "layers.3.attn.q": "layer.3.attention.q",
        "layers.3.norm": "layer.3.norm",
        "layers.0.y": "layer.0.x",
        "other": "other",
    }
    assert {name: names.python_name(name) for name in told} == told


def test_a_file_is_read_as_it_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# ours\nfc1 = classifier  # the head\n\nlayer.*.a = layers.*.b\n")
    names = read_map(path)
    assert f"{names}" == "fc1 = classifier\nlayer.*.a = layers.*.b"
    path.write_text(f"{names}", encoding="utf-8")
    assert read_map(path) == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fc1", "line 1: 'fc1' is not a pair"),
        ("\n= x", "line 2"),
        ("a.* = b", "the same number of \\* on both sides"),
        ("a = x\nb = x", "line 2: x is named in line 1 already"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "names.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WeightsError, match=words):
        read_map(path)
    with pytest.raises(WeightsError, match="cannot be read"):
        read_map(tmp_path / "missing.txt")


class Block(nn.Module):
    def __init__(self, *names: str) -> None:
        super().__init__()
        for name, layer in zip(names, (nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3)), strict=True):
            setattr(self, name, layer)


class Net(nn.Module):
    def __init__(self, head: str, body: str, *inner: str) -> None:
        super().__init__()
        setattr(self, body, nn.ModuleList(Block(*inner) for _ in range(2)))
        self.norm = nn.LayerNorm(3)
        setattr(self, head, nn.Linear(3, 2))


def test_pairs_are_found_by_order_class_and_shapes() -> None:
    left, right = Net("fc", "layer", "first", "act", "last"), Net("head", "blocks", "up", "act", "down")
    names = match(left, right)
    assert str(names).splitlines() == [
        "layer = blocks", "layer.0.first = blocks.0.up", "layer.0.last = blocks.0.down",
        "layer.1.first = blocks.1.up", "layer.1.last = blocks.1.down", "fc = head",
    ]  # fmt: skip
    assert {names.python_name(name) for name in right.state_dict()} == set(left.state_dict())
    check(names, left, right)


def test_nothing_is_found_where_names_are_equal() -> None:
    assert match(Net("a", "b", "c", "d", "e"), Net("a", "b", "c", "d", "e")).pairs == ()


def test_leaves_are_found_where_the_trees_differ() -> None:
    left = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    right = nn.Module()
    right.body = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    right.head = nn.Linear(3, 2)
    assert set(match(left, right).pairs) == {("0", "body.0"), ("1", "body.1"), ("2", "head")}


def test_weights_of_one_module_by_shape() -> None:
    left, right = nn.Module(), nn.Module()
    left.scale, left.shift = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))
    right.beta, right.gamma = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(2))
    assert set(match(left, right).pairs) == {("scale", "gamma"), ("shift", "beta")}


@pytest.mark.parametrize("pair", [("nothing", "norm"), ("norm", "nothing"), ("layer.*.x", "layer.*.first")])
def test_a_pair_that_is_about_nothing(pair: tuple[str, str]) -> None:
    net = Net("fc", "layer", "first", "act", "last")
    with pytest.raises(WeightsError, match="--map: the (PyTorch|C#) model has no"):
        check(NameMap((pair,)), net, net)
