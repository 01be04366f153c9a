"""program.py: the program of a port."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.project.program import bound, render_program

INPUTS: dict[str, Any] = {
    "x": torch.rand(1, 2, dtype=torch.float64),
    "ids": torch.tensor([4]),
    "mask": torch.tensor([[True]]),
    "sizes": (2, [torch.rand(3)]),
    "fast": True,
    "scale": 0.5,
    "cache": None,
    "kind": "a\n",
    "largest": float("inf"),
}


def test_the_program_draws_inputs_of_the_same_kinds() -> None:
    text = render_program("Ns", "new Net()", INPUTS, "torchsharp", "Tensor")
    assert "using Ns;\nusing TorchSharp;\n\nusing var model = new Net();" in text
    drawn = "torch.rand([1, 2], dtype: torch.float64), torch.randint(0, 5, [1]), torch.randint(0, 2, [1, 1], dtype: torch.@bool)"
    assert f'model.call({drawn}, (2, [torch.rand([3])]), true, 0.5, null, "a\\n", double.PositiveInfinity)' in text
    assert "Runtime.Bind" not in text


def test_a_tensor_is_printed_by_its_own_text() -> None:
    text = render_program("Ns", "new Net(8, bias: false)", {}, "torchsharp", "Tensor")
    assert "using var model = new Net(8, bias: false);\n" in text
    assert "    Console.WriteLine(model.call());\n" in text
    assert "Print" not in text


@pytest.mark.parametrize(
    "result", ["", "object", "(Tensor, Tensor)", "List<Tensor>", "Dictionary<string, Tensor>", "Boxes"]
)
def test_any_other_result_is_printed_part_by_part(result: str) -> None:
    """Issue 43, section 3: Program.cs prints what the model returns, whatever its type; test_whole_folder.py runs it."""
    text = render_program("Ns", "new Net(8, bias: false)", {}, "torchsharp", result)
    assert '    Print("", model.call());\n' in text
    assert "static void Print(string name, object? value)" in text


def test_a_program_for_our_package_binds_a_libtorch() -> None:
    text = render_program("Ns", "new Net()", INPUTS, "bridge", "Tensor")
    assert "Bridge.Torch.Runtime.Bind(args[0]" in text
    assert text.endswith("}\nreturn 0;\n")


def test_the_bound_of_integers_is_above_them() -> None:
    assert (bound(torch.tensor([4, 7])), bound(torch.tensor([]))) == (8, 1)
