"""Numbers that C# computes from a dynamic size, and their expressions in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet


@pytest.mark.parametrize(
    ("way", "expression"), [("view", "batch"), ("size", "batch"), ("numel", "batch"), ("twice", "2*batch")]
)
def test_an_expression_takes_the_place_of_the_number(export: Callable[..., Any], way: str, expression: str) -> None:
    found = export(way, infer_sizes=True)
    assert found.largest == 0
    assert found.notes == (
        f"module 'block' reads a size as a number: inferred as {expression} (traced at batch 3; batch 4; batch 9).",
    )
    assert {check.sizes["batch"] for check in found.rounds} >= {1, 2, 3, 4, 5, 6, 7}


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("mean", "does other work at other sizes"),
        ("loop", "does other work at other sizes"),
        ("unbind", "does other work at other sizes"),
        (
            "branch",
            "does other work at other sizes|A size is read as a number in module 'block': is there a branch on it",
        ),
        ("seven", "A size is read as a number in module 'block': is there a branch on it"),
    ],
)
def test_what_is_no_expression_is_refused(export: Callable[..., Any], way: str, words: str) -> None:
    with pytest.raises(bridge.ExportError, match=words) as caught:
        export(way, infer_sizes=True)
    assert caught.value.module_path == "block"


def test_nothing_is_inferred_where_no_size_is_read(export: Callable[..., Any]) -> None:
    assert export("plain", infer_sizes=True).notes == ()


def test_the_product_of_two_sizes(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    model, inputs = load("Tokens", True), (torch.randint(11, (3, 4)), torch.rand(3, 4, 1))
    options = {"dynamic": ["batch", "length=1"], "infer_sizes": True}
    found = bridge.export(model, inputs, tmp_path / "tokens.pt2", **options)  # type: ignore[arg-type]
    (note,) = found.notes
    assert note.startswith(
        "the root module reads a size as a number: inferred as batch, batch*length, length (traced at "
    )
    others = (torch.randint(11, (13, 17)), torch.rand(13, 17, 1))
    for got, wanted in zip(torch.export.load(found.path).module()(*others), model(*others), strict=True):
        assert torch.equal(got, wanted)
