"""Inputs that a function gives: one, or batches, as from a DataLoader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.compare.errors import InputsError, TargetError
from bridge.compare.io.input_functions import from_function, is_function

SOURCE = """
import torch
from torch.utils.data import DataLoader, TensorDataset

def tensor(): return torch.ones(2)
def pair(): return torch.ones(2), torch.zeros(3)
def items(): return [torch.ones(2), torch.zeros(3)]
def named(): return {"x": torch.ones(2), "n": 3}
def dicts(): return [named(), {"x": torch.zeros(2)}]
def loader(): return DataLoader(TensorDataset(torch.arange(5.0), torch.arange(5)), batch_size=2)
def lazily():
    yield torch.ones(1)
    raise RuntimeError("no disk")
def nothing(): return []
def number(): return 3
def numbers(): return [3]
def places(): return {0: torch.ones(2)}
def raising(): raise KeyError("no data")
word = "no function"
"""


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    path = tmp_path / "mydata.py"
    path.write_text(SOURCE, encoding="utf-8")
    return lambda name: f"{path}:{name}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("tensor", ["float32[2]"]),
        ("pair", ["float32[2], float32[3]"]),
        ("items", ["float32[2], float32[3]"]),
        ("named", ["x=float32[2], n=3"]),
        ("dicts", ["x=float32[2], n=3", "x=float32[2]"]),
        ("loader", ["float32[2], int64[2]", "float32[2], int64[2]", "float32[1], int64[1]"]),
    ],
)
def test_accepted_results(file: Callable[[str], str], name: str, shown: list[str]) -> None:
    assert [str(item) for item in from_function(file(name))] == shown


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "returned an empty iterable: return at least one batch"),
        ("number", "returned an int: return a tensor"),
        ("numbers", "a batch of .* is an int: return a tensor"),
        ("places", "whose keys are not all names of parameters: 0"),
        ("raising", "raised KeyError: 'no data'"),
        ("lazily", "the batches of .* raised RuntimeError: no disk"),
    ],
)
def test_refused_results(file: Callable[[str], str], name: str, words: str) -> None:
    with pytest.raises(InputsError, match=words):
        list(from_function(file(name)))


def test_names_of_no_function(file: Callable[[str], str]) -> None:
    assert is_function("a.py:f")
    assert not is_function("a.npy")
    with pytest.raises(TargetError, match="mydata.py has no 'tensors'. Did you mean tensor"):
        next(from_function(file("tensors")))
    with pytest.raises(TargetError, match=r"--input: .* is a str, not a function"):
        next(from_function(file("word")))
    with pytest.raises(TargetError, match="there is no file missing.py"):
        next(from_function("missing.py:f"))


def test_the_first_batch_needs_no_other(file: Callable[[str], str]) -> None:
    assert torch.equal(next(from_function(file("lazily"))).positional[0], torch.ones(1))
