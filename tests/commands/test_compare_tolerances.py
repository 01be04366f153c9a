"""compare: tolerances module by module, and gradients as sums in any order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Compare = Callable[..., Result]

#: The port adds what flows back in another order: equal results, gradients a few roundings apart.
SOURCE = """using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using TorchSharp.Modules;
namespace Sums;
public sealed class Summed : Module<Tensor, Tensor>
{
    private readonly Linear layer = Linear(64, 1, hasBias: false);
    private readonly bool scaled;
    public Summed(bool scaled = false) : base("Summed") { this.scaled = scaled; RegisterComponents(); }
    public override Tensor forward(Tensor x)
    {
        var found = layer.call(x);
        // The same number, with its gradient in two parts.
        var more = found * 0.3 - (found * 0.3).detach();
        var less = found * 0.7 - (found * 0.7).detach();
        return scaled ? found * 1.001 - (found * 0.001).detach() : more + less + found.detach();
    }
}"""


@pytest.fixture
def summed(
    build_csharp: Callable[..., Path], command: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Compare:
    library = build_csharp({"Sums.cs": SOURCE}, "Sums")
    (tmp_path / "sums.py").write_text(
        "from torch import nn\n\n\nclass Summed(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear(64, 1, bias=False)\n\n    def forward(self, x):\n        return self.layer(x)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(dotnet: str, *args: str) -> Result:
        options = ("--shape", "33,64", "--backward", "--atol", "1e-6", *args)
        return command("compare", "--python", "sums:Summed", "--dotnet", f"{library}:Sums.{dotnet}", *options)

    return run


def test_gradients_are_sums_in_any_order_unless_exact(summed: Compare) -> None:
    done = summed("Summed")
    assert done.exit_code == 0, done.output
    assert (
        "Gradients count as equal if they differ by at most 3.05e-05 (float32) times the largest gradient of their module"
        in done.stdout
    )
    done = summed("Summed", "--exact", "--atol", "0", "--atol", "=1e-6", "--atol", "layer=0")
    assert done.exit_code == 1
    assert "Backward: the gradient of " in done.stdout
    assert "roundings" not in done.stdout


def test_a_gradient_that_is_another_is_found(summed: Compare) -> None:
    """One part in a thousand is no rounding."""
    done = summed("Summed(true)")
    assert done.exit_code == 1
    assert "the gradient of layer.weight differs" in done.stdout


def test_a_tolerance_for_some_modules(compare: Compare) -> None:
    assert compare("Block", 'Block("scaled")', shape="2,4,8,8").exit_code == 1
    done = compare("Block", 'Block("scaled")', "--atol", "*=10", shape="2,4,8,8")
    assert done.exit_code == 0, done.output
    assert compare("Block", 'Block("scaled")', "--atol", "*=10", "--atol", "*=0", shape="2,4,8,8").exit_code == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("conv9=1", "--atol: the PyTorch model has no module conv9"),
        ("a=x", "'x' is not a valid"),
        ("-1", "-1"),
        ("a=nan", "not a finite number"),
    ],
)
def test_invalid_tolerances(compare: Compare, refused: Callable[..., None], value: str, words: str) -> None:
    refused(compare("Block", 'Block("scaled")', "--atol", value, shape="2,4,8,8"), words)
