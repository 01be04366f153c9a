"""torch_calls.py: each call of PyTorch as TorchSharp has it (calls.tsv), and what it computes there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.port.csharp import helpers
from tests.port.csharp.calls.calling import arguments, functions, written

#: PyTorch warns of what some calls will do in later versions.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
#: A call, a tab, and its C#, or ``!`` and why it has none.
CALLS = [line.split("\t") for line in Path(__file__).with_name("calls.tsv").read_text(encoding="utf-8").splitlines()]
#: How .NET numbers the types of tensors.
TYPES = {torch.bool: 11, torch.uint8: 0, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6, torch.float64: 7,
         torch.complex64: 9}  # fmt: skip
_PARAMETERS = (
    "Tensor x, Tensor y, Tensor m, Tensor i, long n, double p, bool flag, (long, long, long) sizes, List<Tensor> ts"
)
_MODEL = """
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using F = TorchSharp.torch.nn.functional;

namespace Calls;

public sealed class Model : Module<Tensor, Tensor, Tensor, Tensor, Tensor>
{
    private readonly long place;

    public Model(long place) : base("Model")
    {
        this.place = place;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, Tensor y, Tensor m, Tensor i)
    {
        var found = new List<Tensor>();
        Collect(Run(x, y, m, i, 2, 0.5, true, (2, 12, 4), [m[..2], m[2..]]), found);
        return torch.cat(found);
    }

    private static void Collect(object value, List<Tensor> found)
    {
        switch (value)
        {
            case Tensor tensor:
                found.Add(torch.tensor(new double[] { (double)(int)tensor.dtype, tensor.dim() }));
                var numbers = tensor.is_complex() ? torch.view_as_real(tensor.resolve_conj()) : tensor;
                found.Add(numbers.to(torch.float64).flatten());
                break;
            case System.Runtime.CompilerServices.ITuple tuple:
                for (var place = 0; place < tuple.Length; place++)
                {
                    Collect(tuple[place]!, found);
                }

                break;
            case System.Collections.IEnumerable items:
                foreach (var item in items)
                {
                    Collect(item, found);
                }

                break;
            default:
                found.Add(torch.tensor(new double[] { Convert.ToDouble(value) }));
                break;
        }
    }

    private object Run($parameters)
    {
        switch (place)
        {
$cases
        }

        throw new ArgumentException($"no call {place}");
    }
}
"""


def collected(value: Any) -> list[float]:
    """Return all numbers of a result, of a tensor its type and rank before them."""
    if isinstance(value, torch.Tensor):
        numbers = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        return [float(TYPES[value.dtype]), float(value.dim()), *numbers.detach().double().flatten().tolist()]
    return (
        [float(value)] if isinstance(value, (bool, int, float)) else [one for item in value for one in collected(item)]
    )


def test_each_call_is_written_as_the_table_says(tmp_path: Path) -> None:
    module = functions([call for call, _ in CALLS], tmp_path)
    found = [[call, written(getattr(module, f"f{place}"))] for place, (call, _) in enumerate(CALLS)]
    assert found == CALLS


def compiled(build_csharp: Callable[..., Path], texts: list[str], against: Sequence[Path] = ()) -> Path:
    """Return the assembly of the table's C#."""
    cases = "\n".join(f"            case {place}:\n                return {text};" for place, text in enumerate(texts))
    used = set(re.findall(r"\bPythonMath\.(\w+)", cases))
    source = _MODEL.replace("$parameters", _PARAMETERS).replace("$cases", cases)
    files = {"Model.cs": source, "PythonMath.cs": helpers.text(used, "Calls")}
    return build_csharp(files, "PortedCalls", against=against)


def numbers(function: Callable[..., Any], seed: int = 1) -> list[float]:
    """Return the numbers of a call in Python."""
    torch.manual_seed(seed)
    return collected(function(*arguments()))


def are_near(given: list[float], wanted: list[float]) -> bool:
    return len(given) == len(wanted) and torch.allclose(torch.tensor(given), torch.tensor(wanted), equal_nan=True)


@pytest.mark.dotnet
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_each_call_gives_in_csharp_what_it_gives_in_python(
    step: int, build_csharp: Callable[..., Path], tmp_path: Path, one_thread: None
) -> None:
    """Prove that no call is written whose values, types of tensors or shapes are others; the C# is that of the table.

    Ordinary tests run each sixth call.
    """
    calls = [(call, text) for call, text in CALLS if not text.startswith("!")]
    library = compiled(build_csharp, [text for _, text in calls])
    module = functions([call for call, _ in calls], tmp_path)
    different = []
    for place, (call, _) in list(enumerate(calls))[::step]:
        wanted = numbers(getattr(module, f"f{place}"))
        torch.manual_seed(1)
        if not are_near(bridge.load(library, "Calls.Model", place)(*arguments()[:4]).tolist(), wanted):
            different.append(call)
    assert different == []


@pytest.mark.dotnet
@pytest.mark.slow
def test_each_call_gives_the_same_on_torchsharp(
    build_csharp: Callable[..., Path], torchsharp: Path, tmp_path: Path, one_thread: None
) -> None:
    """Prove that no member is called that TorchSharp has wrong (faults.py); random ones have another seed there."""
    calls = [(call, text) for call, text in CALLS if not text.startswith("!")]
    library = compiled(build_csharp, [text for _, text in calls], [torchsharp])
    module = functions([call for call, _ in calls], tmp_path)
    runtime = f"torchsharp:{torchsharp.parent}"
    different = {}
    for place, (call, _) in enumerate(calls):
        function = getattr(module, f"f{place}")
        wanted = numbers(function)
        if wanted != numbers(function, 2):
            continue
        try:
            given = bridge.load(library, "Calls.Model", place, runtime=runtime)(*arguments()[:4]).tolist()
            why = "" if are_near(given, wanted) else "other values"
        except bridge.DotNetError as error:
            why = str(error).splitlines()[0]
        different |= {call: why} if why else {}
    assert different == {}
