"""A size that C# reads is a constant in torch.export, those that it does not read may be dynamic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge

X = torch.ones(4, 3)


@pytest.fixture(scope="module")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    source = Path(__file__).with_name("sizes") / "Sizes.cs"
    return build_csharp([source], "Sizes")


def _exported(model: torch.nn.Module, dim: int) -> torch.nn.Module:
    size = torch.export.Dim("size", min=2, max=16)
    return torch.export.export(model, (X,), dynamic_shapes=({dim: size},), strict=False).module()


@pytest.mark.parametrize("way", ["index", "end", "method"])
def test_one_size_is_read_alone(assembly: Path, way: str) -> None:
    model = bridge.load(assembly, "Sizes.Places", way)
    batch = torch.ones(7, 3)
    expected = batch + torch.arange(3)
    assert torch.equal(_exported(model, 0)(batch), expected)
    assert torch.equal(model(batch), expected)
    with pytest.raises(torch._dynamo.exc.UserError, match="Constraints violated"):
        _exported(model, 1)


def test_an_array_that_is_taken_has_all_sizes(load: Callable[..., bridge.Mirror]) -> None:
    """Elsewhere in this assembly an array of sizes is taken as such, so any of them may be read."""
    with pytest.raises(torch._dynamo.exc.UserError, match="Constraints violated"):
        _exported(load("Shaped", "shape"), 0)


def test_what_a_hook_is_given_has_any_size(load: Callable[..., bridge.Mirror]) -> None:
    """.NET measures what its hooks may keep, and must not ask a tensor whose size is a symbol."""
    model = load("Hooked", "constructor")
    batch = torch.export.Dim("batch", min=2, max=16)
    x = X[:, :2]
    program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},), strict=False)
    more = torch.cat([x, x * 2])
    assert torch.equal(program.module()(more), model(more))
