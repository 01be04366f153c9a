"""What of a model no file can have: state, random numbers, training mode; and what is noted: hooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("counter", "module 'block' gives another result when it is called again with the same inputs"),
        ("kept", "module 'block' gives another result when it is called again"),
        ("own random", "module 'block' gives another result when it is called again"),
        ("clock", "module 'block' gives another result when it is called again"),
        ("first", "module 'block' gives another result after a call with other inputs"),
        ("buffer", "a call of module 'block' changes its tensor 'count'"),
        ("randn", "module 'block' draws random numbers, and its result depends on them"),
        ("dropout", "module 'block' draws random numbers"),
    ],
)
def test_what_differs_between_calls_is_refused_with_its_module(
    export: Callable[..., Any], way: str, words: str
) -> None:
    with pytest.raises(bridge.ExportError, match=words) as caught:
        export(way)
    assert caught.value.module_path == "block"


def test_an_input_that_is_changed_in_place_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    inputs = torch.randn(3, 6)
    before = inputs.clone()
    with pytest.raises(bridge.ExportError, match="a call of module 'block' changes an input in place"):
        bridge.export(load("Direct"), inputs, tmp_path / "net.pt2")
    assert torch.equal(inputs, before)


def test_training_mode_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    model = load("Net", "plain")
    model.block.train()
    with pytest.raises(bridge.ExportError, match="module 'block' is in training mode") as caught:
        bridge.export(model, torch.randn(3, 6), tmp_path / "net.pt2")
    assert caught.value.module_path == "block"


def test_what_is_no_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bridge.ExportError, match="the model is a int, not a torch.nn.Module"):
        bridge.export(3, torch.randn(3, 6), tmp_path / "net.pt2")  # type: ignore[arg-type]


def test_the_model_itself_does_not_change(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    model = load("Net", "counter")
    inputs = torch.randn(3, 6)
    with pytest.raises(bridge.ExportError):
        bridge.export(model, inputs, tmp_path / "net.pt2")
    first = model(inputs)
    assert torch.equal(model(inputs), 2 * first), "the counter began at 0"


def test_hooks_are_noted_with_their_modules(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    """What a hook computes is in the file, as it is in a call of the model."""
    model = load("Net", "plain")
    model.block.register_forward_hook(lambda module, args, result: result * 3)
    model.first.register_full_backward_hook(lambda *_: None)
    found = bridge.export(model, torch.randn(3, 6), tmp_path / "net.pt2")
    assert found.notes == (
        "module 'first': 1 backward hook left out: a file has no gradients.",
        "module 'block': 1 forward hook ran; the tensor operations in it are part of the file.",
    )
    x = torch.randn(3, 6)
    assert torch.allclose(torch.export.load(found.path).module()(x), model(x))


def test_a_hook_that_branches_on_values_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    model = load("Net", "plain")
    model.block.register_forward_hook(lambda module, args, result: result if result.sum() > 0 else -result)
    with pytest.raises(bridge.ExportError, match="module 'block' reads elements of a tensor") as caught:
        bridge.export(model, torch.randn(3, 6), tmp_path / "net.pt2")
    assert caught.value.module_path == "block"
