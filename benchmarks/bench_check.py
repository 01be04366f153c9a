"""What it costs to check a compiled assembly against Bridge.Torch, before any of its classes runs."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness import FEW, Figure, Samples

ROOT = Path(__file__).parents[1]
CLASSES = 100
_PROCESS = Path(__file__).parent / "processes" / "check.py"

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Deterministic>true</Deterministic>
  </PropertyGroup>
  <ItemGroup>
    <Reference Include="{reference}" Private="false" />
  </ItemGroup>
</Project>
"""

_HEAD = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Checked;
"""

#: A block as real ports have them: layers, their factories, operators, indexing, loops over lists, initialization.
_CLASS = """
public sealed class Block{n} : Module<Tensor, Tensor>
{{
    private readonly Linear first = Linear(16, {width});
    private readonly Sequential middle = Sequential(("act", ReLU()), ("drop", Dropout(0.1)), ("norm", LayerNorm({width})));
    private readonly ModuleList<Linear> heads = ModuleList(Linear({width}, 4), Linear({width}, 4));
    private readonly Conv1d conv = Conv1d(4, 4, 3, padding: 1);
    private readonly Parameter scale = Parameter(torch.ones({width}));
    private readonly int number = {n};

    public Block{n}() : base("Block{n}")
    {{
        RegisterComponents();
        init.kaiming_normal_(first.weight);
        init.zeros_(first.bias);
    }}

    public override Tensor forward(Tensor x)
    {{
        using var scope = NewDisposeScope();
        var y = middle.call(first.call(x)) * scale;
        var parts = heads.Select(head => head.call(y)).ToArray();
        var z = torch.cat(parts, 1).view(x.size(0), 4, -1);
        z = functional.softmax(conv.call(z) + number, -1);
        if (z.dim() > 2) z = z[TensorIndex.Colon, 0].unsqueeze(1).transpose(1, 2).contiguous();
        return torch.where(z > 0, z.pow(2), z.neg()).sum(1).sqrt().MoveToOuterDisposeScope();
    }}
}}
"""


def _assembly() -> Path:
    """An assembly of that many module classes, compiled once against TorchSharp's signatures."""
    sdk = _sdk()
    program = ROOT / "dotnet" / "artifacts" / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
    listed = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
    source = _HEAD + "".join(_CLASS.format(n=n, width=8 + n % 5 * 8) for n in range(CLASSES))
    key = hashlib.sha256(program.read_bytes() + listed.read_bytes() + source.encode()).hexdigest()[:16]
    made = Path(tempfile.gettempdir()) / f"bridge-bench-check-{key}"
    if (made / "out" / "Checked.dll").is_file():
        return made / "out" / "Checked.dll"
    made.mkdir(exist_ok=True)
    (made / "reference").mkdir(exist_ok=True)
    reference = made / "reference" / "TorchSharp.dll"
    subprocess.run([sdk.command, program, listed, reference], env=sdk.environ, check=True, stdout=subprocess.DEVNULL)
    (made / "Checked.csproj").write_text(_PROJECT.format(reference=reference), encoding="utf-8")
    (made / "Checked.cs").write_text(source, encoding="utf-8")
    command = [sdk.command, "build", "-c", "Release", "-o", str(made / "out"), "--nologo", "-clp:ErrorsOnly"]
    done = subprocess.run(command, cwd=made, env=sdk.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout}\n{done.stderr}")
    return made / "out" / "Checked.dll"


def _sdk() -> Any:
    spec = importlib.util.spec_from_file_location("_bench_sdk", ROOT / "tools" / "sdk.py")
    if spec is None or spec.loader is None:
        raise ImportError("tools/sdk.py cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Sdk()


def _check() -> Samples:
    command = [sys.executable, str(_PROCESS), str(_assembly())]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(FEW)]
    times = [tuple(map(float, run.stdout.split())) for run in runs]
    again = sorted(second for _, second, _ in times)[FEW // 2] * 1e3
    return Samples(
        [first * 1e3 for first, _, _ in times], said=f"{times[0][2]:.0f} module classes; {again:.2g} ms once more"
    )


FIGURES = (
    Figure("check", "check of an assembly, all of its classes, first thing after the start of .NET", None, "ms", _check, 50),
)  # fmt: skip
