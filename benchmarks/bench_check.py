"""The check of a model of a compiled assembly against Bridge.Torch, before it is created."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from compilation import compile_source
from harness import FEW, Figure, Samples

CLASSES = 100
_PROCESS = Path(__file__).parent / "processes" / "check.py"

_HEAD = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Checked;
"""

#: A typical block of a port: layers, their factories, operators, indexing, loops over lists, initialization.
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


def _check() -> Samples:
    source = _HEAD + "".join(_CLASS.format(n=n, width=8 + n % 5 * 8) for n in range(CLASSES))
    command = [sys.executable, str(_PROCESS), str(compile_source("Checked", source)), "Checked.Block0"]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(FEW)]
    times = [tuple(map(float, run.stdout.split())) for run in runs]
    all_classes = sorted(second for _, second, _ in times)[FEW // 2] * 1e3
    return Samples([first * 1e3 for first, _, _ in times], said=f"{all_classes:.2g} ms to list all")


_WHAT = f"check of the first model of an assembly of {CLASSES} module classes, first thing after the start of .NET"
FIGURES = (Figure("check", _WHAT, None, "ms", _check, 50),)
