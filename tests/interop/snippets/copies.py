"""Snippets of test_copies.py."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from attack.state import collect
from process import X, extra, pnet

import bridge
from bridge.clr.find import assemblies


def loaded(name: str) -> int:
    """How many assemblies of that name .NET has loaded."""
    from System import AppDomain

    return [str(a.GetName().Name) for a in AppDomain.CurrentDomain.GetAssemblies()].count(name)


def ours_beside_the_model(place: str) -> None:
    folder, _ = assemblies.folder()
    for file in folder.glob("*.dll"):
        shutil.copy(file, place)
    model: Any = bridge.load(Path(place) / "Mtcnn.dll", "Mtcnn.PNet")
    seen: list[str] = []
    for name, child in model.named_children():
        child.register_forward_hook(lambda *_, name=name: seen.append(name))
    model(X)
    assert seen == [name for name, _ in model.named_children()], seen
    for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
        assert loaded(name) == 1, name


def two_files_of_one_name(place: str) -> None:
    other = shutil.copy(assemblies.sample("Mtcnn.dll"), place)
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


def a_rebuilt_assembly(place: str, newer: str) -> None:
    file = Path(place)
    zero = torch.zeros(1)
    first: Any = bridge.load(file, "Changing.Model")
    untouched = bridge.load(file, "Changing.Model")
    assert first(zero) == 1
    with file.open("r+b") as there:  # the same inode, as a compiler's copy does it
        there.write(b"\0" * file.stat().st_size)
        there.flush()
        assert first(zero) == 1
        assert untouched(zero) == 1
        there.seek(0)
        there.truncate()
        there.write(Path(newer).read_bytes())
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


def long_type_names() -> None:
    model = extra("LongName")
    seen: list[str] = []
    model.child.register_forward_pre_hook(lambda *_: seen.append("pre"))
    model.child.register_forward_hook(lambda *_: seen.append("forward"))
    result = model(torch.zeros(1))
    assert result.item() > 1024, result
    assert seen == ["pre", "forward"]
