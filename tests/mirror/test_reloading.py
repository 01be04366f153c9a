"""ModelContext.cs: a model that is edited and loaded again."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

_NET = """using System;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
namespace Edited;
public sealed class Net : nn.Module<Tensor, Tensor>
{
    private static readonly Tensor Factor = full(1, FACTOR);
    private readonly Linear fc = nn.Linear(1, 1);
    public Net() : base("Net") => RegisterComponents();
    public int Builds
    {
        get
        {
            for (var i = 0; i < 10; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            return AppDomain.CurrentDomain.GetAssemblies().Count(assembly => assembly.GetName().Name == "Edited");
        }
    }

    public override Tensor forward(Tensor input) => fc.call(input) * 0 + input * Factor;
}
"""


@pytest.fixture(scope="module")
def builds(build_csharp: Callable[..., Path]) -> list[bytes]:
    """Return two builds of a model, of the same size: the first doubles its input, the second triples it."""
    made = [build_csharp({"Net.cs": _NET.replace("FACTOR", factor)}, "Edited").read_bytes() for factor in "23"]
    assert len({len(code) for code in made}) == 1
    return made


def _edit(file: Path, code: bytes, seconds: int = 0) -> Any:
    """Load what was written at that time."""
    file.write_bytes(code)
    os.utime(file, (seconds, seconds))
    return bridge.load(file, "Edited.Net")


def test_an_edit_of_the_same_size_and_time_is_seen(builds: list[bytes], tmp_path: Path) -> None:
    old, new = (_edit(tmp_path / "Edited.dll", code) for code in builds)
    assert (old(torch.ones(1)).item(), new(torch.ones(1)).item()) == (2, 3)


def test_replaced_builds_are_unloaded(builds: list[bytes], tmp_path: Path) -> None:
    """All but the first, whose static fields are as fast as those of any model, and the last."""
    model = _edit(tmp_path / "Edited.dll", builds[0])
    before = model.Builds
    for number in range(1, 21):
        model = _edit(tmp_path / "Edited.dll", builds[number % 2], number)
        model(torch.ones(1, requires_grad=True)).sum().backward()
    del model
    gc.collect()
    assert _edit(tmp_path / "Edited.dll", builds[1]).Builds <= before + 2
