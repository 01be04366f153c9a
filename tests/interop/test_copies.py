"""Two copies of one assembly (field notes 6), and a loaded file that is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_VERSION = """
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Changing;

public sealed class Model : Module<Tensor, Tensor>
{
    public Model() : base(nameof(Model)) { }

    public override Tensor forward(Tensor input) => input + NUMBER;
}
"""


def test_our_assemblies_beside_the_model_are_not_loaded_twice(alone: Callable[..., Any], tmp_path: Path) -> None:
    """A build puts Bridge.Torch.dll beside the model: the types are still ours, and hooks fire."""
    alone("copies", "ours_beside_the_model", str(tmp_path))


def test_two_files_of_one_name_side_by_side(together: Callable[..., None], tmp_path: Path) -> None:
    """The same assembly from two folders: two models, each hooked alone."""
    together("copies", "two_files_of_one_name", str(tmp_path))


def test_a_rebuilt_assembly(
    together: Callable[..., None], build_csharp: Callable[[Mapping[str, str], str], Path], tmp_path: Path
) -> None:
    """Overwritten in place while it is loaded: the loaded model runs on, and loading again gives the new one."""
    old, new = (build_csharp({"Model.cs": _VERSION.replace("NUMBER", str(number))}, "Changing") for number in (1, 2))
    file = tmp_path / "Changing.dll"
    file.write_bytes(old.read_bytes())
    together("copies", "a_rebuilt_assembly", str(file), str(new))


def test_long_type_names(together: Callable[..., None]) -> None:
    """2: a type name over 1,024 characters ends a process when a Python-backed delegate is made for it; we make none."""
    together("copies", "long_type_names")
