"""Which reads of elements and sizes by C# are refused, with the module and the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.exporting import tracing
from bridge.exporting.errors import FixedSizeError

pytestmark = pytest.mark.dotnet
SOURCE = Path(__file__).with_name("Exports.cs").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("way", ["item", "ToSingle", "cast", "data", "ToBoolean", "allclose", "Equals", "text"])
@pytest.mark.parametrize("dynamic", ["batch", ()], ids=["dynamic", "fixed"])
def test_a_read_of_elements_is_refused(export: Callable[..., Any], way: str, dynamic: Any) -> None:
    with pytest.raises(bridge.ExportError, match="module 'block' reads elements of a tensor into C#") as caught:
        export(way, dynamic=dynamic)
    assert caught.value.module_path == "block"


@pytest.mark.parametrize("way", ["view", "size", "numel", "mean", "loop", "unbind", "branch", "seven"])
def test_a_read_of_a_dynamic_size_is_refused(export: Callable[..., Any], way: str) -> None:
    with pytest.raises(FixedSizeError, match="module 'block' reads the size of batch as a number") as caught:
        export(way)
    assert caught.value.module_path == "block"


def test_the_line_of_a_read_is_named(export: Callable[..., Any]) -> None:
    (line,) = (number for number, text in enumerate(SOURCE, 1) if 'case "view"' in text)
    with pytest.raises(bridge.ExportError, match=rf"Exports\.cs:line {line}\)"):
        export("view")


@pytest.mark.parametrize("way", ["view", "loop", "branch"])
def test_a_size_that_is_not_dynamic_may_be_read(export: Callable[..., Any], way: str) -> None:
    assert export(way, dynamic=()).largest == 0


def test_a_random_operation_is_refused_even_if_no_result_shows_it(export: Callable[..., Any]) -> None:
    with pytest.raises(bridge.ExportError, match=r"module 'block' draws random numbers \(aten\.randn"):
        export("unused randn")


@pytest.mark.parametrize("way", ["plain", "functions", "rank", "seeded", "select"])
def test_what_does_not_change_is_exported(export: Callable[..., Any], way: str) -> None:
    found = export(way)
    assert found.largest == 0
    assert found.notes == ()


def test_tensors_that_are_no_buffers_are_noted(export: Callable[..., Any]) -> None:
    (note,) = export("constant").notes
    assert note == "module 'block' uses 2 tensors that are no parameters or buffers: they are constant in the file."


def test_dropout_in_eval_mode_and_attention_without_dropout_are_not_random() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = torch.nn.functional.scaled_dot_product_attention(x, x, x)
            return torch.nn.functional.dropout(x, 0.5, training=False)

    tracing.check_random(torch.export.export(Net(), (torch.randn(1, 2, 3, 4),), strict=False))


def test_sizes_under_conditions_are_noted() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1 if x.shape[0] > 2 else x - 1

    (dimension,) = tracing_dimensions(x=torch.randn(3, 2))
    program = tracing.trace(Net(), (torch.randn(3, 2),), {}, [dimension])
    (note,) = tracing.list_conditions(program, {"L['x'].size()[0]": "batch"})
    assert note == "the file is for sizes with batch > 2. An ONNX file does not check them."


def tracing_dimensions(**arguments: torch.Tensor) -> list[Any]:
    from bridge.exporting.dimensions import parse

    return parse(["batch"], arguments)
