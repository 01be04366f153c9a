"""compare --reference: a C# model on two runtimes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Compare = Callable[..., Result]

SOURCE = """
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(4, 4);
    private readonly Linear second = Linear(4, 2);
    private readonly double factor;

    /// <param name="factor">The factor on TorchSharp; it is 1 on Bridge.Torch.</param>
    public Net(double factor = 1) : base("Net")
    {
        this.factor = typeof(Tensor).Assembly.GetName().Name == "TorchSharp" ? factor : 1;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => second.call(first.call(x).relu() * factor);
}
"""


@pytest.fixture
def compare(
    build_csharp: Callable[..., Path], reference: Path, torchsharp: Path, command: Callable[..., Result]
) -> Compare:
    """Return a function that compares a class on Bridge.Torch with itself on a TorchSharp: ``compare("torchsharp", "Net(2.0)", …)``."""
    assembly = build_csharp({"Net.cs": SOURCE}, "OnTwoRuntimes", against=[reference])

    def run(runtime: str, target: str, *args: str) -> Result:
        target = f"{assembly}:{target}"
        return command(
            "compare", "--reference", f"{runtime}:{torchsharp.parent}", "--dotnet", target, "--shape", "2,4", *args
        )

    return run


@pytest.mark.dotnet
def test_one_model_is_the_same_on_both(compare: Compare) -> None:
    """Up to the last bits: TorchSharp's own libtorch is of another version than Python's."""
    done = compare("torchsharp", "Net", "--atol", "1e-6")
    assert done.exit_code == 0, done.stdout
    assert done.stdout.startswith("Same: 3 equal module calls on each side, identical order, largest difference ")


@pytest.mark.dotnet
def test_a_difference_is_named_by_the_runtimes(compare: Compare) -> None:
    done = compare("torchsharp", "Net(2.0)")
    assert done.exit_code == 1
    assert "second" in done.stdout
    assert "in torchsharp" in done.stdout
    assert "pytorch" not in done.stdout


@pytest.mark.dotnet
def test_gradients_need_torchsharp_in_this_process(compare: Compare) -> None:
    done = compare("torchsharp", "Net", "--backward")
    assert done.exit_code == 2
    assert "gradients" in done.stderr


@pytest.mark.inprocess
def test_gradients_are_compared_with_torchsharp_in_this_process(compare: Compare) -> None:
    done = compare("torchsharp-in-process", "Net", "--backward", "--train", "--lockstep")
    assert (done.exit_code, done.stdout) == (
        0,
        "Same: 3 equal module calls on each side, identical order, gradients of 5 tensors, largest difference 0.\n",
    )
    assert compare("torchsharp-in-process", "Net(2.0)", "--backward").exit_code == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give either --python, a PyTorch model, or --reference"),
        (("--python", "a.py:A", "--reference", "torchsharp"), "give either --python, a PyTorch model, or --reference"),
        (("--reference", "dotnet"), "--reference and --dotnet-runtime are both dotnet: use two runtimes."),
        (("--reference", "mono"), "--reference must be dotnet, torchsharp or torchsharp-in-process"),
        (("--reference", "torchsharp", "--watch"), "--watch works with --python only."),
        (("--reference", "torchsharp", "--forward-fires"), "--forward-fires works with --reference dotnet or"),
    ],
)
def test_options_that_do_not_fit(
    command: Callable[..., Result], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = command("compare", "--dotnet", f"{tmp_path}/Net.dll:Net", "--shape", "2,4", *options)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
