"""Two copies of one assembly, and a loaded file that is overwritten."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from attack.state import collect
from bridge.clr.find import assemblies
from tests.interop.helpers import X, extra, loaded, pnet

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


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


@pytest.fixture(scope="module")
def versions(build_csharp: Callable[[Mapping[str, str], str], Path]) -> tuple[Path, ...]:
    """Compile two versions of an assembly."""
    return tuple(build_csharp({"Model.cs": _VERSION.replace("NUMBER", number)}, "Changing") for number in "12")


@pytest.mark.subprocess
def test_our_assemblies_beside_the_model_are_not_loaded_twice(tmp_path: Path) -> None:
    """A build puts Bridge.Torch.dll beside the model: the types are still ours, and hooks fire."""
    folder, _ = assemblies.folder()
    for file in folder.glob("*.dll"):
        shutil.copy(file, tmp_path)
    model: Any = bridge.load(tmp_path / "Mtcnn.dll", "Mtcnn.PNet")
    seen: list[str] = []
    for name, child in model.named_children():
        child.register_forward_hook(lambda *_, name=name: seen.append(name))
    model(X)
    assert seen == [name for name, _ in model.named_children()], seen
    for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
        assert loaded(name) == 1, name


def test_two_files_of_one_name_side_by_side(tmp_path: Path) -> None:
    """The same assembly from two folders: two models, each hooked alone."""
    other = shutil.copy(assemblies.sample("Mtcnn.dll"), tmp_path)
    a = pnet()
    before = loaded("Mtcnn")
    b: Any = bridge.load(other, "Mtcnn.PNet").eval()
    assert loaded("Mtcnn") == before + 1
    assert loaded("Bridge.Torch") == 1
    b.load_state_dict(a.state_dict())
    seen: list[str] = []
    a.conv1.register_forward_hook(lambda *_: seen.append("a"))
    b.conv1.register_forward_hook(lambda *_: seen.append("b"))
    assert torch.equal(a(X)[0], b(X)[0])
    assert seen == ["a", "b"]


def test_a_rebuilt_assembly(versions: tuple[Path, ...], tmp_path: Path) -> None:
    """A loaded file is overwritten in place: the loaded model still works, and loading again gives the new one."""
    file = Path(shutil.copy(versions[0], tmp_path / "Changing.dll"))
    zero = torch.zeros(1)
    first: Any = bridge.load(file, "Changing.Model")
    untouched = bridge.load(file, "Changing.Model")
    assert first(zero) == 1
    with file.open("r+b") as stream:  # the same inode, as a compiler's copy does it
        stream.write(b"\0" * file.stat().st_size)
        stream.flush()
        assert first(zero) == 1
        assert untouched(zero) == 1
        stream.seek(0)
        stream.truncate()
        stream.write(versions[1].read_bytes())
    collect()
    assert first(zero) == 1
    assert untouched(zero) == 1
    second: Any = bridge.load(file, "Changing.Model")
    assert second(zero) == 2
    assert first(zero) == 1
    seen: list[str] = []
    first.register_forward_hook(lambda *_: seen.append("old"))
    second.register_forward_hook(lambda *_: seen.append("new"))
    first(zero)
    second(zero)
    assert seen == ["old", "new"]


def test_long_type_names() -> None:
    """A type name over 1,024 characters ends a process when a Python-backed delegate is made for it; we make none."""
    model = extra("LongName")
    seen: list[str] = []
    model.child.register_forward_pre_hook(lambda *_: seen.append("pre"))
    model.child.register_forward_hook(lambda *_: seen.append("forward"))
    result = model(torch.zeros(1))
    assert result.item() > 1024, result
    assert seen == ["pre", "forward"]
