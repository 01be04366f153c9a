"""Two copies of one assembly (field notes 6), and a loaded file that is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ONCE = """
import shutil
def loaded(name):
    "How many assemblies of that name .NET has loaded."
    from System import AppDomain
    return [str(a.GetName().Name) for a in AppDomain.CurrentDomain.GetAssemblies()].count(name)
"""

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


def test_our_assemblies_beside_the_model_are_not_loaded_twice(snippet: Callable[..., Any], tmp_path: Path) -> None:
    """A build puts Bridge.Torch.dll beside the model: the types are still ours, and hooks fire."""
    snippet(
        ONCE
        + f"""
folder, _ = assemblies.folder()
for file in os.listdir(folder):
    if file.endswith(".dll"):
        shutil.copy(os.path.join(folder, file), {str(tmp_path)!r})
model = bridge.load({str(tmp_path / "Mtcnn.dll")!r}, "Mtcnn.PNet")
seen = []
for name, child in model.named_children():
    child.register_forward_hook(lambda *_, name=name: seen.append(name))
model(X)
assert seen == [name for name, _ in model.named_children()], seen
for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
    assert loaded(name) == 1, name
leaving()
"""
    )


def test_two_files_of_one_name_side_by_side(snippet: Callable[..., Any], tmp_path: Path) -> None:
    """The same assembly from two folders: two models, each hooked alone."""
    (tmp_path / "other").mkdir()
    snippet(
        ONCE
        + f"""
other = shutil.copy(assemblies.sample("Mtcnn.dll"), {str(tmp_path / "other")!r})
a, b = pnet(), bridge.load(other, "Mtcnn.PNet").eval()
assert loaded("Mtcnn") == 2 and loaded("Bridge.Torch") == 1
b.load_state_dict(a.state_dict())
seen = []
a.conv1.register_forward_hook(lambda *_: seen.append("a"))
b.conv1.register_forward_hook(lambda *_: seen.append("b"))
assert torch.equal(a(X)[0], b(X)[0])
assert seen == ["a", "b"]
leaving()
"""
    )


def test_a_rebuilt_assembly(
    snippet: Callable[..., Any], build_csharp: Callable[[Mapping[str, str], str], Path], tmp_path: Path
) -> None:
    """Overwritten in place while it is loaded: the loaded model runs on, and loading again gives the new one."""
    old, new = (build_csharp({"Model.cs": _VERSION.replace("NUMBER", str(number))}, "Changing") for number in (1, 2))
    file = tmp_path / "Changing.dll"
    file.write_bytes(old.read_bytes())
    snippet(
        f"""
        file, new = {str(file)!r}, {str(new)!r}
        zero = torch.zeros(1)
        first = bridge.load(file, "Changing.Model")
        untouched = bridge.load(file, "Changing.Model")
        assert first(zero) == 1
        content = open(new, "rb").read()
        with open(file, "r+b") as there:   # the same inode, as a compiler's copy does it
            there.write(b"\\0" * os.path.getsize(file))
            there.flush()
            assert first(zero) == 1 and untouched(zero) == 1
            there.seek(0)
            there.truncate()
            there.write(content)
        collect()
        assert first(zero) == 1 and untouched(zero) == 1
        second = bridge.load(file, "Changing.Model")
        assert second(zero) == 2 and first(zero) == 1
        seen = []
        first.register_forward_hook(lambda *_: seen.append("old"))
        second.register_forward_hook(lambda *_: seen.append("new"))
        first(zero), second(zero)
        assert seen == ["old", "new"]
        leaving()
        """
    )


def test_long_type_names(snippet: Callable[..., Any]) -> None:
    """2: a type name over 1,024 characters ends a process when a Python-backed delegate is made for it; we make none."""
    snippet(
        """
        model = extra("LongName")
        seen = []
        model.child.register_forward_pre_hook(lambda *_: seen.append("pre"))
        model.child.register_forward_hook(lambda *_: seen.append("forward"))
        result = model(torch.zeros(1))
        assert result.item() > 1024, result
        assert seen == ["pre", "forward"]
        leaving()
        """
    )
