"""compare --map: the port's own names, in weights, calls, buffers, gradients and settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Named = Callable[..., Result]
ORIGINAL = """
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList([Block(), Block()])
        self.fc1 = nn.Linear(3, 2)

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return self.fc1(x.mean((2, 3)))
"""
PORT = """using System.Linq;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace Names;
public sealed class Block : Module<Tensor, Tensor>
{
    private readonly Conv2d c = Conv2d(3, 3, 3, padding: 1);
    private readonly BatchNorm2d bn;
    private readonly ReLU relu = ReLU();
    public Block(double momentum) : base("Block") { bn = BatchNorm2d(3, momentum: momentum); RegisterComponents(); }
    public override Tensor forward(Tensor x) => relu.call(bn.call(c.call(x)));
}
public sealed class Net : Module<Tensor, Tensor>
{
    private readonly ModuleList<Block> blocks;
    private readonly Linear classifier = Linear(3, 2);
    public Net(double momentum = 0.1) : base("Net")
    {
        blocks = new ModuleList<Block>(new Block(0.1), new Block(momentum));
        RegisterComponents();
    }
    public override Tensor forward(Tensor x)
    {
        foreach (var block in blocks) { x = block.call(x); }
        return classifier.call(x.mean(new long[] { 2, 3 }));
    }
}"""
PAIRS = "layer = blocks\nlayer.*.conv = blocks.*.c\nlayer.*.norm = blocks.*.bn\nlayer.*.act = blocks.*.relu\nfc1 = classifier\n"


@pytest.fixture
def named(build_csharp: Callable[..., Path], command: Named, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Named:
    library = build_csharp({"Names.cs": PORT}, "Names")
    (tmp_path / "originalnames.py").write_text(ORIGINAL, encoding="utf-8")
    (tmp_path / "names.txt").write_text(PAIRS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(dotnet: str, *args: str) -> Result:
        options = ("--shape", "2,3,5,5", "--train", "--backward", *args)
        return command("compare", "--python", "originalnames:Net", "--dotnet", f"{library}:Names.{dotnet}", *options)

    return run


@pytest.mark.parametrize("names", ["auto", "names.txt"])
def test_other_names_are_no_difference(named: Named, names: str) -> None:
    done = named("Net", "--map", names)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Same: 10 equal module calls on each side, identical order, gradients of 11 tensors")
    assert "differ" not in done.stdout.partition("\n")[2]


def test_the_names_of_auto_are_a_file(named: Named, tmp_path: Path) -> None:
    done = named("Net", "--map", "auto")
    taken = [line for line in done.stdout.splitlines() if " = " in line]
    assert taken[0] == "layer = blocks"
    assert "fc1 = classifier" in taken
    (tmp_path / "taken.txt").write_text("\n".join(taken), encoding="utf-8")
    assert named("Net", "--map", "taken.txt").exit_code == 0


def test_differences_have_pytorchs_names(named: Named) -> None:
    done = named("Net(0.3)", "--map", "names.txt")
    assert done.exit_code == 1
    assert "layer.1.norm (BatchNorm2d): momentum is 0.1 in pytorch and 0.3 in dotnet" in done.stdout
    assert "layer.1.norm.running_mean" in done.stdout
    assert "blocks" not in done.stdout


def test_a_bypass_says_what_to_write_in_csharp(
    build_csharp: Callable[..., Path], command: Named, named: Named, tmp_path: Path
) -> None:
    """C-3: the module has PyTorch's name, the line to write C#'s."""
    library = build_csharp({"Names.cs": PORT.replace("block.call(x)", "block.forward(x)")}, "Names")
    options = ("--dotnet", f"{library}:Names.Net", "--map", "names.txt", "--shape", "2,3,5,5")
    done = command("compare", "--python", "originalnames:Net", *options)
    assert done.exit_code == 1
    assert "layer.0 was not called in dotnet" in done.stdout
    assert "Write blocks[0].call(x)." in done.stdout


def test_invalid_maps(named: Named, refused: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "wrong.txt").write_text("fc2 = classifier\n")
    refused(named("Net", "--map", "wrong.txt"), "--map: the PyTorch model has no fc2.")
    refused(named("Net"), "not fit, nothing was loaded")
    refused(
        named("Net", "--map", "auto", "--dotnet-runtime", "torchsharp"), "--map works with --dotnet-runtime dotnet only"
    )
